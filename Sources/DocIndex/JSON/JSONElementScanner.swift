/// Finds the end of one JSON value by its quotes and brackets, over any number of pieces of text.
struct JSONElementScanner: Sendable {
    private enum Mode {
        case beginning
        /// In a number or literal, which ends before the first byte that cannot belong to one.
        case bareWord
        case between
        case string
        case escape
    }

    private var mode = Mode.beginning
    /// The brackets still to come, the innermost last.
    private var closers: [UInt8] = []

    /// Reads from `offset` on to the end of the value or of `bytes`, and moves both places along; true at the end of
    /// the value.
    ///
    /// - Throws: `unexpectedByte` at a bracket that does not match. Left to the parser, it could swallow the rest of
    ///   the array first.
    mutating func scan(
        _ bytes: Span<UInt8>, from offset: inout Int, position: inout JSONPosition
    ) throws(JSONError) -> Bool {
        while offset < bytes.count {
            if mode == .string {
                let (end, _) = bytes.endOfPlainText(from: offset)
                position.offset += end - offset
                position.column += end - offset
                offset = end
                if end == bytes.count { return false }
            }
            let byte = bytes[offset]
            if mode == .bareWord && Self.endsBareWord(byte) { return true }
            let isComplete: Bool
            do throws(JSONFaultFound) {
                isComplete = try take(byte)
            } catch {
                throw JSONError(error.fault, at: position)
            }
            offset += 1
            position.offset += 1
            position.column += 1
            if byte == UInt8(ascii: "\n") {
                position.line += 1
                position.column = 1
            }
            if isComplete { return true }
        }
        return false
    }

    /// Takes one byte of the value; true if it is the last.
    private mutating func take(_ byte: UInt8) throws(JSONFaultFound) -> Bool {
        switch mode {
        case .bareWord: return false
        case .escape: mode = .string
        case .string:
            switch byte {
            case UInt8(ascii: "\\"): mode = .escape
            case UInt8(ascii: "\""):
                mode = .between
                return closers.isEmpty
            default: break
            }
        case .beginning, .between:
            switch byte {
            case UInt8(ascii: "\""): mode = .string
            case UInt8(ascii: "{"): open(closer: UInt8(ascii: "}"))
            case UInt8(ascii: "["): open(closer: UInt8(ascii: "]"))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard let expected = closers.popLast() else {
                    throw JSONFaultFound(fault: .unexpected(byte, expected: "a value"))
                }
                guard byte == expected else {
                    let name = Character(Unicode.Scalar(expected))
                    throw JSONFaultFound(fault: .unexpected(byte, expected: "'\(name)'"))
                }
                return closers.isEmpty
            default: if mode == .beginning { mode = .bareWord }
            }
        }
        return false
    }

    private mutating func open(closer: UInt8) {
        mode = .between
        closers.append(closer)
    }

    private static func endsBareWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"),
            UInt8(ascii: "\n"):
            true
        default: false
        }
    }
}

/// A fault whose place is not known yet.
struct JSONFaultFound: Error {
    let fault: JSONFault
}
