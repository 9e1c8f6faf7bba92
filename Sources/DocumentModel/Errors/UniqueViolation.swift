extension DocIndexError {
    /// A violation of a unique index: values that several documents share.
    public struct UniqueViolation: Sendable, Hashable {
        /// The collection.
        public let collection: String
        /// The index.
        public let index: String
        /// The values of the first document, one for each component; `nil` for a missing value.
        public let values: [DocumentValue?]
        /// The documents.
        public let ids: [DocumentID]

        package init(collection: String, index: String, values: [DocumentValue?], ids: [DocumentID]) {
            self.collection = collection
            self.index = index
            self.values = values
            self.ids = ids
        }
    }
}

extension DocIndexError.UniqueViolation: CustomStringConvertible {
    /// Index, values and documents in one line. Contains document values, so be careful where to log it.
    public var description: String {
        let values = self.values.map { $0?.json ?? "missing" }.joined(separator: ", ")
        let ids = self.ids.map(\.description).joined(separator: ", ")
        return "\(collection).\(index): \(values) in the documents \(ids)"
    }
}
