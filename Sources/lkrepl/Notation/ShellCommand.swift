/// One argument as typed in the shell, including quotes and escapes.
struct ShellToken: Hashable, Sendable {
    /// The raw spelling, which ``ByteNotation`` parses and ``ArgumentOrigin/text(of:)`` unquotes.
    var raw: String
    /// The line of its start, from 1.
    var line: Int
    /// The column of its start, in Unicode scalars, from 1.
    var column: Int
    /// The number of bytes before it in its line, where completion begins to replace.
    var offset: Int
}

/// One command as typed in the shell; it has at least one token.
struct ShellCommand: Hashable, Sendable {
    /// The name of the command and its arguments.
    var tokens: [ShellToken]
    /// The input from the first token to the last, including spaces.
    var source: String

    /// The line of the first token, from 1.
    var line: Int { tokens[0].line }

    /// The arguments for the argument parser: each token in its raw spelling (see ``ArgumentOrigin``).
    var arguments: [String] { tokens.map(\.raw) }
}

/// The reason that a line is not a valid command.
struct ShellSyntaxError: Error, Hashable, CustomStringConvertible {
    /// The line, from 1.
    var line: Int
    /// The column in Unicode scalars, from 1.
    var column: Int
    /// The error and its correction; a sentence without its final period.
    var message: String

    var description: String { "\(line):\(column): \(message)" }
}
