// MARK: - Values in transactions

extension Transaction {
    /// Returns a value as seen by this transaction; `nil` if there is none.
    ///
    /// - Throws: the errors of ``TypedCollection/get(_:)-(Value.ID)``.
    public func get<Value>(_ id: Value.ID, in collection: TypedCollection<Value>) throws -> Value? {
        let id = try collection.documentID(id)
        return try document(id, in: collection.name).map(collection.value(of:))
    }

    /// Stores a value under its ID; see ``TypedCollection/put(_:if:durability:)``.
    ///
    /// ```swift
    /// try store.write { transaction in
    ///     try transaction.put(photo, in: photos)
    ///     try transaction.update("summer", in: albums) { $0.count += 1 }
    /// }
    /// ```
    public func put<Value>(
        _ value: Value, in collection: TypedCollection<Value>, if condition: Document.WriteCondition = .none
    ) throws {
        let id = try collection.documentID(value.id)
        let encoder = DocumentEncoder()
        let content =
            if let stored = try document(id, in: collection.name)?.content {
                try encoder.merge(saving: value, over: stored)
            } else {
                try encoder.encodeObject(value)
            }
        guard try idIfPresent(of: content, in: collection.name) == id else {
            throw DocIndexError(
                .invalidID,
                "\(Value.self) does not encode its id in the member that holds the id in \(collection.name); name "
                    + "that member in its coding keys, or declare the collection with another member for IDs")
        }
        try put(content, in: collection.name, if: condition)
    }

    /// Reads a value, changes it and writes it back; see ``TypedCollection/update(_:if:durability:_:)``. Within `body`,
    /// the document cannot be written in any other way.
    @discardableResult
    public func update<Value, R>(
        _ id: Value.ID, in collection: TypedCollection<Value>, if condition: Document.WriteCondition = .present,
        _ body: (inout Value) throws -> R
    ) throws -> R {
        let id = try collection.documentID(id)
        return try update(id, in: collection.name, if: condition) { try collection.change(&$0, id: id, body) }
    }

    /// Deletes the whole document with an ID; see ``TypedCollection/delete(_:if:durability:)``.
    @discardableResult
    public func delete<Value>(
        _ id: Value.ID, in collection: TypedCollection<Value>, if condition: Document.WriteCondition = .none
    ) throws -> Bool {
        try delete(try collection.documentID(id), in: collection.name, if: condition)
    }
}

extension TypedCollection {
    /// Changes the content of a document as a value. Only what `body` changes is written.
    func change<R>(_ content: inout DocumentObject, id: DocumentID, _ body: (inout Value) throws -> R) throws -> R {
        let encoder = DocumentEncoder()
        var value = try value(of: content, id: id)
        let old = try encoder.encode(value)
        let result = try body(&value)
        let new = try encoder.encode(value)
        if case .object(let changed) = DocumentValue.object(content).applying(changesFrom: old, to: new) {
            content = changed
        }
        return result
    }
}
