/// The origin of the arguments being parsed, which determines whether quotes around text must still be removed.
///
/// The rule: **arguments are passed in their raw spelling, and the type of an argument determines how it is read.**
///
/// | argument | typed in lkrepl's shell | in the arguments of the process |
/// |---|---|---|
/// | key, value, bound (bytes) | ``ByteNotation/parse(_:)-(String)`` | the same |
/// | file, name, pattern, search text | ``text(of:)`` removes the quotes | unchanged: the user's shell removed them |
/// | query expression | its own grammar, which needs the quotes | the same |
/// | number, mode, flag | unchanged; needs no quotes | the same |
///
/// Removing quotes in the tokenizer would lose information that bytes need (`'0x41'` is four characters, `0x41` one
/// byte) and that expressions need (`title = "a b"`). Removing them here regardless of the origin would lose the quotes
/// of `lkrepl search DB photos '"exact phrase"'`. Therefore the shell parses its commands under
/// `ArgumentOrigin.$current.withValue(.shell) { … }`.
enum ArgumentOrigin: Sendable {
    /// The arguments of the process, from which another shell has removed the quotes.
    case process
    /// A line of lkrepl's own shell or a script for it, with its quotes.
    case shell

    /// The origin of the arguments in this task.
    @TaskLocal static var current = ArgumentOrigin.process

    /// The meaning of an ordinary text argument.
    ///
    /// In the shell, an argument that begins with a quote is read in byte notation; any other is used unchanged,
    /// including backslashes and `0x`. Throws if the quotes are malformed or enclose bytes that are not UTF-8.
    func text(of argument: String) throws(NotationError) -> String {
        guard self == .shell, argument.hasPrefix("\"") || argument.hasPrefix("'") else { return argument }
        let bytes = try ByteNotation.parse(argument)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw NotationError(column: 1, message: "expected text, but these bytes are not UTF-8")
        }
        return text
    }

    /// The expression that several arguments form, joined by spaces.
    ///
    /// In the shell, a single quoted argument is the text between the quotes, as another shell would have passed it.
    ///
    /// - Parameter keepsDoubleQuotes: Whether double quotes have a meaning of their own in the expression.
    func expression(of arguments: [String], keepsDoubleQuotes: Bool = false) throws(NotationError) -> String {
        let plain = arguments.map(ProtectedArgument.plain)
        guard plain.count == 1, !(keepsDoubleQuotes && plain[0].hasPrefix("\"")) else {
            return plain.joined(separator: " ")
        }
        return try text(of: plain[0])
    }
}
