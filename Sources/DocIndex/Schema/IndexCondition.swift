/// The condition of a partial index, in the notation of ``Predicate/init(parsing:)``.
public struct IndexCondition: Sendable {
    /// The condition as written, which is also its stored form.
    public let text: String
    /// The parsed condition.
    public let predicate: Predicate

    /// Parses a condition.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`.
    public init(parsing text: String) throws {
        self.text = text
        predicate = try Predicate(parsing: text)
        guard predicate.searches.isEmpty else {
            throw DocIndexError(.invalidQuery, "a partial index cannot depend on a search; give a condition on fields")
        }
    }
}

extension IndexCondition: Hashable, CustomStringConvertible {
    /// Returns whether both conditions were written with the same bytes.
    public static func == (left: IndexCondition, right: IndexCondition) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    /// Feeds the text into `hasher`.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    /// The text.
    public var description: String { text }
}

extension IndexCondition: ExpressibleByStringLiteral {
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
