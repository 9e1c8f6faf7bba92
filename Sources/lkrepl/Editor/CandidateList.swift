/// Formats completion candidates in columns, like `ls`; a pure function.
enum CandidateList {
    /// The formatted list; each line ends with a line feed.
    ///
    /// - Parameter rowLimit: The maximum number of rows. If there are more, the last row says how many are omitted.
    static func text(_ candidates: [Completion.Candidate], width: Int, rowLimit: Int) -> String {
        let hasNotes = candidates.contains { !$0.note.isEmpty }
        let names = candidates.map { VisibleText.singleLine($0.text) }
        let nameWidth = min(names.map { DisplayWidth.columns(of: $0) }.max() ?? 0, width - 1)
        var lines: [String] = []
        if hasNotes {
            for (name, candidate) in zip(names, candidates) {
                let line = padded(name, to: nameWidth) + "  " + VisibleText.singleLine(candidate.note)
                lines.append(DisplayWidth.truncated(line, to: width - 1))
            }
        } else {
            let columnCount = max(1, (width - 1) / (nameWidth + 2))
            let rowCount = (names.count + columnCount - 1) / columnCount
            for row in 0..<rowCount {
                let cells = stride(from: row, to: names.count, by: rowCount).map {
                    padded(names[$0], to: nameWidth + 2)
                }
                lines.append(DisplayWidth.truncated(String(cells.joined().trimmingSuffix { $0 == " " }), to: width - 1))
            }
        }
        guard lines.count > rowLimit else { return lines.map { $0 + "\n" }.joined() }
        let shown = lines.prefix(rowLimit - 1)
        return shown.map { $0 + "\n" }.joined() + "… \(lines.count - shown.count) more rows\n"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - DisplayWidth.columns(of: text)))
    }
}

extension String {
    fileprivate func trimmingSuffix(while condition: (Character) -> Bool) -> Substring {
        var end = endIndex
        while end > startIndex, condition(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
