/// Splits lines typed in the shell, or read from a script, into commands and arguments.
///
/// ```
/// input   := command { (';' | newline) command }
/// command := token { space token }           '#' at the start of a token begins a comment
/// token   := run of characters without space and ';'
/// ```
///
/// Space, `;`, `#` and newline are ordinary characters
/// - between quotes: `'…'`, or `"…"` in which a backslash escapes the next character; a quote may open anywhere in a
///   token, and `''` inside single quotes is one quote;
/// - in JSON: from a `{` or `[` at the start of a token, or of the value in `--option=value`, to its closing bracket.
///
/// A quote or bracket that is open at the end of a line continues the command on the next line. `|` at the start of a
/// token is rejected, so that pipes can be added without changing the meaning of scripts.
///
/// Tokens keep their raw spelling; see ``ArgumentOrigin`` for how it is read. The scanner is a pure state machine: it
/// receives lines, and returns commands when nothing is open.
struct ShellScanner {
    /// A construct that may be open at the end of a line.
    enum Construct: Hashable, Sendable {
        case singleQuote
        case doubleQuote
        /// A JSON bracket, `{` or `[`.
        case bracket(Character)
    }

    private var mode = Mode.between
    /// The pending closing brackets, innermost last.
    private var closers: [UInt8] = []
    private var commands: [ShellCommand] = []
    private var command = PartialCommand()
    private var token = PartialToken()
    private var openStart = Position()
    private var position = Position()

    /// Creates a scanner that numbers its first line `line`, from 1.
    init(line: Int = 1) {
        position.line = line
    }

    /// The innermost open quote or bracket; `nil` if none is open.
    var openConstruct: Construct? {
        switch mode {
        case .between, .word, .comment: nil
        case .single: .singleQuote
        case .double(_): .doubleQuote
        case .json, .jsonString(_): .bracket(closers.last == UInt8(ascii: "}") ? "{" : "[")
        }
    }

    /// Processes the next line, without its newline, and returns the completed commands, if any.
    ///
    /// Nothing is returned while ``openConstruct`` is not `nil`, not even commands ended by a `;`, so that an abandoned
    /// input has run nothing. An error discards pending commands.
    mutating func feed(_ line: String) throws(ShellSyntaxError) -> [ShellCommand] {
        try scan(line)
        switch mode {
        case .between, .word, .comment:
            endCommand()
            mode = .between
        case .single, .double, .json, .jsonString:
            append(UInt8(ascii: "\n"))
        }
        position = Position(line: position.line + 1)
        guard openConstruct == nil else { return [] }
        defer { commands = [] }
        return commands
    }

    /// Ends the input; throws if a quote or bracket is open.
    func finish() throws(ShellSyntaxError) {
        switch openConstruct {
        case nil: return
        case .singleQuote: throw openStart.error("this ' is never closed")
        case .doubleQuote: throw openStart.error("this \" is never closed")
        case .bracket(let bracket): throw openStart.error("this \(bracket) is never closed")
        }
    }

    /// The commands of a whole text.
    static func commands(in text: String) throws(ShellSyntaxError) -> [ShellCommand] {
        var scanner = ShellScanner()
        var commands: [ShellCommand] = []
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.last == "\r" ? line.dropLast() : line
            commands += try scanner.feed(String(line))
        }
        try scanner.finish()
        return commands
    }
}

// MARK: - Completion

extension ShellScanner {
    /// The context of the cursor at the end of a string.
    struct CompletionPoint: Hashable, Sendable {
        /// The complete tokens of the command before the cursor.
        var tokens: [ShellToken]
        /// The token at the cursor; `nil` after a space.
        var word: ShellToken?
    }

    /// The last argument of the last command in a line, in its raw spelling; `nil` if there is none, or after an error.
    static func lastToken(of text: String) -> String? {
        guard let commands = try? commands(in: text) else { return nil }
        return commands.last?.tokens.last?.raw
    }

    /// Whether a string leaves a quote or a bracket open, so that another line must follow.
    static func isOpen(_ text: String) -> Bool {
        var scanner = ShellScanner()
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            guard (try? scanner.feed(String(line))) != nil else { return false }
        }
        return scanner.openConstruct != nil
    }

    /// The completion context at the end of `text`; `nil` in a comment or after an error.
    static func completionPoint(atEndOf text: String) -> CompletionPoint? {
        var scanner = ShellScanner()
        do throws(ShellSyntaxError) {
            try scanner.scan(text)
        } catch {
            return nil
        }
        if scanner.mode == .comment { return nil }
        return CompletionPoint(
            tokens: scanner.command.tokens, word: scanner.mode == .between ? nil : scanner.token.finished)
    }
}

// MARK: - Scanning

extension ShellScanner {
    private enum Mode: Hashable {
        case between
        case word
        case comment
        case single
        case double(isEscaped: Bool)
        case json
        case jsonString(isEscaped: Bool)
    }

    private struct Position {
        var line = 1
        var column = 1
        var offset = 0

        func error(_ message: String) -> ShellSyntaxError {
            ShellSyntaxError(line: line, column: column, message: message)
        }
    }

    private struct PartialToken {
        var bytes: [UInt8] = []
        var start = Position()

        var finished: ShellToken {
            ShellToken(
                raw: String(decoding: bytes, as: UTF8.self), line: start.line, column: start.column,
                offset: start.offset)
        }

        /// Whether JSON may begin here: at the start, or after the first `=` of an option.
        var isAtValueStart: Bool {
            bytes.isEmpty
                || bytes.starts(with: "--".utf8) && bytes.firstIndex(of: UInt8(ascii: "=")) == bytes.count - 1
        }
    }

    private struct PartialCommand {
        var tokens: [ShellToken] = []
        var source: [UInt8] = []
        /// The length of `source` up to the end of its last token.
        var sourceCount = 0
    }

    private mutating func scan(_ line: String) throws(ShellSyntaxError) {
        for byte in line.utf8 {
            do throws(ShellSyntaxError) {
                try scan(byte)
            } catch {
                self = ShellScanner(line: position.line + 1)
                throw error
            }
            position.offset += 1
            // Continuation bytes of a scalar do not count.
            if byte & 0xc0 != 0x80 { position.column += 1 }
        }
    }

    private mutating func scan(_ byte: UInt8) throws(ShellSyntaxError) {
        switch mode {
        case .between: try scanBetween(byte)
        case .word: scanWord(byte)
        case .comment: break
        case .single:
            append(byte)
            if byte == UInt8(ascii: "'") { mode = .word }
        case .double(let isEscaped):
            append(byte)
            if !isEscaped, byte == UInt8(ascii: "\"") {
                mode = .word
            } else {
                mode = .double(isEscaped: !isEscaped && byte == UInt8(ascii: "\\"))
            }
        case .json: try scanJSON(byte)
        case .jsonString(let isEscaped):
            append(byte)
            if !isEscaped, byte == UInt8(ascii: "\"") {
                mode = .json
            } else {
                mode = .jsonString(isEscaped: !isEscaped && byte == UInt8(ascii: "\\"))
            }
        }
    }

    private mutating func scanBetween(_ byte: UInt8) throws(ShellSyntaxError) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
            if !command.tokens.isEmpty { command.source.append(byte) }
        case UInt8(ascii: ";"): endCommand()
        case UInt8(ascii: "#"): mode = .comment
        case UInt8(ascii: "|"):
            throw position.error("pipes are not supported; .once '| program' sends the next output to a program")
        default:
            token = PartialToken(start: position)
            mode = .word
            scanWord(byte)
        }
    }

    private mutating func scanWord(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
            endToken()
            command.source.append(byte)
        case UInt8(ascii: ";"):
            endCommand()
        case UInt8(ascii: "'"):
            append(byte)
            open(.single)
        case UInt8(ascii: "\""):
            append(byte)
            open(.double(isEscaped: false))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isJSON = token.isAtValueStart
            append(byte)
            guard isJSON else { return }
            closers = [Self.closer(of: byte)]
            open(.json)
        default:
            append(byte)
        }
    }

    private mutating func scanJSON(_ byte: UInt8) throws(ShellSyntaxError) {
        append(byte)
        switch byte {
        case UInt8(ascii: "\""):
            mode = .jsonString(isEscaped: false)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            closers.append(Self.closer(of: byte))
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            let expected = closers.removeLast()
            guard byte == expected else {
                throw position.error("expected \(Character(Unicode.Scalar(expected))) here")
            }
            if closers.isEmpty { mode = .word }
        default:
            break
        }
    }

    private mutating func open(_ mode: Mode) {
        self.mode = mode
        openStart = position
    }

    private mutating func append(_ byte: UInt8) {
        token.bytes.append(byte)
        command.source.append(byte)
    }

    private mutating func endToken() {
        guard mode != .between, mode != .comment else { return }
        command.tokens.append(token.finished)
        command.sourceCount = command.source.count
        token = PartialToken()
        mode = .between
    }

    private mutating func endCommand() {
        endToken()
        if !command.tokens.isEmpty {
            let source = String(decoding: command.source.prefix(command.sourceCount), as: UTF8.self)
            commands.append(ShellCommand(tokens: command.tokens, source: source))
        }
        command = PartialCommand()
    }

    private static func closer(of bracket: UInt8) -> UInt8 {
        bracket == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }
}
