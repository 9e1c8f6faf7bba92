public import DocIndex

/// The documents of a collection as they should be, and the order in which they were first stored.
public struct DocumentModel: Sendable {
    private var places: [DocumentID: (place: Int, content: DocumentObject)] = [:]
    private var nextPlace = 0

    /// An empty collection.
    public init() {}

    /// The documents of an id; `nil` for none. A document that comes again after it went stands at the end.
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

    /// The ids, in no order.
    public var ids: [DocumentID] { Array(places.keys) }

    /// How many documents there are.
    public var count: Int { places.count }

    /// The documents in the order in which they were first stored.
    public var documents: [(id: DocumentID, content: DocumentObject)] {
        places.sorted { $0.value.place < $1.value.place }.map { ($0.key, $0.value.content) }
    }
}

extension NaiveQuery {
    /// The documents of the answer, in order.
    public static func answer(_ query: Query, among model: DocumentModel) -> [DocumentID] {
        answer(query, among: model.documents)
    }
}
