public import DocIndex

/// Answers queries by examining every document. Written for readability; uses no indexes, no plans and none of the code
/// they share.
public enum NaiveQuery {
    /// Returns the matching documents in result order.
    ///
    /// - Parameter documents: The documents in the order in which they were first stored.
    public static func answer(
        _ query: Query, among documents: [(id: DocumentID, content: DocumentObject)]
    ) -> [DocumentID] {
        var found: [(id: DocumentID, place: Int, keys: [DocumentValue?])] = []
        for (place, document) in documents.enumerated() where holds(query.filter, for: document.content) {
            found.append((document.id, place, query.sort.map { key(of: $0, in: document.content) }))
        }
        found.sort { a, b in
            for (position, key) in query.sort.enumerated() {
                let order = compare(a.keys[position], b.keys[position], key.collation)
                if order != 0 { return (order < 0) != (key.order == .descending) }
            }
            return a.place < b.place
        }
        let rest = found.map(\.id).dropFirst(query.offset)
        return Array(query.limit.map { rest.prefix($0) } ?? rest)
    }

    private static func compare(_ a: DocumentValue?, _ b: DocumentValue?, _ collation: TextCollation) -> Int {
        if case .string(let a) = a, case .string(let b) = b { return ReferenceOrder.compare(a, b, collation) }
        return ReferenceOrder.compare(a, b)
    }

    private static func key(of key: Query.SortKey, in document: DocumentObject) -> DocumentValue? {
        switch key.key {
        case .field(let path): values(at: path, in: document).first
        case .distance(let field, let center):
            .double(points(of: field, in: document).map { center.distance(to: $0) }.min() ?? .infinity)
        case .place(let path, let list):
            .int(
                Int64(
                    values(at: path, in: document).first.flatMap { value in
                        list.firstIndex { ReferenceOrder.compare($0, value) == 0 }
                    } ?? Int.max))
        case .score: preconditionFailure("scores belong to an index; tests of their order compare them apart")
        }
    }

    /// Returns whether a document satisfies a condition.
    public static func holds(_ filter: Filter, for document: DocumentObject) -> Bool {
        holds(filter, for: .object(document))
    }

    private static func holds(_ filter: Filter, for document: DocumentValue) -> Bool {
        switch filter {
        case .all: true
        case .compare(let path, let comparison, let constant):
            values(at: path, in: document).contains { compare($0, comparison, constant) }
        case .collates(let path, let comparison, let constant):
            values(at: path, in: document).contains { collates($0, comparison, constant) }
        case .isIn(let path, let constants):
            values(at: path, in: document).contains { value in constants.contains { compare(value, .equal, $0) } }
        case .folded(let path, let collation, let condition):
            values(at: path, in: document).contains { $0.stringValue.map { holds(condition, $0, collation) } ?? false }
        case .anyKey(let path, let part):
            values(at: path, in: document).contains { value in
                members(of: value)?.contains { holds(part.content, for: .string($0.name)) } ?? false
            }
        case .hasPrefix(let path, let prefix):
            values(at: path, in: document).contains { utf8($0).map { $0.starts(with: Array(prefix.utf8)) } ?? false }
        case .contains(let path, let part):
            values(at: path, in: document).contains { utf8($0).map { occurs(Array(part.utf8), in: $0) } ?? false }
        case .hasMatch(let path, let pattern):
            values(at: path, in: document).contains { $0.stringValue.map { pattern.hasMatch(in: $0) } ?? false }
        case .isBelow(let path, let keyword, let separator):
            values(at: path, in: document).contains { value in
                guard let text = utf8(value) else { return false }
                return text == Array(keyword.utf8) || text.starts(with: Array((keyword + separator).utf8))
            }
        case .hasKind(let path, let kinds): values(at: path, in: document).contains { kinds.contains($0.kind) }
        case .hasCount(let path, let count): values(at: path, in: document).contains { $0.arrayValue?.count == count }
        case .isCongruent(let path, let divisor, let remainder):
            values(at: path, in: document).contains { value in
                guard case .int(let number) = value, divisor != 0 else { return false }
                return number.remainderReportingOverflow(dividingBy: divisor).partialValue == remainder
            }
        case .isDated(let path, let span):
            values(at: path, in: document).contains { value in
                date(value).map { date in
                    (span.lower.map { date.milliseconds >= $0 } ?? true)
                        && (span.upper.map { date.milliseconds < $0 } ?? true)
                } ?? false
            }
        case .hasDatePart(let path, let part, let ranges):
            values(at: path, in: document).contains { value in
                guard let date = date(value), let number = self.number(part, of: date) else { return false }
                return ranges.contains { $0.contains(number) }
            }
        case .exists(let path): !values(at: path, in: document).isEmpty
        case .anyElement(let path, let part):
            values(at: path, in: document).flatMap { value -> [DocumentValue] in
                if case .eachElement = path.steps.last { return [value] }
                switch value {
                case .array(let elements): return elements
                case .null: return []
                default: return [value]
                }
            }.contains { holds(part.content, for: $0) }
        case .isWithin(let field, let box): points(of: field, in: document).contains { box.contains($0) }
        case .isNear(let field, let center, let meters):
            points(of: field, in: document).contains { center.distance(to: $0) <= meters }
        case .search(let condition): finds(condition.text, in: document)
        case .and(let parts): parts.content.reduce(true) { $0 && holds($1, for: document) }
        case .or(let parts): parts.content.reduce(false) { $0 || holds($1, for: document) }
        case .not(let part): !holds(part.content, for: document)
        }
    }

    private static func holds(_ condition: Filter.StringCondition, _ text: String, _ collation: TextCollation) -> Bool {
        func folded(_ text: String) -> [UInt8] { ReferenceOrder.folded(text, collation) }
        switch condition {
        case .compare(let comparison, let constant):
            let order = ReferenceOrder.compare(text, constant, collation)
            return switch comparison {
            case .equal: order == 0
            case .less: order < 0
            case .lessOrEqual: order <= 0
            case .greater: order > 0
            case .greaterOrEqual: order >= 0
            }
        case .isIn(let texts): return texts.contains { ReferenceOrder.compare(text, $0, collation) == 0 }
        case .hasPrefix(let prefix): return folded(text).starts(with: folded(prefix))
        case .contains(let part): return occurs(folded(part), in: folded(text))
        }
    }

    // MARK: - Searches

    /// Returns whether a document matches a search, for the part of the notation that tests use: `fog "golden gate"
    /// -rain OR sea`. Searches all strings of the document; words are runs of ASCII letters and digits.
    private static func finds(_ search: String, in document: DocumentValue) -> Bool {
        let texts = self.texts(in: document).map(words)
        var alternatives: [[String]] = [[]]
        for part in parts(of: search) {
            if part == "OR" { alternatives.append([]) } else { alternatives[alternatives.count - 1].append(part) }
        }
        return alternatives.contains { parts in
            parts.allSatisfy { part in
                let phrase = words(part)
                let isThere = texts.contains { text in
                    text.indices.contains { text[$0...].starts(with: phrase) }
                }
                return isThere != part.hasPrefix("-")
            }
        }
    }

    /// Words with their prefix operators, and phrases.
    private static func parts(of search: String) -> [String] {
        search.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { position, part in
            position % 2 == 1 ? [String(part)] : part.split(separator: " ").map { String($0) }
        }
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map { String($0) }
    }

    private static func texts(in value: DocumentValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        case .object(let object): object.flatMap { texts(in: $0.value) }
        case .attachment: members(of: value).map { texts(in: .object($0)) } ?? []
        default: []
        }
    }

    // MARK: - Dates and locations

    private static func date(_ value: DocumentValue) -> DocumentDate? {
        switch value {
        case .date(let date): return date
        case .string(let text):
            // Converts both forms that the generator produces to the one that the library reads.
            var text = text
            if text.utf8.count >= 10, Array(text.utf8)[4] == UInt8(ascii: ":") {
                let day = text.prefix(10).split(separator: ":").joined(separator: "-")
                text = day + text.dropFirst(10)
            }
            text = String(text.map { $0 == " " ? "T" : $0 })
            return DocumentDate(iso8601: text.utf8.count == 10 ? text + "T00:00:00" : text)
        default: return nil
        }
    }

    /// Computed from the string form of the date, which shows local time.
    private static func number(_ part: DocumentDate.Part, of date: DocumentDate) -> Int64? {
        let text = date.iso8601
        let isNegative = text.hasPrefix("-")
        let numbers = text.drop { $0 == "-" || $0 == "+" }.split { !$0.isNumber }.compactMap { Int64($0) }
        guard numbers.count >= 5 else { return nil }
        let year = isNegative ? -numbers[0] : numbers[0]
        switch part {
        case .year: return year
        case .month: return numbers[1]
        case .day: return numbers[2]
        case .yearMonth: return year * 100 + numbers[1]
        case .yearMonthDay: return year * 10_000 + numbers[1] * 100 + numbers[2]
        case .monthDay: return numbers[1] * 100 + numbers[2]
        case .hour: return numbers[3]
        case .minute: return numbers[4]
        case .weekday:
            // Zeller's congruence, for years that are not negative modulo 400.
            let (month, shifted) = numbers[1] < 3 ? (numbers[1] + 12, year - 1) : (numbers[1], year)
            let cycle = ((shifted % 400) + 400) % 400
            let day = (numbers[2] + 13 * (month + 1) / 5 + cycle + cycle / 4 - cycle / 100 + cycle / 400) % 7
            return (day + 5) % 7 + 1
        }
    }

    private static func points(of field: GeoField, in document: DocumentValue) -> [GeoPoint] {
        guard case .object(let object) = document else { return [] }
        return points(of: field, in: object)
    }

    private static func points(of field: GeoField, in document: DocumentObject) -> [GeoPoint] {
        switch field {
        case .location(let path): values(at: path, in: document).compactMap { GeoPoint($0) }
        case .coordinates(let latitude, let longitude):
            // No arrays: the generator produces none here.
            values(at: latitude, in: document).prefix(1).flatMap { latitude in
                values(at: longitude, in: document).prefix(1).compactMap { longitude in
                    latitude.numberValue.flatMap { latitude in
                        longitude.numberValue.flatMap { GeoPoint(latitude: latitude, longitude: $0) }
                    }
                }
            }
        }
    }

    private static func collates(
        _ value: DocumentValue, _ comparison: Filter.Comparison, _ constant: DocumentValue
    ) -> Bool {
        let order = ReferenceOrder.compare(value, constant)
        return switch comparison {
        case .equal: order == 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// Returns the values of a document at several paths: an array of all values where a path passes through arrays.
    public static func fields(_ paths: [FieldPath], of document: DocumentObject) -> DocumentObject {
        var result = DocumentObject()
        for path in paths {
            let found = values(at: path, in: document)
            if path.hasArrayStep {
                result[path.description] = .array(found)
            } else if let value = found.first {
                result[path.description] = value
            }
        }
        return result
    }

    // MARK: - Helpers

    /// Returns every value that a path leads to.
    private static func values(at path: FieldPath, in document: DocumentObject) -> [DocumentValue] {
        values(at: path, in: .object(document))
    }

    private static func values(at path: FieldPath, in document: DocumentValue) -> [DocumentValue] {
        var values: [DocumentValue] = [document]
        for step in path.steps {
            values = values.flatMap { value -> [DocumentValue] in
                switch (step, value) {
                case (.name(let name), _): members(of: value)?[name].map { [$0] } ?? []
                case (.eachElement, .array(let elements)): elements
                case (.eachElement, .null): []
                case (.eachElement, _): [value]
                }
            }
        }
        return values
    }

    /// The members of an object or an attachment; `nil` for other values.
    private static func members(of value: DocumentValue) -> DocumentObject? {
        switch value {
        case .object(let object): return object
        case .attachment(let attachment):
            var object: DocumentObject = [
                "sha256": .string(attachment.digest.description), "bytes": .int(attachment.byteCount),
                "type": .string(attachment.type),
            ]
            object["name"] = attachment.name.map { .string($0) }
            return object
        default: return nil
        }
    }

    private static func compare(
        _ value: DocumentValue, _ comparison: Filter.Comparison, _ constant: DocumentValue
    ) -> Bool {
        guard isComparable(value, constant) else { return false }
        let order = ReferenceOrder.compare(value, constant)
        return switch comparison {
        case .equal: order == 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// Returns whether two values are of the same kind, and of a kind that is ordered.
    private static func isComparable(_ a: DocumentValue, _ b: DocumentValue) -> Bool {
        switch (a, b) {
        case (.date, .date): true
        case (.int, .int), (.bool, .bool), (.string, .string), (.bytes, .bytes), (.null, .null): true
        case (.attachment, .attachment): true
        // NaN is comparable only with itself.
        case (.int, .double(let number)), (.double(let number), .int): !number.isNaN
        case (.double(let a), .double(let b)): a.isNaN == b.isNaN
        // Arrays and objects can only be compared for equality.
        case (.array, .array), (.object, .object): ReferenceOrder.compare(a, b) == 0
        default: false
        }
    }

    private static func utf8(_ value: DocumentValue) -> [UInt8]? { value.stringValue.map { Array($0.utf8) } }

    private static func occurs(_ part: [UInt8], in text: [UInt8]) -> Bool {
        (0...text.count).contains { text[$0...].starts(with: part) }
    }
}
