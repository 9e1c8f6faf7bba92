/// A search through earlier inputs that goes on with each character, as ^R of readline.
struct HistorySearch: Sendable {
    private(set) var pattern = ""
    /// Which earlier input was found; `nil` while the new one is shown.
    private(set) var found: Int?
    /// Whether no (further) input has the pattern.
    private(set) var isFailing = false
    /// What is shown: the input that was found, with the cursor at the pattern.
    private(set) var shown: EditBuffer
    private let start: Int
    private var isForward: Bool

    init(from buffer: EditBuffer, isForward: Bool, position: Int) {
        shown = buffer
        start = position
        self.isForward = isForward
    }

    /// Adds to the pattern; what is shown stays if it has the longer one too.
    mutating func extend(by text: String, in history: [String]) {
        pattern += text
        find(from: found ?? start - (isForward ? 0 : 1), in: history)
    }

    /// Takes the last character off the pattern, and searches from the beginning.
    mutating func shorten(in history: [String]) {
        guard !pattern.isEmpty else { return }
        pattern.removeLast()
        found = nil
        isFailing = false
        if !pattern.isEmpty { find(from: start - (isForward ? 0 : 1), in: history) }
    }

    /// Goes on to the next input that has the pattern.
    mutating func findNext(isForward: Bool, in history: [String]) {
        self.isForward = isForward
        guard !pattern.isEmpty else { return }
        find(from: (found ?? start) + (isForward ? 1 : -1), in: history, passing: shown.text)
    }

    /// - Parameter known: an input that is shown already; found again further on it tells nothing.
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
    /// Where `part` begins, small and large letters alike if it has no large ones; `nil` if it does not occur.
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
