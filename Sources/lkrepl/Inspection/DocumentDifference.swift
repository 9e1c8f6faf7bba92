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
        /// The revisions in both stores, if only they differ.
        var revisions: (first: [String], second: [String])?

        /// Whether the documents have the same members in another order, as after a table without types.
        var differsInOrderAlone: Bool {
            guard let first, let second else { return false }
            return Self.sorted(first) == Self.sorted(second)
        }

        /// The text of a document with its members in the order of their names.
        private static func sorted(_ content: DocumentObject) -> [UInt8] {
            var text: [UInt8] = []
            JSONWriter(sortsNames: true, notation: .tagged).write(.object(content), to: &text)
            return text
        }
    }

    let first: Session
    let second: Session
    /// Whether equal documents with different revisions differ.
    var comparesRevisions = false

    /// Calls `body` with each difference, ordered by collection and document ID: in each collection first documents of
    /// the first store, then those only in the second.
    func forEach(_ body: (Item) throws -> Void) throws {
        let left = try Self.collections(of: first)
        let right = try Self.collections(of: second)
        for name in Set(left.keys).union(right.keys).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let text = String(decoding: name, as: UTF8.self)
            try left[name]?.forEach { document in
                try Interruption.check()
                let other = try right[name]?.document(document.id)
                guard other?.content == document.content else {
                    return try body(
                        Item(collection: text, id: document.id, first: document.content, second: other?.content))
                }
                guard comparesRevisions, let other else { return }
                let revisions = try (
                    first: Self.revisions(of: document, in: left[name]),
                    second: Self.revisions(of: other, in: right[name])
                )
                guard revisions.first != revisions.second else { return }
                try body(Item(collection: text, id: document.id, first: nil, second: nil, revisions: revisions))
            }
            try right[name]?.forEach { document in
                try Interruption.check()
                guard try left[name]?.document(document.id) == nil else { return }
                try body(Item(collection: text, id: document.id, first: nil, second: document.content))
            }
        }
    }

    /// The leaves of a document, the winner first.
    private static func revisions(of document: Document, in collection: DocumentCollection?) throws -> [String] {
        try collection?.leaves(of: document).map { "\($0.path.revision)" + ($0.isDeleted ? " deleted" : "") } ?? []
    }

    private static func collections(of session: Session) throws -> [[UInt8]: DocumentCollection] {
        let collections = try session.store().snapshot().collections
        return Dictionary(collections.map { (Array($0.name.utf8), $0) }) { first, _ in first }
    }
}
