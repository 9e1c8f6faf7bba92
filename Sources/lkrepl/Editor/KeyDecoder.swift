/// Decodes the bytes that a terminal sends into keys; a pure state machine.
///
/// Supports xterm and compatible terminals, the Linux console, rxvt and tmux: UTF-8, CSI and SS3 sequences with
/// modifiers, Alt as a leading escape, and bracketed paste. Unknown sequences are skipped as a whole, so that none of
/// their bytes is inserted into the line.
struct KeyDecoder: Sendable {
    private enum State {
        case ground
        /// After ESC.
        case escape
        /// Within `ESC [ …`.
        case sequence([UInt8])
        /// After `ESC O`.
        case single
        /// Between `ESC [ 200 ~` and `ESC [ 201 ~`; whether input has paused.
        case paste(isPaused: Bool)
        /// Within a UTF-8 sequence of `count` bytes.
        case scalar([UInt8], count: Int)
        /// Within a string sequence that the terminal sent, such as `ESC ] … BEL`. Until the first byte of its content,
        /// `typed` is the introducer, which may have been typed with Alt.
        case string(typed: UInt8?)
        case stringEscape
    }

    private static let pasteEnd = Array("\u{1b}[201~".utf8)
    /// The maximum length of a key's sequence.
    private static let maximumSequenceByteCount = 64

    private var state = State.ground
    /// The bytes pasted so far.
    private var pastedBytes: [UInt8] = []

    /// Whether an incomplete sequence is pending, so that a timeout is meaningful: see ``timeOut()``.
    var isWaiting: Bool {
        switch state {
        case .escape, .single, .sequence, .string, .stringEscape, .paste(isPaused: false): true
        default: false
        }
    }

    /// Processes one byte. Returns the completed keys: none if more bytes must follow, and two if the byte interrupts a
    /// UTF-8 sequence, which becomes a replacement character.
    mutating func feed(_ byte: UInt8) -> [Key] {
        if case .scalar(_, _) = state, byte & 0xc0 != 0x80 {
            state = .ground
            return [Self.replacement] + (key(byte).map { [$0] } ?? [])
        }
        return key(byte).map { [$0] } ?? []
    }

    /// The replacement for bytes that are not UTF-8: visible, and rejected when the line is run.
    private static let replacement = Key.text("\u{fffd}")

    private mutating func key(_ byte: UInt8) -> Key? {
        switch state {
        case .ground: return ground(byte)
        case .escape: return afterEscape(byte)
        case .single:
            state = .ground
            return Self.cursorKey(byte, parameters: [])
        case .sequence(var bytes):
            guard (0x20..<0x40).contains(byte) else {
                state = .ground
                return (0x40..<0x7f).contains(byte) ? sequence(bytes, final: byte) : .unknown
            }
            bytes.append(byte)
            state = bytes.count < Self.maximumSequenceByteCount ? .sequence(bytes) : .ground
            return nil
        case .paste(let isPaused):
            // The end of a paste may get lost; after a pause, ^C cancels the paste. Otherwise ^C is part of the text.
            if isPaused, byte == 0x03 {
                state = .ground
                pastedBytes = []
                return .control("c")
            }
            if isPaused { state = .paste(isPaused: false) }
            pastedBytes.append(byte)
            guard byte == UInt8(ascii: "~"), pastedBytes.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) else {
                return nil
            }
            state = .ground
            defer { pastedBytes = [] }
            return .paste(Self.pasted(pastedBytes.dropLast(Self.pasteEnd.count)))
        case .scalar(var bytes, let count):
            bytes.append(byte)
            guard bytes.count == count else {
                state = .scalar(bytes, count: count)
                return nil
            }
            state = .ground
            return .text(String(decoding: bytes, as: UTF8.self))
        case .string:
            switch byte {
            // BEL ends the string, CAN and SUB cancel it, and no terminal sends ^C in one.
            case 0x07, 0x18, 0x1a: state = .ground
            case 0x03:
                state = .ground
                return .control("c")
            case 0x1b: state = .stringEscape
            default: state = .string(typed: nil)
            }
            return nil
        case .stringEscape:
            if byte == 0x1b { return nil }
            state = .ground
            // An escape that does not end the string begins another sequence.
            return byte == UInt8(ascii: "\\") ? nil : afterEscape(byte)
        }
    }

    /// Handles a timeout: a lone escape is the key Escape, and the introducer of a string is a key with Alt. Terminals
    /// send strings in one piece, so an unfinished one is dropped; a paste continues.
    mutating func timeOut() -> Key? {
        if case .paste = state {
            state = .paste(isPaused: true)
            return nil
        }
        defer { if isWaiting { state = .ground } }
        switch state {
        case .escape: return .escape
        case .string(let byte?): return Self.alt(byte)
        default: return nil
        }
    }

    // MARK: - Parts

    private mutating func ground(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x1b:
            state = .escape
            return nil
        case 0x0d, 0x0a: return .enter
        case 0x09: return .tab
        case 0x08, 0x7f: return .backspace
        case 0x01...0x1a: return .control(Character(Unicode.Scalar(byte | 0x60)))
        case 0x00, 0x1c...0x1f: return .control(Character(Unicode.Scalar(byte | 0x40)))
        case 0x20..<0x7f: return .text(String(Unicode.Scalar(byte)))
        case 0xc2...0xf4:
            state = .scalar([byte], count: byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4)
            return nil
        default: return Self.replacement
        }
    }

    private mutating func afterEscape(_ byte: UInt8) -> Key? {
        state = .ground
        switch byte {
        case UInt8(ascii: "["):
            state = .sequence([])
            return nil
        case UInt8(ascii: "O"):
            state = .single
            return nil
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string(typed: byte)
            return nil
        case 0x1b:
            state = .escape
            return .escape
        case 0x08, 0x7f: return .alt("\u{8}")
        case 0x0d, 0x0a: return .alt("\n")
        case 0x20..<0x7f: return Self.alt(byte)
        default: return .unknown
        }
    }

    private static func alt(_ byte: UInt8) -> Key {
        .alt(Character(Character(Unicode.Scalar(byte)).lowercased()))
    }

    private mutating func sequence(_ bytes: [UInt8], final: UInt8) -> Key? {
        let parameters = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            Int(String(decoding: $0, as: UTF8.self)) ?? 0
        }
        guard final == UInt8(ascii: "~") else { return Self.cursorKey(final, parameters: parameters) }
        let isModified = (parameters.dropFirst().first ?? 1) > 1
        switch parameters.first {
        case 200:
            state = .paste(isPaused: false)
            return nil
        case 1, 7: return .home
        case 4, 8: return .end
        case 3: return isModified ? .alt("d") : .delete
        default: return .unknown
        }
    }

    private static func cursorKey(_ final: UInt8, parameters: [Int]) -> Key {
        // xterm encodes modifiers as 1 plus a bit mask: 3 is Alt, 5 is Control.
        let isByWord = [3, 5, 7].contains(parameters.dropFirst().first ?? 1)
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return isByWord ? .wordRight : .right
        case UInt8(ascii: "D"): return isByWord ? .wordLeft : .left
        // rxvt sends lowercase letters with Control.
        case UInt8(ascii: "c"): return .wordRight
        case UInt8(ascii: "d"): return .wordLeft
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "M"): return .enter
        default: return .unknown
        }
    }

    /// Pasted text with line ends converted to line feeds.
    private static func pasted(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }
}
