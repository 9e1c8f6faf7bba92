/// What may stand at the cursor.
struct Completion: Hashable, Sendable {
    /// One possibility.
    struct Candidate: Hashable, Sendable {
        /// What would be typed.
        var text: String
        /// What it is, for the list; empty for nothing.
        var note = ""
        /// Whether a space follows: a folder is not final, a command is.
        var isFinal = true
    }

    /// How many characters stand before what is completed.
    var start: Int
    var candidates: [Candidate]
    /// Whether candidates may be spelt otherwise than what was typed, as keys in quotes are.
    var replacesSpelling = false

    /// What all candidates begin with.
    var commonPrefix: String {
        guard let first = candidates.first else { return "" }
        return candidates.dropFirst().reduce(first.text) { prefix, candidate in
            String(zip(prefix, candidate.text).prefix { $0 == $1 }.map(\.0))
        }
    }
}

/// The candidates that Tab goes through, and what was typed, which comes last.
struct CompletionCycle: Sendable {
    /// How many characters stand before what is replaced.
    let start: Int
    private let texts: [String]
    private var position: Int

    init(start: Int, texts: [String], typed: String) {
        self.start = start
        self.texts = texts + [typed]
        position = texts.count
    }

    /// Goes `step` candidates on; the one that is put in now.
    mutating func advance(by step: Int) -> String {
        position = (position + step + texts.count) % texts.count
        return texts[position]
    }
}
