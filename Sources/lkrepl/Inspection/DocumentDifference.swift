import DocIndex

/// The differences between two document stores, document by document.
struct DocumentDifference {
    /// One difference.
    struct Item {
        let collection: String
        let id: DocumentID
        /// The document in the first store; `nil` if it does not exist.
        let first: DocumentObject?
        /// The document in the second store; `nil` if it does not exist.
        let second: DocumentObject?
    }

    let first: Session
    let second: Session

    /// Calls `body` with each difference, ordered by collection and document ID: in each collection first documents of
    /// the first store, then those only in the second.
    func forEach(_ body: (Item) throws -> Void) throws {
        let left = try Self.collections(of: first)
        let right = try Self.collections(of: second)
        for name in Set(left.keys).union(right.keys).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let text = String(decoding: name, as: UTF8.self)
            try left[name]?.forEach { document in
                try Interruption.check()
                let other = try right[name]?.document(document.id)?.content
                guard other != document.content else { return }
                try body(Item(collection: text, id: document.id, first: document.content, second: other))
            }
            try right[name]?.forEach { document in
                try Interruption.check()
                guard try left[name]?.document(document.id) == nil else { return }
                try body(Item(collection: text, id: document.id, first: nil, second: document.content))
            }
        }
    }

    private static func collections(of session: Session) throws -> [[UInt8]: DocumentCollection] {
        let collections = try session.store().snapshot().collections
        return Dictionary(collections.map { (Array($0.name.utf8), $0) }) { first, _ in first }
    }
}
