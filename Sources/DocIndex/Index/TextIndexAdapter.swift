/// Adapts a text index to ``DocumentIndex``.
struct TextIndexAdapter: DocumentIndex {
    let definition: IndexDefinition
    let text: TextIndex

    init(number: UInt32, definition: IndexDefinition) {
        self.definition = definition
        text = TextIndex(
            number: number, name: definition.name,
            fields: definition.components.map {
                TextField(path: $0.path, weight: $0.weight, analyzer: $0.analyzer)
            },
            languages: definition.languageField.map {
                DocumentLanguages(path: $0, languages: definition.documentLanguages)
            })
    }

    var number: UInt32 { text.number }

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
}
