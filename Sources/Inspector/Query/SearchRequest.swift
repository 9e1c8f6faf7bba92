internal import DocIndex

/// A search as in a search box, with a condition.
struct SearchRequest: Sendable {
    static let names = ["q", "where", "limit"]

    /// The words; empty for none.
    let words: String
    let filter: Filter
    let limit: Int

    init(_ parameters: Parameters) throws {
        words = parameters["q"] ?? ""
        filter = try parameters.filter()
        limit = try parameters.number("limit", in: 1...200) ?? 20
    }

    /// The results of a search.
    struct Result: Sendable {
        struct Hit: Sendable {
            let id: DocumentID
            let score: Double
            /// A value that describes the document.
            let title: String
            let snippets: [(field: String, text: MarkedText)]
        }

        let hits: [Hit]
        let total: TextQuery.Total?
        let notes: [String]
        /// Words that were probably meant, if little was found.
        let corrections: [DocumentCollection.Correction]
        let milliseconds: Double
    }

    /// Searches a collection.
    ///
    /// - Throws: `DocIndexError` with `unknownIndex` if it has no text index.
    func run(on collection: ReadableCollection) throws -> Result {
        let begin = ContinuousClock.now
        let box = collection.searchBox(words, isTyping: false)
        let query = TextQuery.searchBox(box)
        let definition = collection.definition
        let found = try collection.search(query, where: filter, limit: limit)
        let hits = found.map { hit in
            Result.Hit(
                id: hit.document.id, score: (hit.score * 1000).rounded() / 1000,
                title: Self.title(of: hit.document.content, idField: definition.idField),
                snippets: MarkedText.snippets(of: hit.document.content, for: query, in: definition))
        }
        let total = filter == .all ? try collection.count(matching: query, upTo: 1000) : nil
        let corrections =
            hits.count < 3 || hits.allSatisfy(\.snippets.isEmpty) ? try collection.corrections(of: words) : []
        let time = (ContinuousClock.now - begin) / .milliseconds(1)
        return Result(
            hits: hits, total: total, notes: box.notes.map { "\($0)" }, corrections: corrections,
            milliseconds: (time * 1000).rounded() / 1000)
    }

    /// The first string that is not the ID.
    private static func title(of content: DocumentObject, idField: String) -> String {
        let names = ["title", "name", "caption"]
        let usual = names.lazy.compactMap { content[$0]?.stringValue }.first
        return CellText.cut(usual ?? "", CellText.limit)
    }
}
