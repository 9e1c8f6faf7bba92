public import DocIndex

/// Makes random schemas and queries over the documents that ``RandomDocuments`` makes.
public struct RandomQueries: Sendable {
    /// The generator of the constants, and the source of everything.
    public var documents: RandomDocuments

    /// A generator that draws from a source.
    public init(_ random: SplitMix64) { documents = RandomDocuments(random) }

    private mutating func number(below limit: Int) -> Int { documents.random.number(below: limit) }

    // MARK: - Schemas

    /// Up to seven value indexes: of one field or several, with `[]` in no more than one of them.
    public mutating func indexes() -> [IndexDefinition] {
        (0..<number(below: 8)).map { position in
            var fields = [path()]
            while documents.random.once(in: 2), fields.count < 3 {
                let next = path()
                if !next.hasArrayStep || !fields.contains(where: \.hasArrayStep) { fields.append(next) }
            }
            return IndexDefinition("index \(position)", kind: .value, fields: fields)
        }
    }

    // MARK: - Queries

    /// A query.
    public mutating func query() -> Query {
        var query = Query(predicate(depth: 2))
        for _ in 0..<documents.random.pick([0, 0, 1, 1, 1, 2, 3]) {
            let path = path()
            if !path.hasArrayStep {
                query.sort.append(Query.SortKey(path, isDescending: documents.random.once(in: 2)))
            }
        }
        if documents.random.once(in: 2) { query.limit = documents.random.pick([0, 1, 2, 3, 5, 10, 30, 1000]) }
        if documents.random.once(in: 4) { query.offset = documents.random.pick([1, 2, 5, 20, 1000]) }
        return query
    }

    /// A condition with no more than `depth` levels of AND, OR and NOT.
    public mutating func predicate(depth: Int) -> Predicate {
        switch number(below: depth > 0 ? 14 : 7) {
        case 7, 8, 9: .and((0..<number(below: 4)).map { _ in predicate(depth: depth - 1) })
        case 10, 11: .or((0..<number(below: 4)).map { _ in predicate(depth: depth - 1) })
        case 12: .not(predicate(depth: depth - 1))
        case 13: documents.random.once(in: 3) ? .all : .not(.exists(path()))
        case 6: documents.random.once(in: 2) ? .exists(path()) : .not(.exists(path()))
        case 5: .isIn(path(), (0..<number(below: 5)).map { _ in constant() })
        case 4: documents.random.once(in: 2) ? .hasPrefix(path(), text()) : .contains(path(), text())
        case 3: .between(path(), constant(), constant())
        case 2: .compare(path(), documents.random.pick(Predicate.Comparison.allCases), constant())
        default: .compare(path(), .equal, constant())
        }
    }

    private mutating func path() -> FieldPath {
        // Few, so that several conditions meet on one path.
        switch number(below: 6) {
        case 0, 1: documents.random.pick(["a", "b"])
        case 2: "tags[]"
        case 3: documents.random.pick(RandomDocuments.arrayPaths)
        default: documents.random.pick(RandomDocuments.scalarPaths)
        }
    }

    private mutating func constant() -> DocumentValue {
        documents.random.once(in: 12) ? documents.value() : documents.scalar()
    }

    private mutating func text() -> String {
        documents.random.pick(["", "a", "a\0", "b", "\0", "e", "\u{e9}", "\u{ffff}", "zz"])
    }
}
