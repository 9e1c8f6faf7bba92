// MARK: - Changing many values

extension TypedCollection {
    /// Updates every document that satisfies a condition, without decoding it as a value. Interpolated values are bound
    /// in the condition and in the assignments.
    ///
    /// ```swift
    /// try photos.update(where: "year < \(year)", "rating = 5, keywords += \(word)")
    /// ```
    ///
    /// - Throws: the errors of ``DocumentCollection/update(where:_:options:progress:)-(Filter,DocumentUpdate,_,_)``. The
    ///   types of values are not checked.
    @discardableResult
    public func update(
        where condition: FilterText, _ assignments: FilterText, options: BulkChange.Options = BulkChange.Options()
    ) throws -> BulkChange.Summary {
        try documents.update(where: condition, assignments, options: options)
    }

    /// Changes every value that satisfies a condition. As in ``update(_:if:durability:_:)``, only what `body` changes is
    /// written, and members that the type does not know are kept.
    ///
    /// ```swift
    /// try photos.updateEach(where: "rating >= 4") { $0.rating += 1 }
    /// ```
    ///
    /// - Throws: `DecodingError` if a document does not fit the type; `EncodingError`; what `body` throws; the errors of
    ///   ``DocumentCollection/updateEach(where:options:progress:_:)``.
    @discardableResult
    public func updateEach(
        where condition: FilterText, options: BulkChange.Options = BulkChange.Options(),
        _ body: (inout Value) throws -> Void
    ) throws -> BulkChange.Summary {
        try documents.updateEach(where: try Filter(condition), options: options) { content, id in
            try change(&content, id: id, body)
        }
    }

    /// Deletes every document that satisfies a condition; see
    /// ``DocumentCollection/delete(where:options:progress:)-(Filter,_,_)``.
    @discardableResult
    public func delete(
        where condition: FilterText, options: BulkChange.Options = BulkChange.Options()
    ) throws -> BulkChange.Summary {
        try documents.delete(where: condition, options: options)
    }
}
