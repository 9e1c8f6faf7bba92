internal import LevelKit

extension DocumentCollection {
    /// Calls `body` with the distinct values at a path in the order of an index, until it returns false. For
    /// completion while somebody types.
    ///
    /// - Parameters:
    ///   - first: The first value; `nil` for all values.
    ///   - body: Returns whether to continue.
    /// - Returns: Whether an index contains the values.
    /// - Complexity: one seek for each value; no document is read.
    package func forEachIndexedValue(
        at path: FieldPath, from first: DocumentValue? = nil, _ body: (DocumentValue) throws -> Bool
    ) throws -> Bool {
        let rows = try reader()
        let suitable = rows.valueIndexes.filter { $0.components[0].path == path && $0.components[0].hasOrderOfValues }
        guard let index = suitable.first(where: { $0.definition.condition == nil }) ?? suitable.first else {
            return false
        }
        let component = index.components[0]
        let prefix = index.entryPrefix
        var cursor = try rows.snapshot.cursor(in: .entries(behind: prefix))
        if let first, component.order == .ascending { cursor.seek(to: prefix + component.encoded(first)) }
        while try cursor.advance() {
            guard let end = component.skip(in: cursor.key, from: prefix.count) else { return false }
            let decoded = OrderedValue.decoded(
                cursor.key.extracting(prefix.count..<end), isDescending: component.order == .descending)
            if case .value(let value)? = decoded, try !body(value) { return true }
            cursor.seek(to: cursor.key.extracting(0..<end).copied() + OrderedValue.behind)
        }
        return true
    }
}
