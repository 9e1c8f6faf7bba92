@testable import lkrepl

/// A terminal without a display: interprets what ``ScreenPainter`` sends, and traps on anything else.
///
/// Wraps like xterm: after a character in the last column the cursor stays there, and the next character goes to a new
/// row.
struct VirtualScreen {
    let width: Int
    /// The rows, each a list of cells; the second cell of a wide character is empty.
    private(set) var rows: [[String]] = [[]]
    private(set) var row = 0
    private(set) var column = 0
    private var wrapsNext = false

    init(width: Int) { self.width = width }

    /// The text of each row, without trailing spaces.
    var lines: [String] {
        var lines = rows.map { cells in
            var text = cells.joined()
            while text.last == " " { text.removeLast() }
            return text
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    mutating func feed(_ text: String) {
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "\u{1b}": escape(&rest)
            case "\r\n":
                column = 0
                lineFeed()
            case "\r":
                column = 0
                wrapsNext = false
            case "\n":
                // Output processing of the terminal is enabled.
                column = 0
                lineFeed()
            case "\u{7}": break
            default: put(character)
            }
        }
    }

    private mutating func lineFeed() {
        wrapsNext = false
        row += 1
        while rows.count <= row { rows.append([]) }
    }

    private mutating func put(_ character: Character) {
        let columns = DisplayWidth.columns(of: character)
        precondition(columns > 0, "a character without a width of its own was sent alone: \(character.unicodeScalars)")
        if wrapsNext || column + columns > width {
            column = 0
            lineFeed()
        }
        while rows[row].count < column + columns { rows[row].append(" ") }
        rows[row][column] = String(character)
        if columns == 2 { rows[row][column + 1] = "" }
        column += columns
        if column == width {
            column = width - 1
            wrapsNext = true
        }
    }

    private mutating func escape(_ rest: inout Substring) {
        precondition(rest.popFirst() == "[", "only CSI sequences are used")
        let parameters = rest.prefix { !$0.isLetter }
        rest = rest.dropFirst(parameters.count)
        let count = Int(parameters) ?? 1
        switch rest.popFirst() {
        case "A":
            row -= count
            precondition(row >= 0, "the cursor left the screen")
            wrapsNext = false
        case "C":
            column = min(width - 1, column + count)
            wrapsNext = false
        case "J" where parameters.isEmpty:
            rows[row] = Array(rows[row].prefix(column))
            rows.removeSubrange((row + 1)...)
        case "m": break
        case "h" where parameters == "?2004", "l" where parameters == "?2004": break
        case let final: preconditionFailure("unknown sequence \(parameters)\(final.map(String.init) ?? "")")
        }
    }
}
