/// Searches by the similarity of vectors.
extension DocumentCollection {
    /// A document, and the similarity of its vector to the one that was looked for.
    public struct VectorMatch: Sendable, Hashable {
        /// The document.
        public let document: Document
        /// The cosine of the angle between the two vectors: 1 for the same direction, 0 for unrelated vectors, -1 for
        /// opposite ones. How similar two vectors of related things are depends on the model that computed them.
        public let similarity: Double
    }

    /// Returns the documents whose vectors are most similar to a vector, best first. Documents without a vector are
    /// left out. Documents with equal similarity are in the order in which they were first stored.
    ///
    /// ```swift
    /// for match in try photos.nearest(to: embedding("dog on a beach"), in: "embedding", limit: 10) {
    ///     print(match.document.id, match.similarity)
    /// }
    /// ```
    ///
    /// The search estimates each similarity from a code of two bits for each dimension, and computes it for the best
    /// candidates only. In rare cases, it misses a document whose estimate is too low. With `exact`, it computes every
    /// similarity. A search in at most `candidates` documents is always exact.
    ///
    /// - Parameters:
    ///   - vector: the vector, of any length. It must come from the same model as those of the documents.
    ///   - index: the name of an index of the kind `vector`.
    ///   - filter: an additional condition. The result is shorter than `limit` only if fewer documents with a vector
    ///     satisfy it.
    ///   - limit: the maximum number of documents.
    ///   - exact: whether to compute every similarity.
    ///   - candidates: the number of similarities to compute; `nil` for 2,000, or 20 for each result if that is more.
    ///   - options: the hint and the limits for finding the documents that satisfy the condition; the progress.
    /// - Throws: ``DocIndexError`` with `unknownIndex` for an index that does not exist or is not built, `invalidQuery`
    ///   for a vector with another number of dimensions than the index, with only zeros or with numbers that are not
    ///   finite, and for a negative limit; the errors of ``find(_:options:)``; `CancellationError` if the task is
    ///   canceled.
    /// - Complexity: O(*n*) in the documents with a vector, about 0.04 µs for each, and about 4 µs for each candidate;
    ///   with `exact`, about 0.8 µs for each document (512 dimensions). The first search after the store was opened
    ///   also reads all codes, 0.2 µs for each. With a condition, also that of its plan.
    public func nearest(
        to vector: [Float], in index: String, where filter: Filter = .all, limit: Int = 20, exact: Bool = false,
        candidates: Int? = nil, options: Query.Options = Query.Options()
    ) throws -> [VectorMatch] {
        try matches(in: index, filter, limit, exact, candidates, options) { index, _ in
            (try unit(vector, of: index), nil)
        }
    }

    /// Returns the documents whose vectors are most similar to that of a document, best first, without that document;
    /// empty if the document has no vector.
    ///
    /// - Parameters:
    ///   - id: the document, which need not satisfy the condition.
    ///   - index: the name of an index of the kind `vector`.
    ///   - filter: an additional condition.
    ///   - limit: the maximum number of documents.
    ///   - exact: whether to compute every similarity.
    ///   - candidates: the number of similarities to compute; see
    ///     ``nearest(to:in:where:limit:exact:candidates:options:)``.
    ///   - options: the hint and the limits for finding the documents that satisfy the condition; the progress.
    /// - Throws: ``DocIndexError`` with `documentMissing` if there is no document with that ID; the errors of
    ///   ``nearest(to:in:where:limit:exact:candidates:options:)``.
    /// - Complexity: that of ``nearest(to:in:where:limit:exact:candidates:options:)``.
    public func nearest(
        toDocument id: DocumentID, in index: String, where filter: Filter = .all, limit: Int = 20, exact: Bool = false,
        candidates: Int? = nil, options: Query.Options = Query.Options()
    ) throws -> [VectorMatch] {
        try matches(in: index, filter, limit, exact, candidates, options) { index, rows in
            guard let row = try rows.row(of: id) else {
                throw DocIndexError(
                    .documentMissing, "the collection \(name) has no document with the id \(id); check the id")
            }
            return try index.unitVector(of: row, in: rows.snapshot).map { ($0, row) }
        }
    }

    /// - Parameter query: returns the vector, and a row to leave out; `nil` for a document without a vector.
    private func matches(
        in name: String, _ filter: Filter, _ limit: Int, _ exact: Bool, _ candidates: Int?, _ options: Query.Options,
        query: (VectorIndex, RowReader) throws -> (vector: [Float], row: UInt64?)?
    ) throws -> [VectorMatch] {
        let (rows, chosen) = try chosenRows(filter, options)
        let index = try vectorIndex(named: name, in: rows)
        var search = try VectorSearch(
            index, rows: rows, limit: limit, exact: exact, candidates: candidates, options: options)
        guard let (vector, excluded) = try query(index, rows) else { return [] }
        return try search.nearest(to: vector, among: chosen, except: excluded).map {
            VectorMatch(document: try rows.document($0.row), similarity: Double($0.score))
        }
    }
}

// MARK: - Parts of a search

extension DocumentCollection {
    /// Returns the rows that satisfy a condition, `nil` for all, and the reader of the snapshot in which they do.
    func chosenRows(_ filter: Filter, _ options: Query.Options) throws -> (RowReader, RowBitmap?) {
        try filter.validate()
        if filter.normalized.isAll { return (try reader(), nil) }
        let query = Query(filter)
        let (rows, plan) = try prepare(query, options)
        return (rows, try QueryExecutor(rows: rows, query: query, plan: plan, options: options).matchingRows())
    }

    /// Returns the vector index with a name.
    func vectorIndex(named name: String, in rows: RowReader) throws -> VectorIndex {
        if let index = rows.collection.readable.vectors.first(where: { $0.definition.name.hasSameBytes(as: name) }) {
            return index
        }
        let declared = definition.indexes.filter { $0.kind == .vector }.map(\.name)
        let advice =
            if declared.contains(where: { $0.hasSameBytes(as: name) }) {
                "the vector index \(name) of \(self.name) is not built; see failedIndexes, or rebuild the index"
            } else if declared.isEmpty {
                "the collection \(self.name) has no vector index; declare one of type vector in its schema"
            } else {
                "the collection \(self.name) has no vector index \(name); it has \(declared.joined(separator: ", "))"
            }
        throw DocIndexError(.unknownIndex, advice)
    }

    /// Returns the vector of a query with the length 1.
    func unit(_ vector: [Float], of index: VectorIndex) throws -> [Float] {
        do throws(VectorField.Failure) {
            return try VectorField.unit(vector, dimensions: index.dimensions)
        } catch {
            throw notAVector(error, index)
        }
    }

    /// Returns the numbers in a value, as the field of a vector index has it.
    ///
    /// - Throws: ``DocIndexError`` with `unknownIndex`, or with `invalidQuery` for a value that is not a vector of the
    ///   index.
    package func vector(_ value: DocumentValue, in index: String) throws -> [Float] {
        let index = try vectorIndex(named: index, in: try reader())
        do throws(VectorField.Failure) {
            let field = VectorField(path: "vector", dimensions: index.dimensions)
            return try field.unitVector(in: ["vector": value]) ?? []
        } catch {
            throw notAVector(error, index)
        }
    }

    private func notAVector(_ failure: VectorField.Failure, _ index: VectorIndex) -> DocIndexError {
        DocIndexError(
            .invalidQuery,
            "the vector \(failure.reason); the index \(index.definition.name) needs \(failure.expected)")
    }
}
