internal import LevelKit

/// A full-text index of the string fields of documents.
///
/// Postings are stored in segments (``TextSegment``); documents not yet in a segment are searched in memory
/// (``InMemoryIndex``). For scoring, all fields of the index count as one text; each posting records the fields in which
/// the term occurs. Values that are not strings and documents without words are ignored.
final class TextIndex: DocumentIndex {
    let number: UInt32
    let definition: IndexDefinition
    /// The weight of an occurrence in each field.
    let weights: [UInt32]
    /// Objects that searches reuse.
    let tools = SearchTools()

    init(number: UInt32, definition: IndexDefinition) {
        self.number = number
        self.definition = definition
        weights = definition.components.map { UInt32(clamping: $0.weight) }
    }

    /// Whether postings record their fields.
    var hasFields: Bool { weights.count > 1 }

    /// The bits of all fields.
    var allFields: UInt32 { UInt32(truncatingIfNeeded: (UInt64(1) << UInt64(weights.count)) - 1) }

    /// The distinct analyzers, each with the fields that use it.
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

    var entryPrefix: [UInt8] { StoreKey.text.prefix(number) }

    func forEachEntry(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) throws {
        // The stored entries of a document depend on earlier documents; see `TextVerifier`.
    }

    /// Records the change. ``TextIndexWriter`` applies all changes of a batch together.
    func update(old: DocumentObject?, new: DocumentObject?, row: UInt64, in changes: inout IndexChanges) throws {
        if let old, let new, isUnchanged(from: old, to: new) { return }
        changes.texts[number, default: []].append(TextChange(row: row, old: old, new: new))
    }

    /// Returns the error for a search in an index that was built with another version of the stemmer.
    func otherStemmer(of collection: String) -> DocIndexError {
        DocIndexError(
            .unknownIndex,
            "the text index \(definition.name) of \(collection) was built with another version of the stemmer for "
                + "\(definition.languages.map(\.rawValue).joined(separator: ", ")), so words would not be found; rebuild it: "
                + "open the store for writing, or run `lkrepl index rebuild --write STORE \(collection) \(definition.name)`"
        )
    }

    /// Replaces the contents of `words` with the words of a document.
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

/// The change of one document in a batch.
struct TextChange {
    let row: UInt64
    let old: DocumentObject?
    let new: DocumentObject?
}
