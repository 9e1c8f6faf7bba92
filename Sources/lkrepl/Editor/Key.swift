/// A key press.
enum Key: Hashable, Sendable {
    /// Characters to insert: one typed character, or the text committed by an input method.
    case text(String)
    /// Text from the clipboard. It is inserted and never executed, even if it contains newlines.
    case paste(String)
    /// A letter with Control, in lowercase.
    case control(Character)
    /// A letter with Alt, in lowercase, or another character with Alt.
    case alt(Character)
    case enter, tab, backTab, backspace, delete, escape
    case up, down, left, right, home, end
    case wordLeft, wordRight
    /// An unknown key; ignored.
    case unknown
}
