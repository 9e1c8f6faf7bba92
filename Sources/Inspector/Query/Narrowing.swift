internal import DocIndex

/// Conditions that a click adds.
enum Narrowing {
    /// Returns a condition narrowed to a value of a field, in text form.
    static func text(_ filter: Filter, and key: Aggregation.GroupKey, is value: DocumentValue) -> String {
        let added: Filter =
            switch key {
            case .value(let path): value == .null ? .hasKind(path, .null) : .compare(path, .equal, value)
            case .datePart(let path, let part):
                value.intValue.map { .hasDatePart(path, part, [$0...$0]) } ?? .all
            case .range(let path, let width):
                value.doubleValue.map {
                    .and([.compare(path, .greaterOrEqual, .double($0)), .compare(path, .less, .double($0 + width))])
                } ?? .all
            }
        return text(filter, and: added)
    }

    /// Returns the conjunction of two conditions, in text form.
    static func text(_ filter: Filter, and added: Filter) -> String {
        guard filter != .all else { return added.description }
        if case .and(let parts) = filter {
            // The same click twice changes nothing.
            return parts.content.contains(added) ? filter.description : Filter.and(parts.content + [added]).description
        }
        return filter == added ? filter.description : Filter.and([filter, added]).description
    }
}
