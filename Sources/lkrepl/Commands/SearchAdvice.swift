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

    /// Says that nothing was found, with similar words and less strict searches that find something.
    func noteNothingFound() throws {
        if options.quiet { return }
        var advice: [String] = []
        if filter != .all, try collection.searchTotal(query, upTo: 0).isExact == false {
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
        options.note("no document matches" + (advice.isEmpty ? "" : "; " + advice.joined(separator: "; ")))
    }
}
