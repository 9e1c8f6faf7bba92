/// Which documents a partial index holds: a condition in the notation of ``Predicate/init(parsing:)``.
public struct IndexCondition: Sendable {
    /// The condition as it was written; it is stored like that.
    public let text: String
    /// What it means.
    public let predicate: Predicate

    /// The condition that a text describes.
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
    /// Whether both were written with the same bytes.
    public static func == (left: IndexCondition, right: IndexCondition) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    /// Feeds the text into `hasher`.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    /// The text.
    public var description: String { text }
}

extension IndexCondition: ExpressibleByStringLiteral {
    /// The condition that a literal describes.
    ///
    /// - Precondition: the literal is a condition.
    public init(stringLiteral text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
