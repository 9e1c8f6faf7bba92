import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// The entries of vector indexes, and values that are not vectors.
@Suite struct VectorIndexTests {
    private static let schema = Vectors.schema(.vector("embedding", on: "embedding", dimensions: 64))

    private static func entries(in store: DocumentStore) throws -> [[UInt8]: [UInt8]] {
        let prefix = StoreKey.values.prefix(1)
        return Dictionary(
            uniqueKeysWithValues: try allPairs(in: store.database).filter { $0.key.starts(with: prefix) }.map {
                ($0, $1)
            })
    }

    private static func random(_ dimensions: Int = 64) -> [Float] {
        var random = TestRun.random(stream: 0x7ed)
        return Vectors.random(dimensions, &random)
    }

    @Test func `A vector has the same entries as an array, as base64 and as bytes`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            let vector = Self.random()
            let bytes = vector.flatMap { number in
                (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
            }
            let forms: [DocumentValue] = [
                Vectors.value(vector), Vectors.value(vector, inBase64: true), .bytes(bytes),
            ]
            var seen: [[[UInt8]: [UInt8]]] = []
            for form in forms {
                try photos.put(["id": 1, "embedding": form])
                seen.append(try Self.entries(in: store))
            }
            #expect(seen[0].count == 2 && seen[0] == seen[1] && seen[0] == seen[2])
            // The length of a vector has no effect, and whole numbers are numbers.
            try photos.put(["id": 1, "embedding": .array((1...64).map { .int(Int64($0)) })])
            let whole = try Self.entries(in: store)
            try photos.put(["id": 1, "embedding": .array((1...64).map { .double(Double($0) * 4) })])
            #expect(try Self.entries(in: store) == whole)
            try photos.delete(1)
            #expect(try Self.entries(in: store).isEmpty)
        }
    }

    @Test func `The code of a vector is the one that the format describes`() throws {
        let code = VectorCode(dimensions: 64)
        let vector = try VectorField.unit((0..<64).map { Float($0 * $0 % 23) - 11 }, dimensions: 64)
        #expect(hexadecimal(code.code(of: vector)) == "f73e3a5b96ba06f3a8dd41b45cc5faea")
        let widths = [2, 8, 9, 384, 512, 768, 4096].map { VectorCode(dimensions: $0).width }
        #expect(widths == [8, 8, 16, 512, 512, 1024, 4096])
    }

    @Test(arguments: [64, 100, 384, 768])
    func `Estimates from codes follow the similarity`(dimensions: Int) throws {
        var random = TestRun.random(stream: 0x7ee)
        let code = VectorCode(dimensions: dimensions)
        let query = try VectorField.unit(Vectors.random(dimensions, &random), dimensions: dimensions)
        let table = code.table(of: query)
        func estimate(_ bytes: [UInt8]) -> Int32? { table.estimate(bytes.span) }
        let scale = Double(try #require(estimate(code.code(of: query))))
        for _ in 0..<200 {
            let noise = Vectors.random(dimensions, &random)
            let share = Float(random.number(below: 100)) / 100
            let mixed = zip(query, noise).map { $0 * share * 6 + $1 * (1 - share) }
            let other = try VectorField.unit(mixed, dimensions: dimensions)
            let found = Double(try #require(estimate(code.code(of: other)))) / scale
            // Six standard deviations of the error of two bits for each coordinate.
            #expect(abs(found - Vectors.cosine(query, other)) < 6 * 0.36 / Double(dimensions).squareRoot())
        }
        for count in [0, code.byteCount - 1, code.byteCount + 1] {
            #expect(estimate([UInt8](repeating: 7, count: count)) == nil)
        }
    }

    private static let wrong: [(DocumentValue, String)] = [
        (.array([1, 2, 3]), "has 3 dimensions"), (.array([]), "has 0 dimensions"),
        (.array(Array(repeating: 0, count: 64)), "has only zeros"),
        (.array(Array(repeating: .double(.nan), count: 64)), "has a number that is not finite"),
        (.array(Array(repeating: .double(1e300), count: 64)), "has a number that is not finite"),
        (.array(Array(repeating: .string("1"), count: 64)), "has an element of the kind string"),
        (.string("no base64!"), "is a string that is not base64"), (.string("AAAA"), "has 3 bytes"),
        (.string(Vectors.base64(Array(repeating: 0, count: 256))), "has only zeros"),
        (.string(Vectors.base64(Array(repeating: 255, count: 256))), "has a number that is not finite"),
        (.string(""), "has 0 dimensions"), (.bool(true), "is of the kind bool"), (["x": 1], "is of the kind object"),
        (.int(3), "is of the kind int"),
    ]

    @Test func `A write with a value that is not a vector is refused and changes nothing`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "embedding": Vectors.value(Self.random())])
            let entries = try Self.entries(in: store)
            for (value, reason) in Self.wrong {
                for id in ["a", "b"] {
                    expectFailure(
                        .invalidDocument,
                        containing: "the field embedding of the document \(id) of photos \(reason)",
                        "the vector index embedding needs 64 finite numbers"
                    ) {
                        try photos.put(["id": .string(id), "embedding": value])
                    }
                }
                let admission = try IndexAdmission(photos)
                var refusing = admission
                let reasons = try refusing.refusals(of: [
                    .init(id: "c", old: nil, new: ["id": "c", "embedding": value]),
                    .init(id: "d", old: nil, new: ["id": "d"]),
                ])
                #expect(reasons[0]?.contains(reason) == true && reasons[1] == nil)
            }
            #expect(try Self.entries(in: store) == entries)
            #expect(try photos.count() == 1)
        }
    }

    @Test func `Documents without a vector are not in the index`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": 1])
            try photos.put(["id": 2, "embedding": .null])
            #expect(try Self.entries(in: store).isEmpty)
            #expect(try photos.nearest(to: Self.random(), in: "embedding").isEmpty)
            #expect(try photos.nearest(toDocument: 1, in: "embedding").isEmpty)
            expectFailure(.documentMissing) { try photos.nearest(toDocument: 3, in: "embedding") }
        }
    }

    @Test func `A partial index contains only documents that satisfy its condition`() throws {
        let schema = Vectors.schema(.vector("best", on: "v", dimensions: 3, where: "rating >= 4"))
        try withTemporaryStore(schema: schema) { store in
            let photos = try store.collection("photos")
            // A document outside the condition may have any value.
            try photos.put(["id": 1, "rating": 1, "v": "unknown"])
            try photos.put(["id": 2, "rating": 5, "v": [1, 2, 3]])
            expectFailure(.invalidDocument) { try photos.put(["id": 1, "rating": 5, "v": "unknown"]) }
            #expect(try photos.nearest(to: [1, 2, 3], in: "best").map(\.document.id) == [2])
            try photos.update(2) { $0["rating"] = 1 }
            #expect(try photos.nearest(to: [1, 2, 3], in: "best").isEmpty)
        }
    }

    @Test func `Invalid searches are refused`() throws {
        let schema = Vectors.schema(
            .vector("embedding", on: "embedding", dimensions: 64), .value("v", on: "v"))
        try withTemporaryStore(schema: schema) { store in
            let photos = try store.collection("photos")
            let vector = Self.random()
            expectFailure(.unknownIndex, containing: "no vector index other; it has embedding") {
                try photos.nearest(to: vector, in: "other")
            }
            expectFailure(.unknownIndex) { try photos.nearest(to: vector, in: "v") }
            for wrong in [[], [1, 2], Array(repeating: 0, count: 64), Array(repeating: .infinity, count: 64)]
                as [[Float]]
            {
                expectFailure(.invalidQuery, containing: "the vector ", "needs 64 finite numbers") {
                    try photos.nearest(to: wrong, in: "embedding")
                }
            }
            expectFailure(.invalidQuery) { try photos.nearest(to: vector, in: "embedding", limit: -1) }
            expectFailure(.invalidQuery) { try photos.nearest(to: vector, in: "embedding", candidates: 0) }
            expectFailure(.invalidQuery) {
                try photos.nearest(
                    to: vector, in: "embedding", where: .exists("v"),
                    options: Query.Options(hint: .index("embedding")))
            }
        }
    }

    @Test func `A vector index does not take part in other queries, and explanations say so`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            for id in 0..<5 { try photos.put(["id": .int(Int64(id)), "embedding": Vectors.value(Self.random())]) }
            let query = Query(.exists("embedding"))
            #expect(try photos.find(query).count == 5)
            #expect(try photos.plan(query).indexNames.isEmpty)
            let reasons = try photos.explain(query).rejections
            #expect(reasons.map(\.code) == ["needsVector"])
            #expect(try photos.count(where: .exists("embedding")) == 5)
        }
    }
}
