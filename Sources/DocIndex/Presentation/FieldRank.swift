/// How well a field distinguishes the documents that have it, for choosing the columns of a table.
///
/// A field ranks high if most documents have it, with values that differ and are short.
package struct FieldRank: Hashable, Comparable, Sendable {
    private var value: Double

    /// Ranks a field.
    ///
    /// - Parameters:
    ///   - values: the values of the field in the documents that have it.
    ///   - documentCount: the number of documents.
    ///   - isPreferred: whether the field is preferred among similar ones, for example because it has an index.
    ///   - usualLength: the average length above which the field takes the room of several others.
    ///   - length: returns the length of a value on the screen.
    package init(
        of values: some Sequence<DocumentValue>, in documentCount: Int, isPreferred: Bool, usualLength: Int = 32,
        length: (DocumentValue) -> Int
    ) {
        var distinct: Set<DocumentValue> = []
        var (filledCount, weight, totalLength) = (0, 0.0, 0)
        for value in values where value != .null {
            filledCount += 1
            weight += Self.weight(of: value)
            totalLength += length(value)
            if distinct.count < 3 { distinct.insert(value) }
        }
        guard filledCount > 0, documentCount > 0 else {
            value = 0
            return
        }
        var rank = weight / Double(documentCount)
        // A value that is the same everywhere tells nothing, and a long one takes the room of several others.
        if distinct.count == 1, filledCount > 1 { rank *= 0.3 }
        if totalLength / filledCount > usualLength { rank *= 0.7 }
        if isPreferred { rank *= 1.5 }
        value = rank
    }

    /// The rank of a field that tells more by a factor than its values show.
    package func multiplied(by factor: Double) -> FieldRank {
        var rank = self
        rank.value *= factor
        return rank
    }

    /// Whether the left field tells less.
    package static func < (left: FieldRank, right: FieldRank) -> Bool { left.value < right.value }

    private static func weight(of value: DocumentValue) -> Double {
        switch value {
        case .null: 0
        case .string, .date: 1
        case .int, .double: 0.9
        case .bool: 0.7
        case .array, .attachment: 0.6
        case .object, .bytes: 0.3
        }
    }
}
