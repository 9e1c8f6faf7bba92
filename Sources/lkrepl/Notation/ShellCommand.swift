/// One argument as it was typed in the shell, quotes and escapes included.
struct ShellToken: Hashable, Sendable {
    /// The spelling, which ``ByteNotation`` reads and ``ArgumentOrigin/text(of:)`` unquotes.
    var raw: String
    /// The line it begins on, counted from 1.
    var line: Int
    /// The column it begins at, in Unicode scalars, counted from 1.
    var column: Int
    /// The bytes of that line that precede it: what completion replaces begins there.
    var offset: Int
}

/// One command as it was typed in the shell; it has at least one token.
struct ShellCommand: Hashable, Sendable {
    /// The name of the command and its arguments.
    var tokens: [ShellToken]
    /// What was typed from the first token to the last, spaces included.
    var source: String

    /// The line of the first token, counted from 1.
    var line: Int { tokens[0].line }

    /// What goes on to the argument parser: every token in its raw spelling (see ``ArgumentOrigin``).
    var arguments: [String] { tokens.map(\.raw) }
}

/// Why a line is not a command.
struct ShellSyntaxError: Error, Hashable, CustomStringConvertible {
    /// Counted from 1.
    var line: Int
    /// In Unicode scalars, counted from 1.
    var column: Int
    /// What is wrong and what to write instead; a sentence without its full stop.
    var message: String

    var description: String { "\(line):\(column): \(message)" }
}
