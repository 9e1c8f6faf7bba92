extension Predicate {
    /// Reads a JSON selector, as CouchDB's Mango has them.
    ///
    /// ```json
    /// {"rating": {"$gte": 4}, "people": {"$elemMatch": {"name": "Ada", "role": "author"}}}
    /// ```
    ///
    /// Operators: `$eq` `$ne` `$lt` `$lte` `$gt` `$gte` `$in` `$nin` `$exists` `$type` `$and` `$or` `$nor` `$not` `$all`
    /// `$elemMatch` `$allMatch` `$size` `$mod` `$regex` `$beginsWith`, and `$text` with a ``TextQuery`` outside of fields. Their meaning is CouchDB's:
    /// - a field that is absent satisfies `{"$exists": false}` alone, so `$ne`, `$nin` and `$not` ask for a field too;
    /// - `$lt` and the like compare values of all kinds: null < false < true < numbers < texts < arrays < objects;
    /// - `$in` and `$nin` look at the elements where the field is an array;
    /// - `$all`, `$elemMatch`, `$allMatch` and `$size` are true of arrays alone, `$all` of an empty list of nothing, and
    ///   `$allMatch` of no array without elements;
    /// - an empty `$and`, `$or` or `$nor`, and an empty selector, is true of everything.
    ///
    /// Fields of fields are written with dots or as selectors within selectors; `\\.` is a dot in a name. What differs from
    /// CouchDB: texts are ordered by their UTF-8 bytes and not by a language; a number in a path is the name of a member and
    /// not a place in an array; `$type` also knows `date` and `bytes`; `{"$date": …}` is a date, compared as one; `$regex` is a ``TextPattern``.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` that names the operator which is unknown, or whose argument is of the
    ///   wrong kind, and where it stands.
    public init(selector: DocumentValue) throws {
        guard case .object(let object) = selector else {
            throw DocIndexError(.invalidQuery, "a selector is an object, such as {\"rating\": {\"$gte\": 4}}")
        }
        self = try SelectorReader().selector(object, at: .element)
        try validate()
    }

    /// Reads a JSON selector from its text; see ``init(selector:)-(DocumentValue)``.
    public init(selector text: String) throws {
        let value: DocumentValue
        do throws(JSONError) {
            value = try DocumentValue(json: text, notation: .tagged)
        } catch {
            throw DocIndexError(.invalidQuery, "the selector is no JSON: \(error)")
        }
        try self.init(selector: value)
    }
}

/// Turns selectors into conditions.
private struct SelectorReader {
    private static let depthLimit = 64

    /// How many selectors lie around this one.
    private var depth = 0

    init() {}

    private var deeper: SelectorReader {
        get throws {
            var reader = self
            reader.depth += 1
            guard reader.depth <= Self.depthLimit else {
                throw DocIndexError(
                    .invalidQuery, "selectors are nested more than \(Self.depthLimit) deep; simplify it")
            }
            return reader
        }
    }

    /// What an object asks of the value at a path. The path without steps is the document, or the element of an array.
    func selector(_ object: DocumentObject, at path: FieldPath, isNegated: Bool = false) throws -> Predicate {
        let parts = try object.map { member in
            try member.name.hasPrefix("$")
                ? operation(member.name, member.value, at: path, isNegated)
                : field(member.name, member.value, below: path, isNegated)
        }
        if parts.isEmpty { return isNegated ? .none : .all }
        return parts.count == 1 ? parts[0] : isNegated ? .or(parts) : .and(parts)
    }

    private func field(
        _ name: String, _ value: DocumentValue, below path: FieldPath, _ isNegated: Bool
    ) throws -> Predicate {
        let names = Self.names(in: name)
        guard !name.isEmpty, path.steps.count + names.count <= FieldPath.maximumStepCount else {
            throw DocIndexError(.invalidQuery, "a selector\(Self.place(path)) has a name that is empty or too long")
        }
        let inner = FieldPath(checked: path.steps + names.map { .name($0) })
        // An object without operators is a selector of fields; an empty one is a value.
        if case .object(let object) = value, !object.isEmpty {
            return try deeper.selector(object, at: inner, isNegated: isNegated)
        }
        return Self.leaf(.compare(inner, .equal, value), at: inner, isNegated)
    }

    /// The names between dots; a backslash before a dot makes it a part of the name.
    private static func names(in text: String) -> [String] {
        var names = [String.UnicodeScalarView()]
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                if scalar != "." { names[names.count - 1].append("\\") }
                names[names.count - 1].append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "." {
                names.append(String.UnicodeScalarView())
            } else {
                names[names.count - 1].append(scalar)
            }
        }
        if isEscaped { names[names.count - 1].append("\\") }
        return names.map { String($0) }
    }

    /// A condition on a field; negated, it still asks for the field.
    private static func leaf(_ predicate: Predicate, at path: FieldPath, _ isNegated: Bool) -> Predicate {
        guard isNegated else { return predicate }
        return path.steps.isEmpty ? .not(predicate) : .and([.exists(path), .not(predicate)])
    }

    private static func place(_ path: FieldPath) -> String {
        path.steps.isEmpty ? "" : " at \(path.notation)"
    }

    // MARK: - Operators

    private func operation(
        _ name: String, _ value: DocumentValue, at path: FieldPath, _ isNegated: Bool
    ) throws -> Predicate {
        switch name {
        case "$and", "$or", "$nor": return try combination(name, value, at: path, isNegated)
        case "$text":
            guard case .string(let text) = value else { throw wrong(name, "a text", path) }
            guard path.steps.isEmpty else {
                throw DocIndexError(
                    .invalidQuery, "$text\(Self.place(path)) searches the documents and not a field; put it outside")
            }
            let search = Predicate.search(try TextCondition(parsing: text))
            return isNegated ? .not(search) : search
        case "$not":
            guard case .object(let object) = value else { throw wrong(name, "a selector", path) }
            return try deeper.selector(object, at: path, isNegated: !isNegated)
        case "$exists":
            guard case .bool(let exists) = value else { throw wrong(name, "true or false", path) }
            try requireField(name, path)
            return exists != isNegated ? .exists(path) : .not(.exists(path))
        default:
            return Self.leaf(try condition(name, value, at: path), at: path, isNegated != Self.isNegative(name))
        }
    }

    private static func isNegative(_ name: String) -> Bool { name == "$ne" || name == "$nin" }

    private func requireField(_ name: String, _ path: FieldPath) throws {
        if path.steps.isEmpty, depth == 0 {
            throw DocIndexError(.invalidQuery, "\(name) stands outside of a field; write {\"field\": {\"\(name)\": …}}")
        }
    }

    private func combination(
        _ name: String, _ value: DocumentValue, at path: FieldPath, _ isNegated: Bool
    ) throws -> Predicate {
        guard case .array(let elements) = value else { throw wrong(name, "an array of selectors", path) }
        // CouchDB takes an empty list for true in each of them.
        if elements.isEmpty { return isNegated ? .none : .all }
        let isInnerNegated = (name == "$nor") != isNegated
        let parts = try elements.map { element in
            guard case .object(let object) = element else { throw wrong(name, "an array of selectors", path) }
            return try deeper.selector(object, at: path, isNegated: isInnerNegated)
        }
        let areAlternatives = (name != "$and") != isInnerNegated
        return areAlternatives ? .or(parts) : .and(parts)
    }

    /// What an operator asks of a field that is there. Of `$ne` and `$nin` it is the opposite.
    private func condition(_ name: String, _ value: DocumentValue, at path: FieldPath) throws -> Predicate {
        let comparisons: [String: Predicate.Comparison] = [
            "$lt": .less, "$lte": .lessOrEqual, "$gt": .greater, "$gte": .greaterOrEqual,
        ]
        // CouchDB has no dates: they are compared as such, with dates in texts too.
        if case .date = value, let span = DateSpan(comparing: value),
            let comparison = name == "$eq" || name == "$ne" ? .equal : comparisons[name]
        {
            try requireField(name, path)
            return PredicateParser.comparison(path, comparison, .span(span))
        }
        if let comparison = comparisons[name] {
            try requireField(name, path)
            return .collates(path, comparison, value)
        }
        switch name {
        case "$eq", "$ne":
            try requireField(name, path)
            return .compare(path, .equal, value)
        case "$in", "$nin", "$all":
            guard case .array(let values) = value else { throw wrong(name, "an array", path) }
            try requireField(name, path)
            return name == "$all" ? Self.all(values, at: path) : Self.isIn(values, at: path)
        case "$type":
            guard case .string(let text) = value,
                ["null", "boolean", "number", "string", "array", "object", "date", "bytes"].contains(text),
                let kinds = DocumentValue.Kind.named(text)
            else {
                throw wrong(name, "null, boolean, number, string, array, object, date or bytes", path)
            }
            try requireField(name, path)
            return .hasKind(path, kinds)
        case "$elemMatch":
            guard case .object(let object) = value else { throw wrong(name, "a selector", path) }
            try requireField(name, path)
            return .and([.hasKind(path, [.array]), .anyElement(path, try deeper.selector(object, at: .element))])
        case "$allMatch":
            guard case .object(let object) = value else { throw wrong(name, "a selector", path) }
            try requireField(name, path)
            let part = try deeper.selector(object, at: .element)
            // As in CouchDB, not true of an array without elements.
            return .and([
                .hasKind(path, [.array]), .anyElement(path, .all), .not(.anyElement(path, .not(part))),
            ])
        case "$size":
            guard case .int(let count) = value, count >= 0 else { throw wrong(name, "a whole number from 0", path) }
            try requireField(name, path)
            return .hasCount(path, Int(clamping: count))
        case "$mod":
            guard case .array(let numbers) = value, numbers.count == 2, case .int(let divisor) = numbers[0],
                case .int(let remainder) = numbers[1], divisor != 0
            else { throw wrong(name, "a divisor other than 0 and a remainder", path) }
            try requireField(name, path)
            return .isCongruent(path, divisor: divisor, remainder: remainder)
        case "$regex":
            guard case .string(let source) = value else { throw wrong(name, "a text", path) }
            try requireField(name, path)
            return .hasMatch(path, try TextPattern(source))
        case "$beginsWith":
            guard case .string(let text) = value else { throw wrong(name, "a text", path) }
            try requireField(name, path)
            return .hasPrefix(path, text)
        default:
            throw DocIndexError(
                .invalidQuery,
                "there is no operator \(name)\(Self.place(path)); there are $eq $ne $lt $lte $gt $gte $in $nin $exists "
                    + "$type $and $or $nor $not $all $elemMatch $allMatch $size $mod $regex $beginsWith $text")
        }
    }

    /// Of an array, an element is one of the values; of anything else, the value itself is.
    private static func isIn(_ values: [DocumentValue], at path: FieldPath) -> Predicate {
        let scalars = values.filter { $0.arrayValue == nil }
        let array = Predicate.and([.hasKind(path, [.array]), .isIn(path.eachElement, values)])
        return .or([.isIn(path, scalars), array])
    }

    private static func all(_ values: [DocumentValue], at path: FieldPath) -> Predicate {
        if values.isEmpty { return .none }
        let elements = Predicate.and(
            [.hasKind(path, [.array])] + values.map { .compare(path.eachElement, .equal, $0) })
        // A list of one array also asks for that array itself.
        if values.count == 1, case .array = values[0] { return .or([elements, .compare(path, .equal, values[0])]) }
        return elements
    }

    private func wrong(_ name: String, _ expected: String, _ path: FieldPath) -> DocIndexError {
        DocIndexError(.invalidQuery, "\(name)\(Self.place(path)) needs \(expected)")
    }
}
