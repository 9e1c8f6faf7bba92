import DocIndex
import TestSupport
import Testing

/// Selectors with CouchDB's semantics.
@Suite struct SelectorTests {
    private static let documents: [String] = [
        #"{"id": 1, "n": 5, "s": "abc", "tags": ["a", "b"], "o": {"x": 1}}"#,
        #"{"id": 2, "n": null, "s": "abd", "tags": [], "people": [{"name": "Ada", "age": 36}, {"name": "Bo", "age": 9}]}"#,
        #"{"id": 3, "n": "5", "s": "", "tags": "a", "o": {"x": {"y": 2}}, "people": [{"name": "Ada", "age": 9}]}"#,
        #"{"id": 4, "n": 5.0, "b": true, "tags": [["a"], 3], "a.b": 1}"#,
        #"{"id": 5, "n": -7, "b": false, "o": [1], "sizes": [70, 82, 90]}"#,
        #"{"id": 6}"#,
    ]

    /// Each selector and the IDs that satisfy it, by the rules of CouchDB's mango_selector.
    static let table: [(String, [Int64])] = [
        ("{}", [1, 2, 3, 4, 5, 6]), (#"{"n": 5}"#, [1, 4]), (#"{"n": {"$eq": 5}}"#, [1, 4]), (#"{"n": null}"#, [2]),
        (#"{"n": {"$ne": 5}}"#, [2, 3, 5]), (#"{"n": {"$not": {"$eq": 5}}}"#, [2, 3, 5]),
        (#"{"$not": {"n": 5}}"#, [2, 3, 5]), (#"{"n": {"$gt": null}}"#, [1, 3, 4, 5]),
        (#"{"n": {"$lt": 5}}"#, [2, 5]), (#"{"n": {"$lte": 5}}"#, [1, 2, 4, 5]), (#"{"n": {"$gte": "5"}}"#, [3]),
        (#"{"n": {"$not": {"$lt": 5}}}"#, [1, 3, 4]), (#"{"n": {"$gt": -7, "$lt": "a"}}"#, [1, 3, 4]),
        (#"{"n": {"$in": [5, "5"]}}"#, [1, 3, 4]), (#"{"n": {"$in": []}}"#, []), (#"{"n": {"$nin": [5]}}"#, [2, 3, 5]),
        (#"{"n": {"$nin": []}}"#, [1, 2, 3, 4, 5]), (#"{"n": {"$in": [null]}}"#, [2]),
        (#"{"tags": {"$in": ["a"]}}"#, [1, 3]), (#"{"tags": {"$nin": ["a"]}}"#, [2, 4]),
        (#"{"tags": {"$in": [["a"]]}}"#, [4]), (#"{"tags": "a"}"#, [3]), (#"{"tags": ["a", "b"]}"#, [1]),
        (#"{"n": {"$exists": true}}"#, [1, 2, 3, 4, 5]), (#"{"n": {"$exists": false}}"#, [6]),
        (#"{"n": {"$not": {"$exists": true}}}"#, [6]), (#"{"$nor": [{"n": 5}, {"b": false}]}"#, []),
        (#"{"$nor": [{"n": 5}, {"n": null}]}"#, [3, 5]), (#"{"$or": [{"n": 5}, {"b": false}]}"#, [1, 4, 5]),
        (#"{"$and": [{"n": 5}, {"s": "abc"}]}"#, [1]), (#"{"$and": []}"#, [1, 2, 3, 4, 5, 6]),
        (#"{"$or": []}"#, [1, 2, 3, 4, 5, 6]), (#"{"$nor": []}"#, [1, 2, 3, 4, 5, 6]),
        (#"{"n": {"$or": [{"$eq": null}, {"$eq": "5"}]}}"#, [2, 3]),
        (#"{"n": {"$type": "number"}}"#, [1, 4, 5]), (#"{"n": {"$type": "null"}}"#, [2]),
        (#"{"tags": {"$type": "array"}}"#, [1, 2, 4]), (#"{"o": {"$type": "object"}}"#, [1, 3]),
        (#"{"b": {"$type": "boolean"}}"#, [4, 5]), (#"{"n": {"$not": {"$type": "number"}}}"#, [2, 3]),
        (#"{"tags": {"$all": ["a"]}}"#, [1]), (#"{"tags": {"$all": ["b", "a"]}}"#, [1]),
        (#"{"tags": {"$all": []}}"#, []),
        (#"{"tags": {"$all": [["a"]]}}"#, [4]), (#"{"tags": {"$all": [["a", "b"]]}}"#, [1]),
        (#"{"tags": {"$size": 2}}"#, [1, 4]), (#"{"tags": {"$size": 0}}"#, [2]),
        (#"{"people": {"$elemMatch": {"name": "Ada", "age": {"$gt": 30}}}}"#, [2]),
        (#"{"people": {"$elemMatch": {"name": "Ada", "age": 9}}}"#, [3]),
        (#"{"people": {"$elemMatch": {"name": {"$ne": "Ada"}}}}"#, [2]),
        (#"{"sizes": {"$elemMatch": {"$gte": 80, "$lt": 85}}}"#, [5]), (#"{"sizes": {"$elemMatch": {"$gt": 90}}}"#, []),
        (#"{"sizes": {"$allMatch": {"$gte": 70}}}"#, [5]), (#"{"sizes": {"$allMatch": {"$gt": 70}}}"#, []),
        (#"{"tags": {"$allMatch": {"$type": "string"}}}"#, [1]), (#"{"tags": {"$allMatch": {}}}"#, [1, 4]),
        (#"{"people": {"$allMatch": {"age": {"$lt": 37}}}}"#, [2, 3]),
        (#"{"people": {"$not": {"$allMatch": {"name": "Ada"}}}}"#, [2]),
        (#"{"tags": {"$elemMatch": {"$eq": "a"}}}"#, [1]), (#"{"n": {"$mod": [3, -1]}}"#, [5]),
        (#"{"n": {"$mod": [2, 1]}}"#, [1]), (#"{"s": {"$regex": "^ab[cd]$"}}"#, [1, 2]),
        (#"{"s": {"$regex": ""}}"#, [1, 2, 3]),
        (#"{"s": {"$beginsWith": "ab"}}"#, [1, 2]), (#"{"o.x": 1}"#, [1]), (#"{"o": {"x": 1}}"#, [1]),
        (#"{"o": {"x": {"y": 2}}}"#, [3]), (#"{"o": {"x": {"$type": "number"}}}"#, [1]), (#"{"a\\.b": 1}"#, [4]),
        (#"{"s": {"$eq": "ABC", "$collation": "ci"}}"#, [1]), (#"{"s": {"$eq": "ABC", "$collation": "binary"}}"#, []),
        (#"{"s": {"$ne": "ABC", "$collation": "ci-ai"}}"#, [2, 3]),
        (#"{"s": {"$beginsWith": "ÀB", "$collation": "ci-ai"}}"#, [1, 2]),
        (#"{"s": {"$gt": "ABC", "$lte": "ABD", "$collation": "ci"}}"#, [2]),
        (#"{"s": {"$not": {"$eq": "ABC"}, "$collation": "ci"}}"#, [2, 3]),
        (#"{"tags": {"$in": ["A"], "$collation": "ci"}}"#, [1, 3]),
        (#"{"tags": {"$nin": ["A"], "$collation": "ci"}}"#, [2, 4]),
        (#"{"s": {"$regex": "^AB", "$options": "i"}}"#, [1, 2]), (#"{"s": {"$regex": "(?i)^AB"}}"#, [1, 2]),
        (#"{"s": {"$regex": "^AB", "$options": ""}}"#, []),
        (#"{"o": {"$keyMapMatch": {"$eq": "x"}}}"#, [1, 3]), (#"{"o": {"$keyMapMatch": {"$eq": "y"}}}"#, []),
        (#"{"o.x": {"$keyMapMatch": {"$regex": "y"}}}"#, [3]), (#"{"o": {"$keyMapMatch": {}}}"#, [1, 3]),
        (#"{"o": {"$not": {"$keyMapMatch": {"$eq": "x"}}}}"#, [5]),
        (#"{"people": {"$elemMatch": {"$keyMapMatch": {"$eq": "age"}}}}"#, [2, 3]),
        (#"{"s": {"$not": {"$not": {"$eq": "abc"}}}}"#, [1]), (#"{"o": []}"#, []), (#"{"tags": []}"#, [2]),
    ]

    @Test func `Each operator means what it means in CouchDB, with and without an index`() throws {
        let indexes: [IndexDefinition] = [
            .value("n", on: "n"), .value("tags", on: "tags"), .value("each", on: "tags[]"), .value("o.x", on: "o.x"),
            .value("people", on: "people[].name", "people[].age"), .value("s", on: "s"), .value("sizes", on: "sizes[]"),
        ]
        let schema = Schema(collections: [CollectionDefinition("c", indexes: indexes), CollectionDefinition("bare")])
        try withTemporaryStore(schema: schema) { store in
            try store.write { transaction in
                for document in Self.documents {
                    let content = try #require(try DocumentValue(json: document).objectValue)
                    for collection in ["c", "bare"] { try transaction.put(content, in: collection) }
                }
            }
            for (selector, ids) in Self.table {
                let filter = try Filter(selector: selector)
                for collection in store.collections {
                    for plan in try collection.plans(Query(filter)) {
                        let found = try collection.find(
                            Query(filter), options: Query.Options(hint: .plan(plan.identity)))
                        #expect(found.map(\.id) == ids.map { .int($0) }, "\(selector), \(filter), \(plan)")
                    }
                }
                // A selector is an ordinary condition, and can be written as one.
                #expect(try Filter(parsing: filter.description) == filter, "\(filter)")
            }
        }
    }

    @Test(arguments: [
        (#"{"n": {"$near": 1}}"#, "$near"), (#"{"$where": "x"}"#, "$where"), (#"{"$search": "x"}"#, "$search"),
        (#"{"n": {"$keyMapMatch": 5}}"#, "$keyMapMatch"),
        (#"{"s": {"$eq": "a", "$collation": "natural"}}"#, "$collation"),
        (#"{"s": {"$eq": 5, "$collation": "ci"}}"#, "$eq"), (#"{"$collation": "ci", "s": "a"}"#, "$collation"),
        (#"{"s": {"$options": "i"}}"#, "$options"), (#"{"s": {"$regex": "a", "$options": "x"}}"#, "$options"),
        (#"{"s": {"$in": ["a", 5], "$collation": "ci"}}"#, "$in"), (#"{"n": {"$in": 5}}"#, "$in"),
        (#"{"n": {"$mod": [0, 1]}}"#, "$mod"),
        (#"{"n": {"$mod": [2.5, 1]}}"#, "$mod"), (#"{"n": {"$type": "integer"}}"#, "$type"),
        (#"{"n": {"$size": -1}}"#, "$size"), (#"{"n": {"$exists": 1}}"#, "$exists"), (#"{"$or": {}}"#, "$or"),
        (#"{"n": {"$regex": "("}}"#, "pattern"), (#"{"$eq": 5}"#, "$eq"), (#"[]"#, "object"), (#"{"n": "#, "JSON"),
        (#"{"n": {"$not": 5}}"#, "$not"), (#"{"n": {"$elemMatch": 5}}"#, "$elemMatch"), (#"{"": 5}"#, "name"),
        (#"{"n": {"$beginsWith": 5}}"#, "$beginsWith"),
    ])
    func `An invalid selector is rejected with the name of its faulty part`(selector: String, name: String) throws {
        let error = #expect(throws: DocIndexError.self) { try Filter(selector: selector) }
        #expect(error?.code == .invalidQuery)
        #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
    }
}
