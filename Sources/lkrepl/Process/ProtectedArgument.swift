/// An argument with a mark in front, so that ArgumentParser does not read it as an option.
enum ProtectedArgument {
    /// The prefix of an argument that must not be read as an option. It is a character that cannot be typed by
    /// accident.
    static let mark = "\u{1}"

    /// The argument as typed, without the mark.
    static func plain(_ argument: String) -> String {
        argument.hasPrefix(mark) ? String(argument.dropFirst(mark.count)) : argument
    }
}
