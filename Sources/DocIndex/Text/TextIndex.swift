internal import LevelKit

/// An index of the words in the texts of documents.
///
/// Its postings are in segments (``TextSegment``); documents that are in none yet are found in memory
/// (``PendingIndex``). The texts at all fields of the index count as one text when it is scored, and each posting says in
/// which fields it is. Values that are no text are passed over, and so are documents without a word.
struct TextIndex: DocumentIndex {
    let number: UInt32
    let definition: IndexDefinition

    var entryPrefix: [UInt8] { StoreKeyspace.text.prefix(number) }

    /// Whether postings say in which field they are.
    var hasFields: Bool { definition.components.count > 1 }

    /// How often a word in each field counts.
    var weights: [UInt32] { definition.components.map { UInt32(clamping: $0.weight) } }

    /// The bits of all fields.
    var allFields: UInt32 { definition.components.indices.reduce(0) { $0 | 1 << UInt32($1) } }

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
