/// Text wrapped to a width between words.
struct WrappedText {
    /// The columns of a line. A longer word gets a separate line.
    var width: Int

    /// The lines of a string in which each line is a paragraph.
    func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph($0) }
    }

    private func paragraph(_ text: Substring) -> [String] {
        guard DisplayWidth.columns(of: String(text)) > width else { return [String(text)] }
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last,
                DisplayWidth.columns(of: last) + 1 + DisplayWidth.columns(of: String(word)) <= width
            {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
