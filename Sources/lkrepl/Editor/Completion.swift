/// The candidates for the word at the cursor.
struct Completion: Hashable, Sendable {
    /// One candidate.
    struct Candidate: Hashable, Sendable {
        /// The text to insert.
        var text: String
        /// A description for the list; empty for none.
        var note = ""
        /// Whether a space is inserted after it: true for a command, false for a directory.
        var isFinal = true
    }

    /// The number of characters before the text to complete.
    var start: Int
    var candidates: [Candidate]
    /// Whether candidates may be spelled differently from the typed text, such as quoted keys.
    var replacesSpelling = false

    /// The longest common prefix of all candidates.
    var commonPrefix: String {
        guard let first = candidates.first else { return "" }
        return candidates.dropFirst().reduce(first.text) { prefix, candidate in
            String(zip(prefix, candidate.text).prefix { $0 == $1 }.map(\.0))
        }
    }
}

/// The candidates that Tab cycles through; the typed text comes last.
struct CompletionCycle: Sendable {
    /// The number of characters before the text to replace.
    let start: Int
    private let texts: [String]
    private var position: Int

    init(start: Int, texts: [String], typed: String) {
        self.start = start
        self.texts = texts + [typed]
        position = texts.count
    }

    /// Advances by `step` candidates and returns the new one.
    mutating func advance(by step: Int) -> String {
        position = (position + step + texts.count) % texts.count
        return texts[position]
    }
}
