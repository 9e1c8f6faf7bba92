import DocIndex
import StorePackages

/// An event from a source of records: a header or a schema, or a change.
enum InputEvent {
    /// The header of a dump.
    case header(DumpHeader)
    /// The schema of the dumped store.
    case schema(Schema)
    /// A part of the content of an attachment.
    case content(ContentPart)
    /// An attachment whose content is damaged, and the reason. Its other parts are left out.
    case damagedContent(Attachment.Digest, RecordError)
    case change(InputChange)
}

/// A record to store or to delete.
enum InputChange {
    case pair(key: [UInt8], value: [UInt8])
    case deletion(key: [UInt8])
    /// - Parameters:
    ///   - collection: `nil` for the collection of the command.
    ///   - id: `nil` if only the content contains it.
    case document(collection: String?, id: DocumentID?, content: DocumentObject)
    case documentDeletion(collection: String?, id: DocumentID)
    case replicated(ReplicatedDocument)

    /// The collection of the document; `nil` for a pair, or for the collection of the command.
    var collection: String? {
        switch self {
        case .pair, .deletion: nil
        case .document(let collection, _, _), .documentDeletion(let collection, _): collection
        case .replicated(let document): document.collection
        }
    }

    /// The objects that are stored for the change: the document, and its other versions.
    var contents: [DocumentObject] {
        switch self {
        case .pair, .deletion, .documentDeletion: []
        case .document(_, _, let content): [content]
        case .replicated(let document): document.contents
        }
    }

    /// Adds the change to a digest of all input.
    func add(to digest: inout ContentDigest) {
        switch self {
        case .pair(let key, let value): digest.add(key: key.span, value: value.span)
        case .deletion(let key): digest.add(deletionOf: key)
        case .document(let collection, let id, let content):
            digest.add(collection: collection ?? "", id: id ?? .string(""), content: content)
        case .documentDeletion(let collection, let id): digest.add(deletionOf: id, in: collection ?? "")
        case .replicated(let document):
            if let content = document.content {
                digest.add(collection: document.collection, id: document.id, content: content)
            } else {
                digest.add(deletionOf: document.id, in: document.collection)
            }
        }
    }
}
