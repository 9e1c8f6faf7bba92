extension DocIndexError {
    /// A violation in a schema and its place.
    public struct SchemaViolation: Sendable, Hashable, CustomStringConvertible {
        /// The place in the JSON form of the schema, as a JSON pointer (RFC 6901), such as
        /// `/collections/photos/indexes/year`. Empty for the schema itself.
        public let path: String
        /// A description of the violation and how to fix it.
        public let message: String

        package init(path: String, message: String) {
            self.path = path
            self.message = message
        }

        /// The place and the message.
        public var description: String { "\(path.isEmpty ? "the schema" : path) \(message)" }
    }
}
