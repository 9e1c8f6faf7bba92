extension TypedCollection {
    /// A value, and the similarity of its vector to the one that was looked for.
    public struct VectorMatch {
        /// The value.
        public let value: Value
        /// The cosine of the angle between the two vectors; see ``DocumentCollection/VectorMatch``.
        public let similarity: Double
    }

    /// Returns the values whose vectors are most similar to a vector, best first; see
    /// ``DocumentCollection/nearest(to:in:where:limit:exact:candidates:options:)``.
    public func nearest(
        to vector: [Float], in index: String, where condition: FilterText = "", limit: Int = 20
    ) throws -> [TypedCollection<Value>.VectorMatch] {
        try documents.nearest(to: vector, in: index, where: try Filter(condition), limit: limit).map(match)
    }

    /// Returns the values whose vectors are most similar to that of a value, best first, without that value; see
    /// ``DocumentCollection/nearest(toDocument:in:where:limit:exact:candidates:options:)``.
    public func nearest(
        toDocument id: Value.ID, in index: String, where condition: FilterText = "", limit: Int = 20
    ) throws -> [TypedCollection<Value>.VectorMatch] {
        try documents.nearest(
            toDocument: try documentID(id), in: index, where: try Filter(condition), limit: limit
        ).map(match)
    }

    private func match(_ match: DocumentCollection.VectorMatch) throws -> VectorMatch {
        VectorMatch(value: try value(of: match.document), similarity: match.similarity)
    }
}

extension TypedCollection.VectorMatch: Sendable where Value: Sendable {}
extension TypedCollection.VectorMatch: Equatable where Value: Equatable {}
extension TypedCollection.VectorMatch: Hashable where Value: Hashable {}
