/// One step from a result to the next. Steps are applied in their order; each place is one in the result as the steps
/// before have left it.
public enum ResultChange: Sendable, Hashable {
    /// A document came into the result, at this place.
    case inserted(Document, at: Int)
    /// A document left the result.
    case removed(DocumentID, at: Int)
    /// A document of the result changed, and stands elsewhere now: it was taken out at one place, and put in at another.
    case moved(Document, from: Int, to: Int)
    /// A document of the result changed, and stands where it stood.
    case updated(Document, at: Int)
}

/// What happened to the result of a query.
public struct ResultUpdate: Sendable, Hashable {
    /// The steps; of the first update, an insertion for each document of the result.
    public let changes: [ResultChange]
    /// The last commit that is taken into account.
    public let sequence: UInt64

    /// Brings a result to the next one.
    ///
    /// - Precondition: it is the result that the updates before gave.
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
