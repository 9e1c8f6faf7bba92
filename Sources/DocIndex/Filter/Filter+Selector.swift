extension Filter {
    /// Reads a JSON selector in the style of CouchDB's Mango queries.
    ///
    /// ```json
    /// {"rating": {"$gte": 4}, "people": {"$elemMatch": {"name": "Ada", "role": "author"}}}
    /// ```
    ///
    /// Operators: `$eq` `$ne` `$lt` `$lte` `$gt` `$gte` `$in` `$nin` `$exists` `$type` `$and` `$or` `$nor` `$not`
    /// `$all` `$elemMatch` `$allMatch` `$keyMapMatch` `$size` `$mod` `$regex` `$beginsWith`, and outside of fields
    /// `$text` with a ``TextQuery`` and `$searchBox` with the input of a ``SearchBox``. They have the same meaning as in
    /// CouchDB:
    /// - a missing field satisfies only `{"$exists": false}`, so `$ne`, `$nin` and `$not` require the field to exist;
    /// - `$lt`, `$lte`, `$gt` and `$gte` compare values of all kinds: null < false < true < numbers < strings < arrays
    ///   < objects;
    /// - `$in` and `$nin` check the elements if the field is an array;
    /// - `$all`, `$elemMatch`, `$allMatch` and `$size` match only arrays; `$all` with an empty list matches nothing,
    ///   and `$allMatch` does not match empty arrays; `$keyMapMatch` matches an object with a member name that satisfies
    ///   a selector;
    /// - an empty `$and`, `$or` or `$nor`, and an empty selector, match everything.
    ///
    /// Nested fields are written with dots or as nested selectors; `\\.` is a dot in a name. Differences from CouchDB:
    /// strings are ordered by their UTF-8 bytes rather than by language; a number in a path is a member name, not an
    /// array index; `$type` also accepts `date`, `bytes` and `attachment`; `{"$date": …}` is a date and is compared as
    /// one; `$regex` is a ``Filter/TextPattern``. Two modifiers are additions. `$options` with the value `i` next to `$regex` ignores
    /// case, like `(?i)` at the beginning of the expression. `$collation` with the value `ci` or `ci-ai` next to other
    /// operators compares strings without case, or without case and accents:
    ///
    /// ```json
    /// {"city": {"$beginsWith": "mun", "$collation": "ci-ai"}}
    /// ```
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`, which names an operator that is unknown or has the wrong kind
    ///   of argument, and its path.
    public init(selector: DocumentValue) throws {
        guard case .object(let object) = selector else {
            throw DocIndexError(.invalidQuery, "a selector must be an object, such as {\"rating\": {\"$gte\": 4}}")
        }
        self = try SelectorReader().selector(object, at: .element)
        try validate()
    }

    /// Reads a JSON selector from text; see ``init(selector:)-(DocumentValue)``.
    public init(selector text: String) throws {
        let value: DocumentValue
        do throws(JSONError) {
            value = try DocumentValue(json: text, notation: .tagged)
        } catch {
            throw DocIndexError(.invalidQuery, "the selector is not valid JSON: \(error)")
        }
        try self.init(selector: value)
    }
}

/// Converts selectors to conditions.
private struct SelectorReader {
    private static let depthLimit = 64

    /// The nesting depth of this selector.
    private var depth = 0
    /// The collation by which the operators of this object compare strings; `nil` without `$collation`.
    private var collation: TextCollation?
    /// Whether `$regex` in this object ignores case.
    private var ignoresCase = false

    init() {}

    private var deeper: SelectorReader {
        get throws {
            var reader = self
            reader.depth += 1
            guard reader.depth <= Self.depthLimit else {
                throw DocIndexError(
                    .invalidQuery, "selectors are nested more than \(Self.depthLimit) deep; simplify the selector")
            }
            return reader
        }
    }

    /// Returns the condition that a selector puts on the value at a path. The empty path is the document or the array
    /// element.
    func selector(_ object: DocumentObject, at path: FieldPath, isNegated: Bool = false) throws -> Filter {
        var reader = self
        reader.collation = try collation(object, at: path) ?? collation
        reader.ignoresCase = try ignoresCase(object, at: path)
        let parts = try object.filter { !Self.isModifier($0.name) }.map { member in
            try member.name.hasPrefix("$")
                ? reader.operation(member.name, member.value, at: path, isNegated)
                : field(member.name, member.value, below: path, isNegated)
        }
        if parts.isEmpty { return isNegated ? .none : .all }
        return parts.count == 1 ? parts[0] : isNegated ? .or(parts) : .and(parts)
    }

    private func field(
        _ name: String, _ value: DocumentValue, below path: FieldPath, _ isNegated: Bool
    ) throws -> Filter {
        let names = Self.names(in: name)
        guard !name.isEmpty, path.steps.count + names.count <= FieldPath.maximumStepCount else {
            throw DocIndexError(
                .invalidQuery, "a selector\(Self.place(path)) has a field name that is empty or too long")
        }
        let inner = FieldPath(checked: path.steps + names.map { .name($0) })
        // A nonempty object is a nested selector. An empty one is a value.
        if case .object(let object) = value, !object.isEmpty {
            return try deeper.selector(object, at: inner, isNegated: isNegated)
        }
        return Self.leaf(.compare(inner, .equal, value), at: inner, isNegated)
    }

    /// Splits a name at dots. A backslash before a dot makes the dot part of the name.
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

    /// Returns a condition on a field. A negated condition still requires the field.
    private static func leaf(_ filter: Filter, at path: FieldPath, _ isNegated: Bool) -> Filter {
        guard isNegated else { return filter }
        return path.steps.isEmpty ? .not(filter) : .and([.exists(path), .not(filter)])
    }

    private static func place(_ path: FieldPath) -> String {
        path.steps.isEmpty ? "" : " at \(path.notation)"
    }

    // MARK: - Modifiers

    private static func isModifier(_ name: String) -> Bool { name == "$collation" || name == "$options" }

    private func collation(_ object: DocumentObject, at path: FieldPath) throws -> TextCollation? {
        guard let value = object["$collation"] else { return nil }
        try requireField("$collation", path)
        guard case .string(let name) = value, let collation = TextCollation(rawValue: name), collation != .natural
        else {
            throw wrong("$collation", "ci, ci-ai or binary", path)
        }
        return collation
    }

    private func ignoresCase(_ object: DocumentObject, at path: FieldPath) throws -> Bool {
        guard let value = object["$options"] else { return false }
        guard case .string(let flags) = value, flags == "i" || flags.isEmpty, object["$regex"] != nil else {
            throw wrong("$options", "the value i, next to $regex", path)
        }
        return flags == "i"
    }

    /// Returns the condition of an operator that compares strings by a collation; `nil` for other operators.
    private func folded(
        _ name: String, _ value: DocumentValue, at path: FieldPath, _ collation: TextCollation
    ) throws -> Filter? {
        func text() throws -> String {
            guard case .string(let text) = value else { throw wrong("\(name) with $collation", "a string", path) }
            try requireField(name, path)
            return text
        }
        func folded(_ condition: Filter.StringCondition) -> Filter { .folded(path, collation, condition) }
        if let comparison = Self.comparisons[name] { return folded(.compare(comparison, try text())) }
        switch name {
        case "$eq", "$ne": return folded(.compare(.equal, try text()))
        case "$beginsWith": return folded(.hasPrefix(try text()))
        case "$in", "$nin":
            guard case .array(let values) = value, case let texts = values.compactMap(\.stringValue),
                texts.count == values.count
            else { throw wrong("\(name) with $collation", "an array of strings", path) }
            try requireField(name, path)
            let elements = Filter.folded(path.eachElement, collation, .isIn(texts))
            return .or([folded(.isIn(texts)), .and([.hasKind(path, [.array]), elements])])
        default: return nil
        }
    }

    // MARK: - Operators

    private static let comparisons: [String: Filter.Comparison] = [
        "$lt": .less, "$lte": .lessOrEqual, "$gt": .greater, "$gte": .greaterOrEqual,
    ]

    private func operation(
        _ name: String, _ value: DocumentValue, at path: FieldPath, _ isNegated: Bool
    ) throws -> Filter {
        switch name {
        case "$and", "$or", "$nor": return try combination(name, value, at: path, isNegated)
        case "$text", "$searchBox":
            guard case .string(let text) = value else { throw wrong(name, "a string", path) }
            guard path.steps.isEmpty else {
                throw DocIndexError(
                    .invalidQuery,
                    "\(name)\(Self.place(path)) searches documents, not a field; move it out of the field")
            }
            let search = name == "$searchBox" ? Filter.search(box: text) : try Filter.search(text)
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
            throw DocIndexError(.invalidQuery, "\(name) is outside of a field; write {\"field\": {\"\(name)\": …}}")
        }
    }

    private func combination(
        _ name: String, _ value: DocumentValue, at path: FieldPath, _ isNegated: Bool
    ) throws -> Filter {
        guard case .array(let elements) = value else { throw wrong(name, "an array of selectors", path) }
        // In CouchDB, an empty list is true for each of these operators.
        if elements.isEmpty { return isNegated ? .none : .all }
        let isInnerNegated = (name == "$nor") != isNegated
        let parts = try elements.map { element in
            guard case .object(let object) = element else { throw wrong(name, "an array of selectors", path) }
            return try deeper.selector(object, at: path, isNegated: isInnerNegated)
        }
        let areAlternatives = (name != "$and") != isInnerNegated
        return areAlternatives ? .or(parts) : .and(parts)
    }

    /// Returns the condition of an operator on an existing field. For `$ne` and `$nin`, returns the opposite condition.
    private func condition(_ name: String, _ value: DocumentValue, at path: FieldPath) throws -> Filter {
        if let collation, let folded = try folded(name, value, at: path, collation) { return folded }
        // CouchDB has no dates. Dates are compared as such, including those in strings.
        if case .date = value, let span = Filter.DateSpan(comparing: value),
            let comparison = name == "$eq" || name == "$ne" ? .equal : Self.comparisons[name]
        {
            try requireField(name, path)
            return FilterParser.comparison(path, comparison, .span(span))
        }
        if let comparison = Self.comparisons[name] {
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
                Self.kindNames.contains(text),
                let kinds = DocumentValue.Kind.named(text)
            else {
                throw wrong(name, "null, boolean, number, string, array, object, date, bytes or attachment", path)
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
            // As in CouchDB, an empty array does not match.
            return .and([
                .hasKind(path, [.array]), .anyElement(path, .all), .not(.anyElement(path, .not(part))),
            ])
        case "$keyMapMatch":
            guard case .object(let object) = value else { throw wrong(name, "a selector", path) }
            try requireField(name, path)
            return .anyKey(path, try deeper.selector(object, at: .element))
        case "$size":
            guard case .int(let count) = value, count >= 0 else { throw wrong(name, "an integer of 0 or more", path) }
            try requireField(name, path)
            return .hasCount(path, Int(clamping: count))
        case "$mod":
            guard case .array(let numbers) = value, numbers.count == 2, case .int(let divisor) = numbers[0],
                case .int(let remainder) = numbers[1], divisor != 0
            else { throw wrong(name, "a divisor other than 0 and a remainder", path) }
            try requireField(name, path)
            return .isCongruent(path, divisor: divisor, remainder: remainder)
        case "$regex":
            guard case .string(let source) = value else { throw wrong(name, "a string", path) }
            try requireField(name, path)
            return .hasMatch(path, try Filter.TextPattern(source, ignoresCase: ignoresCase))
        case "$beginsWith":
            guard case .string(let text) = value else { throw wrong(name, "a string", path) }
            try requireField(name, path)
            return .hasPrefix(path, text)
        default:
            throw DocIndexError(
                .invalidQuery,
                "unknown operator \(name)\(Self.place(path)); the operators are $eq $ne $lt $lte $gt $gte $in $nin "
                    + "$exists $type $and $or $nor $not $all $elemMatch $allMatch $keyMapMatch $size $mod $regex "
                    + "$beginsWith $text $searchBox, with $collation and $options as modifiers")
        }
    }

    private static let kindNames = [
        "null", "boolean", "number", "string", "array", "object", "date", "bytes", "attachment",
    ]

    /// Returns the condition that the value, or an element if it is an array, is one of the values.
    private static func isIn(_ values: [DocumentValue], at path: FieldPath) -> Filter {
        let scalars = values.filter { $0.arrayValue == nil }
        let array = Filter.and([.hasKind(path, [.array]), .isIn(path.eachElement, values)])
        return .or([.isIn(path, scalars), array])
    }

    private static func all(_ values: [DocumentValue], at path: FieldPath) -> Filter {
        if values.isEmpty { return .none }
        let elements = Filter.and(
            [.hasKind(path, [.array])] + values.map { .compare(path.eachElement, .equal, $0) })
        // A list that consists of one array also matches that array itself.
        if values.count == 1, case .array = values[0] { return .or([elements, .compare(path, .equal, values[0])]) }
        return elements
    }

    private func wrong(_ name: String, _ expected: String, _ path: FieldPath) -> DocIndexError {
        DocIndexError(.invalidQuery, "\(name)\(Self.place(path)) needs \(expected)")
    }
}
