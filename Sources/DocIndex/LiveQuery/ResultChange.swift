extension DocumentCollection.LiveQuery {
    /// One step from a result to the next. Steps must be applied in order; each index refers to the result after the
    /// preceding steps.
    public enum Change: Sendable, Hashable {
        /// A document was inserted at this index.
        case inserted(Document, at: Int)
        /// A document was removed from this index.
        case removed(DocumentID, at: Int)
        /// A document changed and moved: it was removed at the first index and inserted at the second.
        case moved(Document, from: Int, to: Int)
        /// A document changed but stayed at this index.
        case updated(Document, at: Int)
    }
}

extension DocumentCollection.LiveQuery {
    /// A change of a query result.
    public struct Update: Sendable, Hashable {
        /// The steps; in the first update, an insertion for each document of the result.
        public let changes: [DocumentCollection.LiveQuery.Change]
        /// The last commit that the update includes.
        public let sequence: UInt64

        /// Applies the update to a result.
        ///
        /// - Precondition: `documents` is the result of applying all previous updates.
        public func apply(to documents: inout [Document]) {
            for change in changes {
                switch change {
                case .inserted(let document, let place): documents.insert(document, at: place)
                case .removed(_, let place): documents.remove(at: place)
                case .moved(let document, let from, let to):
                    documents.remove(at: from)
                    documents.insert(document, at: to)
                case .updated(let document, let place): documents[place] = document
                }
            }
        }
    }
}
