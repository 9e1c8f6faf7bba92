public import LevelKit

/// A collection whose documents are read and written as values of a Swift type.
///
/// ```swift
/// struct Photo: Codable, Identifiable {
///     var id: String
///     var caption: String?
///     var rating = 0
/// }
/// let photos = try store.collection("photos", of: Photo.self)
/// try photos.put(Photo(id: "IMG_0231", caption: "Fog", rating: 5))
/// try photos.update("IMG_0231") { $0.rating -= 1 }
/// let best = try photos.find("rating >= \(stars)", sort: "-rating", limit: 20)
/// ```
///
/// The schema of the store declares the collection and its indexes, as for documents; ``documents`` is the same
/// collection without the type. A value is stored by ``DocumentEncoder`` under its `id`, which must be encoded as a
/// string or an integer, in the member that the schema declares for IDs. `String`, the integer types, `UUID`,
/// ``DocumentID``, and types that encode themselves as one of these are suitable.
///
/// Documents can have members that the type does not know. No method removes them, except where it says so.
///
/// Typed collections may be copied and used from any thread.
public struct TypedCollection<Value: Codable & Identifiable> where Value.ID: Encodable {
    /// The documents of the collection.
    public let documents: DocumentCollection

    /// Creates the typed form of a collection. A collection of a ``StoreSnapshot`` stays pinned to the snapshot.
    public init(_ documents: DocumentCollection, of type: Value.Type = Value.self) { self.documents = documents }

    /// The store.
    public var store: DocumentStore { documents.store }
    /// The name.
    public var name: String { documents.name }
}

// The type contains no value.
extension TypedCollection: Sendable {}

extension DocumentStore {
    /// Returns the collection with a name, as a collection of values of a type.
    ///
    /// - Throws: ``DocIndexError`` with `unknownCollection`; the message lists the existing collections.
    public func collection<Value>(_ name: String, of type: Value.Type) throws -> TypedCollection<Value> {
        TypedCollection(try collection(name))
    }
}

// MARK: - Values and documents

extension TypedCollection {
    /// Returns the ID of a document.
    ///
    /// - Throws: ``DocIndexError`` with `invalidID` for an ID that is encoded neither as a string nor as an integer;
    ///   `EncodingError`.
    func documentID(_ id: Value.ID) throws -> DocumentID {
        guard let documentID = DocumentID(try DocumentEncoder().encode(id)) else {
            throw DocIndexError(
                .invalidID,
                "the id of \(Value.self) is a \(Value.ID.self), which is encoded neither as a string nor as an "
                    + "integer; use a type that is, such as String, Int or UUID")
        }
        return documentID
    }

    /// Decodes the content of a document.
    ///
    /// - Throws: `DecodingError` with the coding path, the document and the collection.
    func value(of content: DocumentObject, id: DocumentID) throws -> Value {
        do {
            return try DocumentDecoder().decode(Value.self, from: content)
        } catch let error as DecodingError {
            throw error.inDocument("in the document \(id) of \(name)")
        }
    }

    func value(of document: Document) throws -> Value { try value(of: document.content, id: document.id) }
}

extension DecodingError {
    /// Returns the error with a place added to its description.
    fileprivate func inDocument(_ place: String) -> DecodingError {
        func located(_ context: Context) -> Context {
            Context(
                codingPath: context.codingPath, debugDescription: "\(context.debugDescription) (\(place))",
                underlyingError: context.underlyingError)
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, located(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, located(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, located(context))
        case .dataCorrupted(let context): .dataCorrupted(located(context))
        @unknown default: self
        }
    }
}

// MARK: - Reading

extension TypedCollection {
    /// Returns the value with an ID; `nil` if there is none.
    ///
    /// - Throws: `DecodingError` if the document does not fit the type; ``DocIndexError``; `LevelError`.
    /// - Complexity: two lookups.
    public func get(_ id: Value.ID) throws -> Value? {
        let id = try documentID(id)
        return try documents.document(id).map(value(of:))
    }

    /// Returns the values with the given IDs, in that order and from one snapshot; `nil` for each missing value.
    ///
    /// - Throws: the errors of ``get(_:)-(Value.ID)``.
    public func get(_ ids: some Sequence<Value.ID>) throws -> [Value?] {
        try documents.documents(try ids.map(documentID)).map { try $0.map(value(of:)) }
    }

    /// Returns whether there is a value with that ID.
    ///
    /// - Complexity: one lookup.
    public func contains(_ id: Value.ID) throws -> Bool { try documents.contains(documentID(id)) }

    /// Calls `body` with each value in the order of IDs. All values are read from one snapshot.
    ///
    /// - Throws: what `body` throws; the errors of ``get(_:)-(Value.ID)``; `CancellationError` if the task is
    ///   canceled.
    public func forEach(_ body: (Value) throws -> Void) throws {
        try documents.forEach { try body(try value(of: $0)) }
    }

    /// Returns the number of values in the collection.
    ///
    /// - Complexity: O(1).
    public func count() throws -> Int { try documents.count() }
}

// MARK: - Writing

extension TypedCollection {
    /// Stores a value under its ID, whether or not there is one already.
    ///
    /// Members of the stored document that the type does not know are kept, at every depth of objects; see
    /// ``DocumentEncoder/merge(saving:over:)``. Arrays are replaced as a whole, including unknown members of the
    /// objects in them. ``update(_:if:durability:_:)`` keeps these too.
    ///
    /// - Parameters:
    ///   - value: the value to store.
    ///   - condition: the condition on the stored document.
    ///   - durability: the failure that the write survives: the end of the process, or a power loss.
    /// - Throws: ``DocIndexError``: `invalidID` if the value does not encode its ID as a string or an integer in the
    ///   member that the schema declares for IDs; `documentExists`, `documentMissing` or `conflict` if the condition
    ///   does not hold; `EncodingError` for a value that a document cannot contain.
    public func put(
        _ value: Value, if condition: Document.WriteCondition = .none, durability: Durability = .buffered
    ) throws {
        try store.write(durability: durability) { try $0.put(value, in: self, if: condition) }
    }

    /// Stores several values as one atomic batch; see ``put(_:if:durability:)``.
    public func put(contentsOf values: some Sequence<Value>, durability: Durability = .buffered) throws {
        try store.write(durability: durability) { transaction in
            for value in values { try transaction.put(value, in: self) }
        }
    }

    /// Stores a value that does not exist yet.
    ///
    /// - Throws: ``DocIndexError`` with `documentExists`; the errors of ``put(_:if:durability:)``.
    public func insert(_ value: Value, durability: Durability = .buffered) throws {
        try put(value, if: .absent, durability: durability)
    }

    /// Reads a value, changes it and writes it back, with no other write in between.
    ///
    /// ```swift
    /// try photos.update("IMG_0231") { $0.rating += 1 }
    /// ```
    ///
    /// Only what `body` changes is written. Members that the type does not know are kept, at every depth. In an array,
    /// an element that `body` leaves unchanged, or moves, keeps its unknown members. If as many elements were changed
    /// as replaced ones are left, each keeps those of the element at its place; otherwise changed elements are stored
    /// as they are.
    ///
    /// - Parameters:
    ///   - id: the ID.
    ///   - condition: the condition on the stored document.
    ///   - durability: the failure that the write survives: the end of the process, or a power loss.
    ///   - body: changes the value in place.
    /// - Returns: what `body` returns.
    /// - Throws: ``DocIndexError``: `documentMissing`; `invalidID` if `body` changes the ID; `conflict`; `DecodingError`
    ///   if the document does not fit the type; `EncodingError`; what `body` throws. If it throws, nothing has changed.
    @discardableResult
    public func update<R>(
        _ id: Value.ID, if condition: Document.WriteCondition = .present, durability: Durability = .buffered,
        _ body: (inout Value) throws -> R
    ) throws -> R {
        try store.write(durability: durability) { try $0.update(id, in: self, if: condition, body) }
    }

    /// Deletes the whole document with an ID.
    ///
    /// - Returns: whether it existed.
    /// - Throws: ``DocIndexError``: `documentMissing` or `conflict` if the condition does not hold.
    @discardableResult
    public func delete(
        _ id: Value.ID, if condition: Document.WriteCondition = .none, durability: Durability = .buffered
    ) throws -> Bool {
        try store.write(durability: durability) { try $0.delete(id, in: self, if: condition) }
    }
}
