import DocIndex

/// What a source of records gives: what it holds, and then one change after the other.
enum InputEvent {
    /// What a dump says of itself.
    case header(DumpHeader)
    /// The schema of the store that a dump is of.
    case schema(Schema)
    case change(InputChange)
}

/// One thing to store or to delete.
enum InputChange {
    case pair(key: [UInt8], value: [UInt8])
    case deletion(key: [UInt8])
    /// - Parameters:
    ///   - collection: `nil` for the one that the command names.
    ///   - id: `nil` if the content alone has it.
    case document(collection: String?, id: DocumentID?, content: DocumentObject)
    case documentDeletion(collection: String?, id: DocumentID)

    /// The collection of the document; `nil` for a pair, and where the command names it.
    var collection: String? {
        switch self {
        case .pair, .deletion: nil
        case .document(let collection, _, _), .documentDeletion(let collection, _): collection
        }
    }

    /// Adds the change to a digest of all that was read.
    func add(to digest: inout ContentDigest) {
        switch self {
        case .pair(let key, let value): digest.add(key: key.span, value: value.span)
        case .deletion(let key): digest.add(deletionOf: key)
        case .document(let collection, let id, let content):
            digest.add(collection: collection ?? "", id: id ?? .string(""), content: content)
        case .documentDeletion(let collection, let id): digest.add(deletionOf: id, in: collection ?? "")
        }
    }
}
