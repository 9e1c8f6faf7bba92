/// What a user pressed.
enum Key: Hashable, Sendable {
    /// Characters to insert: of a letter, or of whatever the input method made at once.
    case text(String)
    /// Text from the clipboard, which never acts: a newline in it is a newline.
    case paste(String)
    /// A letter with Control, in lower case.
    case control(Character)
    /// A letter with Alt, in lower case, or another character with it.
    case alt(Character)
    case enter, tab, backTab, backspace, delete, escape
    case up, down, left, right, home, end
    case wordLeft, wordRight
    /// A key of which nothing is known; ignored.
    case unknown
}
