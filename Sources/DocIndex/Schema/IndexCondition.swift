extension IndexDefinition {
    /// The condition of a partial index, in the notation of ``Filter/init(parsing:)``.
    public struct Condition: Sendable {
        /// The condition as written, which is also its stored form.
        public let text: String
        /// The parsed condition.
        public let filter: Filter

        /// Parses a condition.
        ///
        /// - Throws: ``DocIndexError`` with `invalidQuery`.
        public init(parsing text: String) throws {
            self.text = text
            filter = try Filter(parsing: text)
            guard filter.searches.isEmpty else {
                throw DocIndexError(
                    .invalidQuery, "a partial index cannot depend on a search; give a condition on fields")
            }
        }
    }
}

extension IndexDefinition.Condition: Hashable, CustomStringConvertible {
    /// Returns whether both conditions were written with the same bytes.
    public static func == (left: IndexDefinition.Condition, right: IndexDefinition.Condition) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    /// Feeds the text into `hasher`.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    /// The text.
    public var description: String { text }
}

extension IndexDefinition.Condition: ExpressibleByStringLiteral {
    /// Parses the condition of a literal.
    ///
    /// - Precondition: The literal is a valid condition.
    public init(stringLiteral text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
