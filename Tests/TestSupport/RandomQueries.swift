public import DocIndex

/// Generates random schemas and queries for the documents of ``RandomDocuments``.
public struct RandomQueries: Sendable {
    /// The generator of constants, and the source of all random numbers.
    public var documents: RandomDocuments

    /// Creates a generator that draws from a source.
    public init(_ random: SplitMix64) { documents = RandomDocuments(random) }

    private mutating func number(below limit: Int) -> Int { documents.random.number(below: limit) }

    // MARK: - Schemas

    /// Conditions of partial indexes.
    private static let conditions: [String] = [
        "a >= 1", "a exists", "b = 1 or tags has 2", "n.x missing", "a ^= a and b exists", "a in (1, 2, a)",
        "not b = 1",
    ]

    /// Returns up to seven indexes of all kinds that accept any document.
    public mutating func indexes() -> [IndexDefinition] {
        (0..<number(below: 8)).map { position in
            let name = "index \(position)"
            if documents.random.once(in: 12) {
                return .geo(
                    name, on: documents.random.pick(["n", "tags", "people[]"]), sparse: documents.random.once(in: 2))
            }
            var components = [component()]
            while documents.random.once(in: 2), components.count < 3 { components.append(component()) }
            var definition = IndexDefinition(name, kind: .value, components: components)
            definition.isSparse = documents.random.once(in: 6)
            if documents.random.once(in: 5) {
                definition.condition = try? IndexDefinition.Condition(parsing: documents.random.pick(Self.conditions))
            }
            definition.countsValues = documents.random.once(in: 4)
            if documents.random.once(in: 4) { definition.covered = [path(), path()] }
            return definition
        }
    }

    /// Returns a component with a valid combination of properties; half the time only a path.
    public mutating func component() -> IndexDefinition.Component {
        var component = IndexDefinition.Component(path())
        if documents.random.once(in: 3) { component.order = .descending }
        switch number(below: 14) {
        case 0: component.collation = .caseInsensitive
        case 1: component.collation = .caseAndAccentInsensitive
        case 2: component.collation = .natural
        case 3: component.dateFormats = [.exif, .iso8601]
        case 4:
            component.dateFormats = [.iso8601]
            component.part = documents.random.pick(DocumentDate.Part.allCases)
        case 5: component.separator = documents.random.pick(["|", "a", "||", "\u{e9}"])
        case 6:
            component.separator = "|"
            component.collation = .caseInsensitive
        default: break
        }
        return component
    }

    // MARK: - Queries

    /// Returns one to three paths to select.
    public mutating func selection() -> [FieldPath] {
        (0...number(below: 3)).map { _ in documents.random.once(in: 4) ? "id" : path() }
    }

    /// Returns a query.
    public mutating func query() -> Query {
        var query = Query(filter(depth: 2))
        if documents.random.once(in: 6), let condition = try? Filter(parsing: documents.random.pick(Self.conditions)) {
            query.filter = .and([query.filter, condition])
        }
        for _ in 0..<documents.random.pick([0, 0, 1, 1, 1, 2, 3]) {
            let path = path()
            if documents.random.once(in: 8) {
                query.sort.append(
                    Query.SortKey(
                        .distance(.location(documents.random.pick(["n", "tags", "people[]"])), to: Self.center),
                        order: documents.random.once(in: 4) ? .descending : .ascending))
            } else if !path.hasArrayStep {
                let collation = documents.random.once(in: 4) ? documents.random.pick(TextCollation.allCases) : .binary
                query.sort.append(
                    Query.SortKey(
                        path, order: documents.random.once(in: 2) ? .descending : .ascending, collation: collation))
            }
        }
        if documents.random.once(in: 2) { query.limit = documents.random.pick([0, 1, 2, 3, 5, 10, 30, 1000]) }
        if documents.random.once(in: 4) { query.offset = documents.random.pick([1, 2, 5, 20, 1000]) }
        return query
    }

    /// Returns a condition with at most `depth` levels of AND, OR and NOT.
    public mutating func filter(depth: Int) -> Filter {
        if documents.random.once(in: 5) { return uncommon() }
        return switch number(below: depth > 0 ? 14 : 7) {
        case 7, 8, 9: .and((0..<number(below: 4)).map { _ in filter(depth: depth - 1) })
        case 10, 11: .or((0..<number(below: 4)).map { _ in filter(depth: depth - 1) })
        case 12: .not(filter(depth: depth - 1))
        case 13: documents.random.once(in: 3) ? .all : .not(.exists(path()))
        case 6: documents.random.once(in: 2) ? .exists(path()) : .not(.exists(path()))
        case 5: .isIn(path(), (0..<number(below: 5)).map { _ in constant() })
        case 4: documents.random.once(in: 2) ? .hasPrefix(path(), text()) : .contains(path(), text())
        case 3: .between(path(), constant(), constant())
        case 2: .compare(path(), documents.random.pick(Filter.Comparison.allCases), constant())
        default: .compare(path(), .equal, constant())
        }
    }

    private mutating func uncommon() -> Filter {
        let random = number(below: 17)
        let path = path()
        return switch random {
        case 0: .collates(path, documents.random.pick(Filter.Comparison.allCases), constant())
        case 1: pattern(path)
        case 2:
            .isBelow(
                path, documents.random.pick(["a", "a|b", "", "b"]), separator: documents.random.pick(["|", "a", "||"]))
        case 3: .hasKind(path, documents.random.pick(DocumentValue.Kind.allCases))
        case 4: .hasCount(path, number(below: 4))
        case 5:
            .isCongruent(path, divisor: documents.random.pick([2, 3, -1, -2]), remainder: Int64(number(below: 3)) - 1)
        case 6, 7: .isDated(path, span())
        case 8: datePart(path)
        case 9, 10: element()
        case 13, 14, 15:
            .folded(path, documents.random.pick([.binary, .caseInsensitive, .caseAndAccentInsensitive]), folded())
        case 16: .anyKey(path, .compare(.element, documents.random.pick(Filter.Comparison.allCases), .string(text())))
        case 11: .isWithin(.location(documents.random.pick(["n", "tags", "people[]", "n.x"])), box())
        default: near(meters: documents.random.pick([0, 1000, 200_000, 5_000_000]))
        }
    }

    private mutating func folded() -> Filter.StringCondition {
        switch number(below: 5) {
        case 0: .isIn((0..<number(below: 4)).map { _ in text() })
        case 1: .hasPrefix(text())
        case 2: .contains(text())
        case 3: .compare(documents.random.pick(Filter.Comparison.allCases), text())
        default: .compare(.equal, text())
        }
    }

    private mutating func pattern(_ path: FieldPath) -> Filter {
        let source = documents.random.pick(["^a", "b$", "[a-c]b?", "^(a|e.*)$", "\\d{4}", "^$", "IMG_0*2"])
        // The expressions above are well-formed.
        return (try? Filter.TextPattern(source, ignoresCase: documents.random.once(in: 2))).map { .hasMatch(path, $0) }
            ?? .all
    }

    private mutating func span() -> Filter.DateSpan {
        // 2012-06-08T18:02:11, 0, and neighboring values.
        let moments: [Int64?] = [nil, -1, 0, 1, 1_339_170_000_000, 1_339_178_531_000, 1_339_200_000_000, .min, .max]
        return Filter.DateSpan(from: documents.random.pick(moments), to: documents.random.pick(moments))
    }

    private mutating func datePart(_ path: FieldPath) -> Filter {
        let part = documents.random.pick(DocumentDate.Part.allCases)
        let numbers: [Int64] = [0, 1, 2, 5, 6, 8, 18, 608, 1970, 2012, 201206, .max, .min]
        let ranges = (0..<number(below: 3)).map { _ in
            let (a, b) = (documents.random.pick(numbers), documents.random.pick(numbers))
            return documents.random.once(in: 2) ? a...a : min(a, b)...max(a, b)
        }
        return .hasDatePart(path, part, ranges)
    }

    /// Returns a condition on one array element.
    private mutating func element() -> Filter {
        let path = documents.random.pick(["people", "people[]", "tags", "a", "n.x"] as [FieldPath])
        func inner(_ queries: inout RandomQueries) -> Filter {
            let path = queries.documents.random.pick(["name", "tags[]", "tags", .element, "x", "y"] as [FieldPath])
            return switch queries.number(below: 5) {
            case 0: .not(.exists(path))
            case 1: .compare(path, queries.documents.random.pick(Filter.Comparison.allCases), queries.constant())
            case 2: .isIn(path, [queries.constant(), queries.constant()])
            default: .compare(path, .equal, queries.constant())
            }
        }
        let parts = (0..<number(below: 3) + 1).map { _ in inner(&self) }
        return .anyElement(path, documents.random.once(in: 5) ? .or(parts) : .and(parts))
    }

    private mutating func box() -> GeoBox {
        let (a, b) = (Double(number(below: 180)) - 90, Double(number(below: 180)) - 90)
        let (west, east) = (Double(number(below: 360)) - 180, Double(number(below: 360)) - 180)
        return GeoBox(south: min(a, b), west: west, north: max(a, b), east: east)
            ?? GeoBox(around: Self.center, radius: 1000)
    }

    private static let center = GeoPoint(latitude: 1, longitude: 2)!

    private mutating func near(meters: Double) -> Filter {
        .isNear(.location(documents.random.pick(["n", "tags", "people[]", "n.x"])), Self.center, meters: meters)
    }

    private mutating func path() -> FieldPath {
        if documents.hasAttachments, documents.random.once(in: 4) {
            return documents.random.pick(RandomDocuments.attachmentPaths)
        }
        // Few, so that several conditions apply to the same path.
        return switch number(below: 6) {
        case 0, 1: documents.random.pick(["a", "b"])
        case 2: "tags[]"
        case 3: documents.random.pick(RandomDocuments.arrayPaths)
        default: documents.random.pick(RandomDocuments.scalarPaths)
        }
    }

    private mutating func constant() -> DocumentValue {
        switch number(below: 12) {
        case 0: documents.value()
        case 1, 2: documents.container()
        default: documents.scalar()
        }
    }

    private mutating func text() -> String {
        documents.random.pick([
            "", "a", "a\0", "b", "\0", "e", "\u{e9}", "\u{ffff}", "zz", "a|", "a|b", "|", "IMG", "A", "AB", "E\u{301}",
            "img_10",
        ])
    }
}
