/// Converts visible content to terminal output; a pure function except for the cursor's row and the number of rows.
///
/// The terminal is never queried for its cursor position: such queries fail on simple pseudo-terminals. Instead, lines
/// are wrapped here rather than by the terminal, so that all positions are known. The only controls used are carriage
/// return, line feed, cursor up and right, and erase to the end of the screen.
struct ScreenPainter: Sendable {
    /// The content to show.
    struct Content: Hashable, Sendable {
        var prompt = ""
        var promptStyle = TextStyle.prompt
        /// Precedes the second and following lines of the input.
        var continuation = "...> "
        var text = ""
        /// A style for each character of the text; missing entries are plain.
        var styles: [TextStyle] = []
        /// The number of characters of the text before the cursor.
        var cursor = 0
        /// Shown after the text, truncated to the row.
        var hint = ""
    }

    private struct Cell {
        var text: String
        var style: TextStyle
    }

    /// The columns of the terminal.
    var width: Int
    /// The rows of the terminal. Of a longer input, the part around the cursor is shown.
    var height: Int
    /// Whether color escape sequences may be sent.
    var isStyled: Bool

    /// The row of the cursor, relative to the first row of the input on the screen.
    private var cursorRow = 0
    /// The number of rows of the input on the screen.
    private var rowCount = 0

    init(width: Int, height: Int, isStyled: Bool) {
        self.width = max(2, width)
        self.height = max(2, height)
        self.isStyled = isStyled
    }

    /// Replaces the previously drawn content and positions the cursor.
    mutating func paint(_ content: Content) -> String {
        var (rows, cursor) = layout(content)
        if rows.count > height {
            let first = min(max(0, cursor.row - height + 1), rows.count - height)
            rows = Array(rows[first..<(first + height)])
            cursor.row -= first
        }
        var output = toFirstRow() + "\u{1b}[J"
        output += rows.map(text).joined(separator: "\r\n")
        output += Self.up(rows.count - 1 - cursor.row) + "\r" + Self.right(cursor.column)
        cursorRow = cursor.row
        rowCount = rows.count
        return output
    }

    /// Keeps the drawn content, and moves below it for further output.
    mutating func leave() -> String {
        let down = rowCount == 0 ? "" : String(repeating: "\n", count: rowCount - cursorRow) + "\r"
        cursorRow = 0
        rowCount = 0
        return down
    }

    /// Clears the screen; the next painting begins at the top.
    mutating func clearScreen() -> String {
        cursorRow = 0
        rowCount = 0
        return "\u{1b}[H\u{1b}[2J"
    }

    private func toFirstRow() -> String { "\r" + Self.up(cursorRow) }

    private static func up(_ count: Int) -> String { count > 0 ? "\u{1b}[\(count)A" : "" }
    private static func right(_ count: Int) -> String { count > 0 ? "\u{1b}[\(count)C" : "" }

    // MARK: - Layout

    /// The rows of the content, and the cursor position in them.
    private func layout(_ content: Content) -> (rows: [[Cell]], cursor: (row: Int, column: Int)) {
        var rows: [[Cell]] = [[]]
        var column = 0
        var cursor: (row: Int, column: Int)?
        func append(_ text: String, _ style: TextStyle) {
            let columns = DisplayWidth.columns(of: text)
            if column + columns > width {
                rows.append([])
                column = 0
            }
            rows[rows.count - 1].append(Cell(text: text, style: style))
            column += columns
        }
        for character in content.prompt { append(String(character), content.promptStyle) }
        for (index, character) in content.text.enumerated() {
            if index == content.cursor { cursor = (rows.count - 1, column) }
            if character == "\n" {
                rows.append([])
                column = 0
                for character in content.continuation { append(String(character), content.promptStyle) }
                continue
            }
            let style = index < content.styles.count ? content.styles[index] : .plain
            // A character that cannot be shown directly takes several cells, between which rows may break.
            for cell in Self.visible(character) { append(cell, style) }
            // If the character was wrapped to a new row, the cursor moves with it.
            if index == content.cursor, rows.count - 1 > (cursor?.row ?? 0), rows[rows.count - 1].count == 1 {
                cursor = (rows.count - 1, 0)
            }
        }
        var end = cursor ?? (rows.count - 1, column)
        if cursor == nil, column == width {
            // The cursor is after a full row.
            rows.append([])
            end = (rows.count - 1, 0)
            column = 0
        }
        if cursor == nil, !content.hint.isEmpty {
            let hint = DisplayWidth.truncated(content.hint, to: width - column - 1)
            rows[rows.count - 1].append(Cell(text: VisibleText.singleLine(hint), style: .hint))
        }
        return (rows, end)
    }

    private static func visible(_ character: Character) -> [String] {
        if character == "\t" { return [" ", " ", " ", " "] }
        let text = VisibleText.singleLine(String(character))
        if DisplayWidth.columns(of: text) == 0 { return ["\u{25cc}" + text] }
        return text.count == 1 ? [text] : text.map { String($0) }
    }

    private func text(of row: [Cell]) -> String {
        guard isStyled else { return row.map(\.text).joined() }
        var output = ""
        var current = TextStyle.plain
        for cell in row where !cell.text.isEmpty {
            if cell.style != current {
                if current != .plain { output += "\u{1b}[0m" }
                if cell.style != .plain { output += "\u{1b}[\(cell.style.parameters)m" }
                current = cell.style
            }
            output += cell.text
        }
        return current == .plain ? output : output + "\u{1b}[0m"
    }
}
