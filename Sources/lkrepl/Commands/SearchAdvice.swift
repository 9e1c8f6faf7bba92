import DocIndex

/// Notes about a search on standard error.
struct SearchAdvice {
    let text: String
    let query: TextQuery
    let filter: Filter
    let collection: DocumentCollection
    let options: GlobalOptions

    private var isBox: Bool { if case .searchBox = query { true } else { false } }

    /// Names the operators of a search box that were not applied as typed.
    func noteOperators() {
        guard case .searchBox(let box) = query else { return }
        for note in box.notes { options.note("note: \(note)") }
    }

    /// Suggests similar words and less strict searches for a search that found nothing.
    func adviseAfterNothing() throws {
        if options.quiet { return }
        var advice: [String] = []
        if filter != .all, try collection.searchTotal(query, upTo: 1).count > 0 {
            advice.append("without the condition, the words are found")
        }
        let words = try collection.corrections(of: text, limit: 1).compactMap { correction in
            correction.suggestions.first.map {
                let documents = $0.documentCount == 1 ? "1 document" : "\($0.documentCount) documents"
                return "\($0.written) (\(documents)) instead of \(correction.word)"
            }
        }
        if !words.isEmpty { advice.append("did you mean \(words.joined(separator: ", "))?") }
        if advice.isEmpty, !isBox {
            let count = try collection.searchCount(.searchBox(collection.searchBox(text)), where: filter)
            if count > 0 {
                advice.append("\(count) \(count == 1 ? "has" : "have") some of the words; --box finds them")
            }
        }
        for line in advice { options.note("search: \(line)") }
    }
}
