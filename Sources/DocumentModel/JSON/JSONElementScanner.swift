/// Finds the end of a JSON value by its quotes and brackets. The text may arrive in any number of pieces.
package struct JSONElementScanner: Sendable {
    private enum Mode {
        case beginning
        /// In a number or literal, which ends before the first byte that cannot be part of it.
        case bareWord
        case between
        case string
        case escape
    }

    private var mode = Mode.beginning
    /// The expected closing brackets, innermost last.
    private var closers: [UInt8] = []

    /// Creates a scanner at the beginning of a value.
    package init() {}

    /// Scans from `offset` to the end of the value or of `bytes`, and advances `offset` and `position`. Returns true at
    /// the end of the value.
    ///
    /// - Throws: `unexpectedByte` at a bracket that does not match. Otherwise the scan could run through the rest of
    ///   the array before the parser reports the error.
    package mutating func scan(
        _ bytes: Span<UInt8>, from offset: inout Int, position: inout JSONError.Position
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
            do throws(UnlocatedJSONProblem) {
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

    /// Processes one byte of the value; returns true for the last one.
    private mutating func take(_ byte: UInt8) throws(UnlocatedJSONProblem) -> Bool {
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
                    throw UnlocatedJSONProblem(fault: .unexpected(byte, expected: "a value"))
                }
                guard byte == expected else {
                    let name = Character(Unicode.Scalar(expected))
                    throw UnlocatedJSONProblem(fault: .unexpected(byte, expected: "'\(name)'"))
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
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: " "), UInt8(ascii: "\t"),
            UInt8(ascii: "\r"),
            UInt8(ascii: "\n"):
            true
        default: false
        }
    }
}

/// A fault whose position is not known yet.
struct UnlocatedJSONProblem: Error {
    let fault: JSONProblem
}
