/// Finds the parts of a query that no document can satisfy.
struct QueryDiagnosis {
    /// A condition on one path.
    private struct Leaf {
        let path: FieldPath
        let filter: Filter
        /// Whether every result must satisfy the condition.
        let isRequired: Bool
        /// Whether results must not satisfy the condition. If it can never hold, all documents are results.
        var isNegated = false
    }

    /// The maximum number of conditions checked.
    private static let leafLimit = 32
    /// The maximum number of indexed values compared with a string.
    private static let comparedValueLimit = 10_000
    private static let suggestionLimit = 3

    private let collection: DocumentCollection
    private let names: FieldNames
    private(set) var diagnostics: [Query.Diagnostic] = []
    private var knownPaths: Set<FieldPath> = []
    private lazy var candidates = FieldCandidates(collection)

    init(_ collection: DocumentCollection, names: FieldNames) {
        self.collection = collection
        self.names = names
        knownPaths.insert(FieldPath(checked: [.name(collection.definition.idField)]))
    }

    /// Checks the conditions of a query.
    mutating func add(_ filter: Filter, foundSomething: Bool) throws {
        var leaves: [Leaf] = []
        Self.collect(filter, isRequired: true, below: nil, into: &leaves)
        for leaf in leaves.prefix(Self.leafLimit) where !(foundSomething && leaf.isRequired) {
            if mayBeThere(leaf.path) {
                if !foundSomething || leaf.isNegated { try probe(leaf, kindsAlone: foundSomething) }
            } else {
                try addUnknown(leaf.path, leaf.filter)
            }
        }
    }

    /// Checks a field that is sorted by, counted or shown.
    mutating func add(_ path: FieldPath) throws {
        if try isUnknown(path) { try addUnknown(path, nil) }
    }

    // MARK: - Conditions

    /// Collects the conditions on single paths.
    private static func collect(
        _ filter: Filter, isRequired: Bool, isNegated: Bool = false, below array: FieldPath?, into leaves: inout [Leaf]
    ) {
        func whole(_ path: FieldPath) -> FieldPath {
            array.map { FieldPath(checked: $0.steps + path.steps) } ?? path
        }
        switch filter {
        case .all, .search: break
        case .and(let parts):
            for part in parts.content {
                collect(part, isRequired: isRequired, isNegated: isNegated, below: array, into: &leaves)
            }
        case .or(let parts):
            let isRequired = isRequired && parts.content.count == 1
            for part in parts.content {
                collect(part, isRequired: isRequired, isNegated: isNegated, below: array, into: &leaves)
            }
        case .not(let part):
            guard case .exists(let path) = part.content else {
                return collect(
                    part.content, isRequired: false, isNegated: !isNegated, below: array, into: &leaves)
            }
            leaves.append(Leaf(path: whole(path), filter: filter, isRequired: false))
        case .isWithin(let field, _), .isNear(let field, _, _):
            for path in field.paths {
                leaves.append(Leaf(path: whole(path), filter: filter, isRequired: isRequired))
            }
        case .anyElement(let path, let part):
            let path = whole(path).eachElement
            leaves.append(Leaf(path: path, filter: .exists(path), isRequired: isRequired))
            collect(part.content, isRequired: isRequired, isNegated: isNegated, below: path, into: &leaves)
        default:
            guard let path = filter.leafPath else { return }
            leaves.append(
                Leaf(path: whole(path), filter: filter, isRequired: isRequired, isNegated: isNegated))
        }
    }

    /// - Parameter kindsAlone: Whether only the kinds of values are of interest, which needs few documents.
    private mutating func probe(_ leaf: Leaf, kindsAlone: Bool) throws {
        if leaf.filter.missingPath != nil { return }
        if let field = leaf.filter.geoField, field.paths.contains(leaf.path) { return try probeLocations(leaf, field) }
        if let holding = leaf.filter.holdsAtAll(leaf.path), try hasDocument(holding) {
            knownPaths.insert(leaf.path)
            if kindsAlone { return }
            try probeDates(leaf)
            try probeNumbers(leaf)
            try probeSpelling(leaf)
            return
        }
        if try isUnknown(leaf.path) { return try addUnknown(leaf.path, leaf.filter) }
        var kinds = try FieldCandidates.kinds(of: leaf.path, in: collection)
        if kinds.contains(.string), try FieldCandidates.holdsDatesAlone(leaf.path, in: collection) { kinds = [.date] }
        guard leaf.filter.holdsAtAll(leaf.path) != nil, !kinds.isEmpty else { return }
        append(
            Query.Diagnostic(
                path: leaf.path, problem: .otherKinds(kinds), condition: leaf.filter.description,
                suggestions: try suggestions(for: leaf, kinds)))
    }

    /// Checks for a field without a single location.
    private mutating func probeLocations(_ leaf: Leaf, _ field: GeoField) throws {
        let everywhere = GeoBox(south: -90, west: -180, north: 90, east: 180)
        if let everywhere, try hasDocument(.isWithin(field, everywhere)) { return }
        if try isUnknown(leaf.path) { return try addUnknown(leaf.path, leaf.filter) }
        let kinds = try FieldCandidates.kinds(of: leaf.path, in: collection)
        // A number may well be half of a location.
        let isCoordinate = field.paths.count > 1 && !kinds.isDisjoint(with: [.int, .double])
        guard !kinds.isEmpty, !isCoordinate else { return }
        append(
            Query.Diagnostic(
                path: leaf.path, problem: .noLocation(kinds), condition: leaf.filter.description, suggestions: []))
    }

    /// Returns alternative conditions that could hold for values of these kinds.
    private func suggestions(for leaf: Leaf, _ kinds: Set<DocumentValue.Kind>) throws -> [String] {
        guard kinds.contains(.array), !leaf.path.hasArrayStep else {
            let areTexts = try kinds.contains(.string) && hasNumbersOfOtherLengths(leaf)
            return areTexts ? [] : leaf.filter.suggestions(for: kinds, at: leaf.path)
        }
        // The elements of an array may be meant.
        guard let holding = leaf.filter.holdsAtAll(leaf.path.eachElement), try hasDocument(holding) else {
            return []
        }
        return leaf.filter.suggestionsForElements(at: leaf.path)
    }

    /// Whether strings cannot be compared like the numbers that they read as: "7" is greater than "40".
    private func hasNumbersOfOtherLengths(_ leaf: Leaf) throws -> Bool {
        guard case .compare(_, let comparison, let value) = leaf.filter, comparison != .equal, value.numberValue != nil
        else { return false }
        let length = value.notation.utf8.count
        let shorter = length > 1 ? "[-+.,0-9]{1,\(length - 1)}|" : ""
        guard let pattern = try? Filter.TextPattern("^(\(shorter)[-+.,0-9]{\(length + 1),})$") else { return false }
        return try hasDocument(.hasMatch(leaf.path, pattern))
    }

    /// Checks for a string that is not a date but is compared with dates.
    private mutating func probeDates(_ leaf: Leaf) throws {
        guard case .compare(_, let comparison, .string(let text)) = leaf.filter, comparison != .equal,
            DateText.date(in: text, formats: DocumentDate.Format.allCases) == nil, Filter.DateSpan(text) == nil,
            try FieldCandidates.holdsDatesAlone(leaf.path, in: collection)
        else { return }
        append(
            Query.Diagnostic(
                path: leaf.path, problem: .notADate, condition: leaf.filter.description, suggestions: []))
    }

    /// Checks for numbers that are stored as strings among others that are not.
    private mutating func probeNumbers(_ leaf: Leaf) throws {
        guard let values = leaf.filter.numbers, let isNumber = try? Filter.TextPattern("^[-+]?\\d+([.,]\\d+)?$"),
            try hasDocument(.hasMatch(leaf.path, isNumber))
        else { return }
        let texts = values.map { DocumentValue.string($0.notation) }
        let suggestion: Filter? =
            switch leaf.filter {
            case .compare(_, .equal, _): .compare(leaf.path, .equal, texts[0])
            case .isIn: .isIn(leaf.path, texts)
            default: nil
            }
        append(
            Query.Diagnostic(
                path: leaf.path, problem: .numbersInStrings, condition: leaf.filter.description,
                suggestions: try suggestion.flatMap { try hasDocument($0) ? [$0.description] : nil } ?? []))
    }

    /// Checks for strings that differ from the constants only in case or accents.
    private mutating func probeSpelling(_ leaf: Leaf) throws {
        guard let condition = leaf.filter.strings, try !hasDocument(leaf.filter.at(leaf.path)) else { return }
        let folded = Filter.folded(leaf.path, .caseAndAccentInsensitive, condition)
        guard try hasDocument(folded) else { return try probeSlips(leaf) }
        append(
            Query.Diagnostic(
                path: leaf.path, problem: .otherSpelling, condition: leaf.filter.description,
                suggestions: [folded.description]))
    }

    /// Checks for indexed strings that differ from the constant in one or two characters.
    private mutating func probeSlips(_ leaf: Leaf) throws {
        guard case .compare(_, .equal, .string(let text)) = leaf.filter else { return }
        let wanted = text.lowercased()
        let limit = max(1, min(2, wanted.count / 3))
        guard wanted.count > 2 else { return }
        var near: [(text: String, distance: Int)] = []
        var count = 0
        var cancellation = CancellationCheck()
        _ = try collection.forEachIndexedValue(at: leaf.path) { value in
            try cancellation.step()
            count += 1
            // Other digits are another number, not a slip.
            if case .string(let known) = value, abs(known.count - wanted.count) <= limit,
                known.filter(\.isNumber) == wanted.filter(\.isNumber)
            {
                let distance = NameDistance.between(known.lowercased(), wanted)
                if distance <= limit { near.append((known, distance)) }
            }
            return count < Self.comparedValueLimit
        }
        guard !near.isEmpty else { return }
        let nearest = near.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
        append(
            Query.Diagnostic(
                path: leaf.path, problem: .similarStrings, condition: leaf.filter.description,
                suggestions: nearest.prefix(Self.suggestionLimit).map {
                    Filter.compare(leaf.path, .equal, .string($0.element.text)).description
                }))
    }

    private func hasDocument(_ filter: Filter) throws -> Bool {
        var isThere = false
        try collection.forEach(matching: Query(filter, limit: 1)) { _ in
            isThere = true
            return false
        }
        return isThere
    }

    // MARK: - Fields

    /// Returns whether the names of a path may occur in documents. The name table keeps names of deleted documents, and
    /// names that it does not accept, and those of the members of attachments, may occur anywhere.
    private func mayBeThere(_ path: FieldPath) -> Bool {
        if knownPaths.contains(path) { return true }
        return path.steps.allSatisfy { step in
            guard case .name(let name) = step else { return true }
            return names.number(of: name) != nil || !names.takes(name) || Attachment.Member(pathName: name) != nil
        }
    }

    private mutating func isUnknown(_ path: FieldPath) throws -> Bool {
        if knownPaths.contains(path) { return false }
        if mayBeThere(path), try hasDocument(.exists(path)) {
            knownPaths.insert(path)
            return false
        }
        return true
    }

    private mutating func addUnknown(_ path: FieldPath, _ filter: Filter?) throws {
        // Documents may get a declared field later.
        let isDeclared = collection.definition.indexes.contains { index in
            (index.fields + index.covered).contains { $0.nameSteps == path.nameSteps }
        }
        if isDeclared { return }
        let near = try candidates.near(path)
        switch filter {
        // `EXISTS` and `NOT` are valid on a missing field. Report it only if its name is similar to a known one.
        case .exists, .not: if near.isEmpty { return }
        default: break
        }
        append(
            Query.Diagnostic(
                path: path, problem: .unknownField, condition: filter?.description, suggestions: near))
    }

    private mutating func append(_ diagnostic: Query.Diagnostic) {
        let isKnown = diagnostics.contains {
            $0.path == diagnostic.path && $0.problem == diagnostic.problem
        }
        if !isKnown { diagnostics.append(diagnostic) }
    }
}

extension FieldPath {
    /// The steps without `[]`.
    var nameSteps: [Step] { steps.filter { $0 != .eachElement } }
}

extension Filter {
    /// Returns the condition that the path has a value for which this condition can hold; `nil` if every value
    /// qualifies.
    fileprivate func holdsAtAll(_ path: FieldPath) -> Filter? {
        func kind(_ value: DocumentValue) -> Set<DocumentValue.Kind> {
            value.numberValue == nil ? [value.kind] : [.int, .double]
        }
        return switch self {
        case .compare(_, _, let value): .hasKind(path, kind(value))
        case .isIn(_, let values) where !values.isEmpty:
            .hasKind(path, values.reduce(into: []) { $0.formUnion(kind($1)) })
        case .folded, .hasPrefix, .contains, .hasMatch, .isBelow: .hasKind(path, [.string])
        case .isDated, .hasDatePart: .isDated(path, Filter.DateSpan())
        case .isCongruent: .hasKind(path, [.int])
        case .hasCount: .hasKind(path, [.array])
        default: nil
        }
    }

    /// The numbers that the condition compares with; `nil` for other conditions.
    fileprivate var numbers: [DocumentValue]? {
        switch self {
        case .compare(_, _, let value): value.numberValue == nil ? nil : [value]
        case .isIn(_, let values): values.isEmpty || values.contains { $0.numberValue == nil } ? nil : values
        default: nil
        }
    }

    /// The condition on strings that differ in case and accents; `nil` for other conditions.
    fileprivate var strings: StringCondition? {
        switch self {
        case .compare(_, .equal, .string(let text)): return .compare(.equal, text)
        case .isIn(_, let values):
            let texts = values.compactMap(\.stringValue)
            return texts.isEmpty ? nil : .isIn(texts)
        case .hasPrefix(_, let text): return .hasPrefix(text)
        case .contains(_, let text): return .contains(text)
        default: return nil
        }
    }

    /// The condition on strings at another path.
    fileprivate func at(_ path: FieldPath) -> Filter {
        switch self {
        case .compare(_, let comparison, let value): .compare(path, comparison, value)
        case .isIn(_, let values): .isIn(path, values)
        case .hasPrefix(_, let text): .hasPrefix(path, text)
        case .contains(_, let text): .contains(path, text)
        default: self
        }
    }

    /// Returns alternatives to this condition that could hold for values of these kinds.
    fileprivate func suggestions(for kinds: Set<DocumentValue.Kind>, at path: FieldPath) -> [String] {
        switch self {
        case .compare(_, .equal, .null): return ["\(path.notation) MISSING"]
        case .compare(_, let comparison, let value):
            return value.converted(to: kinds).map { "\(path.notation) \(comparison.rawValue) \($0)" }
        case .isIn(_, let values):
            let converted = values.compactMap { $0.converted(to: kinds).first }
            return converted.count == values.count ? ["\(path.notation) IN (\(converted.joined(separator: ", ")))"] : []
        default: return []
        }
    }

    /// Returns this condition applied to the elements of an array; empty if that is not possible.
    fileprivate func suggestionsForElements(at path: FieldPath) -> [String] {
        let elements = path.eachElement
        return switch self {
        case .compare(_, .equal, let value): ["\(path.notation) HAS \(value.notation)"]
        case .compare(_, let comparison, let value):
            ["\(elements.notation) \(comparison.rawValue) \(value.notation)"]
        case .folded(_, let collation, let condition): [Filter.folded(elements, collation, condition).description]
        case .hasPrefix(_, let text): [Filter.hasPrefix(elements, text).description]
        case .contains(_, let text): [Filter.contains(elements, text).description]
        case .hasMatch(_, let pattern): [Filter.hasMatch(elements, pattern).description]
        case .isIn(_, let values): [Filter.isIn(elements, values).description]
        case .isDated(_, let span): [Filter.isDated(elements, span).description]
        default: []
        }
    }
}

extension DocumentValue {
    /// Returns the value in the notation of conditions, converted to one of these kinds; empty if it cannot be
    /// converted.
    fileprivate func converted(to kinds: Set<Kind>) -> [String] {
        switch self {
        case .string(let text):
            let read = FilterParser.value(ofWord: text)
            if kinds.contains(.int) || kinds.contains(.double), read.numberValue != nil { return [read.notation] }
            return kinds.contains(.bool) && read.kind == .bool ? [read.notation] : []
        case .int(let year) where (1000...9999).contains(year) && kinds.contains(.date): return ["date \(year)"]
        case .int, .double, .bool: return kinds.contains(.string) ? [notation.quotedNotation] : []
        default: return []
        }
    }
}
