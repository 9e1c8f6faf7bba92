public import LevelKit

// MARK: - Swift types

extension DocumentCollection {
    /// Returns the document with an ID, decoded as a Swift type; `nil` if there is none.
    ///
    /// - Throws: `DecodingError` with the path if the document does not fit the type; ``DocIndexError``; `LevelError`.
    public func document<T: Decodable>(_ id: DocumentID, as type: T.Type) throws -> T? {
        try document(id).map { try DocumentDecoder().decode(type, from: $0.content) }
    }

    /// Returns the decoded documents that satisfy a condition; see ``find(_:sort:limit:)-(FilterText,_,_)``.
    /// Interpolated values are bound.
    public func find<T: Decodable>(
        _ condition: FilterText, sort: String? = nil, limit: Int? = nil, as type: T.Type
    ) throws -> [T] {
        try find(condition, sort: sort, limit: limit).map { try DocumentDecoder().decode(type, from: $0.content) }
    }

    /// Stores a value under its ID. Members of the stored document that the type does not declare are kept; see
    /// ``DocumentEncoder/merge(saving:over:)``.
    ///
    /// ```swift
    /// struct Photo: Codable {
    ///     var id: String
    ///     var caption: String?
    ///     var rating: Int?
    /// }
    /// try photos.put(encoding: Photo(id: "IMG_0231", caption: "Fog", rating: 5))
    /// let photo = try photos.document("IMG_0231", as: Photo.self)
    /// ```
    ///
    /// - Parameters:
    ///   - value: the value to store.
    ///   - condition: the condition on the stored document.
    ///   - durability: the failure that the write survives: the end of the process, or a power loss.
    /// - Returns: the ID.
    /// - Throws: `EncodingError` with the path for a value that a document cannot contain; the errors of
    ///   ``Transaction/put(_:in:if:)->_``.
    @discardableResult
    public func put(
        encoding value: some Encodable, if condition: Document.WriteCondition = .none,
        durability: Durability = .buffered
    ) throws -> DocumentID {
        try store.write(durability: durability) { try $0.put(encoding: value, in: name, if: condition) }
    }
}

extension Transaction {
    /// Stores a value under its ID; see ``DocumentCollection/put(encoding:if:durability:)``.
    @discardableResult
    public func put(
        encoding value: some Encodable, in collection: String, if condition: Document.WriteCondition = .none
    ) throws -> DocumentID {
        let encoder = DocumentEncoder()
        let content = try encoder.encodeObject(value)
        guard let id = try idIfPresent(of: content, in: collection),
            let stored = try document(id, in: collection)?.content
        else { return try put(content, in: collection, if: condition) }
        return try put(try encoder.merge(saving: value, over: stored), in: collection, if: condition)
    }

    /// Returns a document as seen by this transaction, decoded as a Swift type; `nil` if there is none.
    public func document<T: Decodable>(
        _ id: DocumentID, in collection: String, as type: T.Type
    ) throws -> T? {
        try document(id, in: collection).map { try DocumentDecoder().decode(type, from: $0.content) }
    }
}
