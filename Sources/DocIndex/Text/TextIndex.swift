internal import LevelKit

/// An index of the words in the texts of documents.
///
/// Its postings are in segments (``TextSegment``); documents that are in none yet are found in memory
/// (``PendingIndex``). The texts at all fields of the index count as one text when it is scored, and each posting says in
/// which fields it is. Values that are no text are passed over, and so are documents without a word.
final class TextIndex: DocumentIndex {
    let number: UInt32
    let definition: IndexDefinition
    /// How often a word in each field counts.
    let weights: [UInt32]
    /// What searches leave to one another.
    let tools = SearchTools()

    init(number: UInt32, definition: IndexDefinition) {
        self.number = number
        self.definition = definition
        weights = definition.components.map { UInt32(clamping: $0.weight) }
    }

    /// Whether postings say in which field they are.
    var hasFields: Bool { weights.count > 1 }

    /// The bits of all fields.
    var allFields: UInt32 { UInt32(truncatingIfNeeded: (UInt64(1) << UInt64(weights.count)) - 1) }

    /// The analyzers, each with the fields that have it.
    var analyzers: [(analyzer: TextAnalyzer, fields: UInt32)] {
        var analyzers: [(analyzer: TextAnalyzer, fields: UInt32)] = []
        for (field, component) in definition.components.enumerated() {
            let bit = UInt32(1) << UInt32(field)
            if let known = analyzers.firstIndex(where: { $0.analyzer == component.analyzer }) {
                analyzers[known].fields |= bit
            } else {
                analyzers.append((component.analyzer, bit))
            }
        }
        return analyzers
    }

    var entryPrefix: [UInt8] { StoreKeyspace.text.prefix(number) }

    func forEachEntry(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) throws {
        // What is stored of a document depends on those before it; see `TextVerifier`.
    }

    /// Notes the change; all changes of a batch are applied together by ``TextWriter``.
    func update(old: DocumentObject?, new: DocumentObject?, row: UInt64, in changes: inout IndexChanges) throws {
        if let old, let new, isUnchanged(from: old, to: new) { return }
        changes.texts[number, default: []].append(TextChange(row: row, old: old, new: new))
    }

    /// The error of a search in an index that another stemmer made.
    func otherStemmer(of collection: String) -> DocIndexError {
        DocIndexError(
            .unknownIndex,
            "the text index \(definition.name) of \(collection) was made with another version of the stemmer for "
                + "\(definition.languages.map(\.rawValue).joined(separator: ", ")), so words would not be found; rebuild it: "
                + "open the store for writing, or run `lkrepl index rebuild --write STORE \(collection) \(definition.name)`"
        )
    }

    /// Puts the words of a document into `words`, in place of those that are there.
    func analyze(_ document: DocumentObject, into words: inout AnalyzedDocument) {
        words.removeAll()
        if words.chains.isEmpty { words.chains = AnalysisChain.chains(definition.components.map(\.analyzer)) }
        for (field, component) in definition.components.enumerated() {
            component.path.forEachElement(in: document) { value in
                if case .string(let text) = value { words.append(text, field: field, weight: component.weight) }
            }
        }
    }
}

/// What a batch does to the texts of one document.
struct TextChange {
    let row: UInt64
    let old: DocumentObject?
    let new: DocumentObject?
}
