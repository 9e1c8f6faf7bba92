/// An incremental search of the history, like ^R in readline.
struct HistorySearch: Sendable {
    private(set) var pattern = ""
    /// The position of the found input in the history; `nil` while the new input is shown.
    private(set) var found: Int?
    /// Whether no further input matches.
    private(set) var isFailing = false
    /// The found input, with the cursor at the match.
    private(set) var shown: EditBuffer
    private let start: Int
    private var isForward: Bool

    init(from buffer: EditBuffer, isForward: Bool, position: Int) {
        shown = buffer
        start = position
        self.isForward = isForward
    }

    /// Extends the pattern. The shown input stays if it also matches the longer pattern.
    mutating func extend(by text: String, in history: [String]) {
        pattern += text
        find(from: found ?? start - (isForward ? 0 : 1), in: history)
    }

    /// Removes the last character of the pattern, and searches again from the start.
    mutating func shorten(in history: [String]) {
        guard !pattern.isEmpty else { return }
        pattern.removeLast()
        found = nil
        isFailing = false
        if !pattern.isEmpty { find(from: start - (isForward ? 0 : 1), in: history) }
    }

    /// Moves to the next matching input.
    mutating func findNext(isForward: Bool, in history: [String]) {
        self.isForward = isForward
        guard !pattern.isEmpty else { return }
        find(from: (found ?? start) + (isForward ? 1 : -1), in: history, passing: shown.text)
    }

    /// - Parameter known: An input to skip, because it is already shown.
    private mutating func find(from position: Int, in history: [String], passing known: String? = nil) {
        let positions =
            isForward
            ? Array(history.indices.filter { $0 >= position }) : history.indices.filter { $0 <= position }.reversed()
        for index in positions {
            guard let range = history[index].range(of: pattern), history[index] != known else { continue }
            found = index
            isFailing = false
            shown = EditBuffer(
                history[index], cursor: history[index].distance(from: history[index].startIndex, to: range))
            return
        }
        isFailing = true
    }
}

extension String {
    /// The start of the first occurrence of `part`; `nil` if there is none. Ignores case if `part` has no uppercase
    /// letters.
    fileprivate func range(of part: String) -> String.Index? {
        let folds = part.allSatisfy { !$0.isUppercase }
        let pattern = Array(part)
        guard !pattern.isEmpty else { return startIndex }
        var start = startIndex
        while start < endIndex {
            var index = start
            var length = 0
            while length < pattern.count, index < endIndex,
                self[index] == pattern[length] || folds && self[index].lowercased() == String(pattern[length])
            {
                index = self.index(after: index)
                length += 1
            }
            if length == pattern.count { return start }
            start = self.index(after: start)
        }
        return nil
    }
}
