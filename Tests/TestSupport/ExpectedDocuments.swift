public import DocIndex

/// The expected documents of a collection, and the order in which they were first stored.
public struct ExpectedDocuments: Sendable {
    private var places: [DocumentID: (place: Int, content: DocumentObject)] = [:]
    private var nextPlace = 0

    /// Creates an empty collection.
    public init() {}

    /// The document with an ID, or `nil` if there is none. A document that is stored again after a deletion moves to
    /// the end.
    public subscript(id: DocumentID) -> DocumentObject? {
        get { places[id]?.content }
        set {
            if let newValue {
                let place = places[id]?.place ?? nextPlace
                if place == nextPlace { nextPlace += 1 }
                places[id] = (place, newValue)
            } else {
                places[id] = nil
            }
        }
    }

    /// The document IDs, in unspecified order.
    public var ids: [DocumentID] { Array(places.keys) }

    /// The number of documents.
    public var count: Int { places.count }

    /// The documents in the order in which they were first stored.
    public var documents: [(id: DocumentID, content: DocumentObject)] {
        places.sorted { $0.value.place < $1.value.place }.map { ($0.key, $0.value.content) }
    }
}

extension NaiveQuery {
    /// Returns the IDs of the documents that match a query, in result order.
    public static func answer(_ query: Query, among model: ExpectedDocuments) -> [DocumentID] {
        answer(query, among: model.documents)
    }
}
