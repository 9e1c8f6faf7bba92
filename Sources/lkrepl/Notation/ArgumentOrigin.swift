/// Where the arguments being parsed were typed, which decides who removes the quotes of ordinary text.
///
/// The rule: **arguments travel in their raw spelling, and the type of an argument decides how it is read.**
///
/// | argument | typed in lkrepl's shell | in the arguments of the process |
/// |---|---|---|
/// | key, value, bound (bytes) | ``ByteNotation/parse(_:)-(String)`` | the same |
/// | file, name, pattern, search text | ``text(of:)`` removes the quotes | as it is: the user's shell removed them |
/// | query expression | its own grammar, which needs the quotes | the same |
/// | number, mode, flag | as it is; it needs no quotes | the same |
///
/// Removing quotes in the tokenizer instead would lose what bytes need (`'0x41'` is four characters, `0x41` one byte)
/// and what expressions need (`title = "a b"`). Removing them here without knowing the origin would lose the quotes of
/// `lkrepl search DB photos '"exact phrase"'`. So the shell parses its commands under
/// `ArgumentOrigin.$current.withValue(.shell) { … }`.
enum ArgumentOrigin: Sendable {
    /// The arguments of the process: another shell has removed the quotes.
    case process
    /// A line of lkrepl's own shell or of a script for it: the quotes are still there.
    case shell

    /// The origin of the arguments that this task is parsing.
    @TaskLocal static var current = ArgumentOrigin.process

    /// What an ordinary text argument means.
    ///
    /// In the shell an argument that begins with a quote is read as byte notation reads it; any other is taken as it
    /// is, backslashes and `0x` included. Throws if the quotes are ill-formed or enclose bytes that are not UTF-8.
    func text(of argument: String) throws(NotationError) -> String {
        guard self == .shell, argument.hasPrefix("\"") || argument.hasPrefix("'") else { return argument }
        let bytes = try ByteNotation.parse(argument)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw NotationError(column: 1, message: "text is expected here, and these bytes are not UTF-8")
        }
        return text
    }

    /// What several arguments of an expression mean: themselves, with spaces between them.
    ///
    /// In the shell a single argument in quotes is the text between them, as another shell would have passed it on.
    ///
    /// - Parameter keepsDoubleQuotes: whether double quotes have a meaning of their own in the expression.
    func expression(of arguments: [String], keepsDoubleQuotes: Bool = false) throws(NotationError) -> String {
        let plain = arguments.map(Invocation.plain)
        guard plain.count == 1, !(keepsDoubleQuotes && plain[0].hasPrefix("\"")) else {
            return plain.joined(separator: " ")
        }
        return try text(of: plain[0])
    }
}
