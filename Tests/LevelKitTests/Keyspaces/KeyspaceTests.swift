import LevelKit
import Testing

@Suite struct KeyspaceTests {
    @Test func `Values are stored, read, replaced and deleted by key`() throws {
        let database = try Database.temporary()
        let ratings = try database.keyspace("ratings", key: String.self, value: .json(Rating.self))
        #expect(try ratings.value(forKey: "a") == nil)
        try ratings.put(Rating(stars: 5), forKey: "a")
        try ratings.put(Rating(stars: 4, comment: "fog"), forKey: "a")
        #expect(try ratings.value(forKey: "a") == Rating(stars: 4, comment: "fog"))
        #expect(try ratings.contains("a"))
        #expect(try !ratings.contains("b"))
        try ratings.delete("a")
        try ratings.delete("a")
        #expect(try !ratings.contains("a"))
        try database.close()
        #expect(try levelError { try ratings.put(Rating(stars: 1), forKey: "a") }.code == .closed)
    }

    @Test func `Keys with several components are in schema order`() throws {
        let database = try Database.temporary()
        let schema = KeySchema("byStars", KeyComponent<Int>("stars", .descending), KeyComponent<String>("id"))
        let index = try database.keyspace(schema, value: .empty)
        for key in [(3, "c"), (5, "b"), (3, "a"), (-1, "d"), (5, "a")] { try index.insert(key) }
        #expect(try index.entries().map { "\($0.key.0)\($0.key.1)" } == ["5a", "5b", "3a", "3c", "-1d"])
        #expect(try index.entries(in: .range(3...), direction: .descending).map(\.key.1) == ["c", "a", "b", "a"])
        #expect(try index.entries(in: .prefix(3)).map(\.key.1) == ["a", "c"])
        #expect(try index.entries(in: .range(after: (5, "b")), limit: 2).map(\.key.0) == [3, 3])
        #expect(try index.count() == 5)
        #expect(try index.count(in: .range(..<0)) == 1)
        #expect(try index.first()?.key ?? (0, "") == (5, "a"))
        #expect(try index.last()?.key ?? (0, "") == (-1, "d"))
        #expect(try index.first(in: .prefix(4)) == nil)
        #expect(try index.last(in: .range(from: (5, "a"), to: (3, "c")))?.key ?? (0, "") == (3, "a"))
        #expect(try index.deleteRange(.prefix(3)) == 2)
        #expect(try index.count() == 3)
    }

    @Test func `Keyspaces are isolated from each other and from other keys`() throws {
        let database = try Database.temporary()
        try database.put("x", forKey: "raw")
        try database.put([1], forKey: Tuple(["tuple", 1]).packed())
        let names = ["a", "a\0", "", "ab", "\u{10FFFF}"].map { "n\($0)" }
        let keyspaces = try names.map { try database.keyspace($0, key: [UInt8].self, value: .text) }
        for (name, keyspace) in zip(names, keyspaces) {
            for key in [[], [0], [0xff], [0xff, 0xff]] as [[UInt8]] { try keyspace.put(name, forKey: key) }
        }
        for (name, keyspace) in zip(names, keyspaces) {
            #expect(try keyspace.entries().map(\.value) == [name, name, name, name])
            for other in keyspaces where other.name != name {
                #expect(keyspace.subspace.isDisjoint(with: other.subspace))
            }
        }
        #expect(try keyspaces[0].deleteRange(.all) == 4)
        #expect(try keyspaces.map { try $0.count() } == [0, 4, 4, 4, 4])
        #expect(try database.value(forKey: "raw") == Array("x".utf8))
        #expect(try database.count(in: Subspace(["tuple"]).range) == 1)
    }

    @Test func `More than 255 keyspaces stay isolated`() throws {
        let database = try Database.temporary()
        let keyspaces = try (0..<300).map { try database.keyspace("k\($0)", key: Int.self, value: .varint(Int.self)) }
        for (number, keyspace) in keyspaces.enumerated() { try keyspace.put(number, forKey: number) }
        for (number, keyspace) in keyspaces.enumerated() {
            #expect(try keyspace.entries().map(\.value) == [number])
        }
    }

    @Test func `A snapshot shows its state through any keyspace`() throws {
        let database = try Database.temporary()
        let before = try database.snapshot()
        let counts = try database.keyspace("counts", key: String.self, value: .fixedWidth(Int64.self))
        try counts.put(1, forKey: "a")
        let then = try counts.at(database.snapshot())
        try counts.put(2, forKey: "a")
        try counts.put(3, forKey: "b")
        #expect(try then.value(forKey: "a") == 1)
        #expect(try then.entries().map(\.key) == ["a"])
        #expect(try then.last()?.value == 1)
        #expect(try counts.at(before).count() == 0)
        #expect(try counts.view.count() == 2)
    }

    @Test func `A snapshot of another database is rejected`() throws {
        let database = try Database.temporary()
        let other = try Database.temporary()
        let counts = try database.keyspace("counts", key: String.self, value: .text)
        let error = try levelError { _ = try counts.at(other.snapshot()) }
        #expect(error.code == .invalidArgument)
        #expect(error.message.contains("counts"))
    }

    @Test func `A batch writes to several keyspaces, or to none if it throws`() throws {
        struct Stop: Error {}
        let database = try Database.temporary()
        let ratings = try database.keyspace("ratings", key: String.self, value: .json(Rating.self))
        let schema = KeySchema("byStars", KeyComponent<Int>("stars"), KeyComponent<String>("id"))
        let index = try database.keyspace(schema, value: .empty)
        try database.write { batch in
            try batch.put(Rating(stars: 5), forKey: "a", in: ratings)
            try batch.insert((5, "a"), in: index)
        }
        #expect(try ratings.count() == 1)
        #expect(try index.contains((5, "a")))
        #expect(throws: Stop.self) {
            try database.write { batch in
                try batch.delete("a", in: ratings)
                try batch.delete((5, "a"), in: index)
                throw Stop()
            }
        }
        #expect(try ratings.count() == 1)
        #expect(try index.count() == 1)
        try database.write { batch in
            try batch.delete("a", in: ratings)
            try batch.delete((5, "a"), in: index)
            try batch.put(Rating(stars: 1), forKey: "b", in: ratings)
        }
        #expect(try ratings.entries().map(\.key) == ["b"])
        #expect(try index.count() == 0)
    }

    @Test func `Random writes and reads agree with a sorted array, including after reopening`() throws {
        typealias Entry = (key: (Int8, String?), value: Int)
        let schema = KeySchema("s", KeyComponent<Int8>("a", .descending), KeyComponent<String?>("b", .descending))
        var generator = TupleGenerator(seed: TupleTestPlan.seed)
        /// Returns whether a key comes first: large numbers first, then late strings, then keys without a string.
        func precedes(_ a: (Int8, String?), _ b: (Int8, String?)) -> Bool {
            guard a.0 == b.0 else { return a.0 > b.0 }
            guard let first = a.1, let second = b.1 else { return a.1 != nil && b.1 == nil }
            return second.utf8.lexicographicallyPrecedes(first.utf8)
        }
        func isSame(_ a: (Int8, String?), _ b: (Int8, String?)) -> Bool { !precedes(a, b) && !precedes(b, a) }
        try withDatabasePath { path in
            var database = try Database.open(at: path)
            var keyspace = try database.keyspace(schema, value: .varint(Int.self))
            var model: [Entry] = []
            func randomKey() -> (Int8, String?) {
                (Int8(generator.below(7) - 3), generator.below(3) == 0 ? nil : generator.string())
            }
            for step in 0..<TupleTestPlan.rounds(2000, long: 200_000) {
                let key = randomKey()
                switch generator.below(20) {
                case 0..<9:
                    try keyspace.put(step, forKey: key)
                    model.removeAll { isSame($0.key, key) }
                    model.append((key, step))
                    model.sort { precedes($0.key, $1.key) }
                case 9..<12:
                    try keyspace.delete(key)
                    model.removeAll { isSame($0.key, key) }
                case 12..<15:
                    let expected = model.first { isSame($0.key, key) }?.value
                    #expect(try keyspace.value(forKey: key) == expected, "\(TupleTestPlan.repetition)")
                case 15..<17:
                    let other = randomKey()
                    let inside = model.filter { !precedes($0.key, key) && precedes($0.key, other) }
                    let reverse = generator.below(2) == 0
                    let found = try keyspace.entries(
                        in: .range(from: key, to: other), direction: reverse ? .descending : .ascending
                    ).map(\.value)
                    #expect(found == (reverse ? inside.reversed() : inside).map(\.value), "\(TupleTestPlan.repetition)")
                case 17..<19:
                    let inside = model.filter { $0.key.0 >= key.0 && $0.key.0 < 2 }
                    guard key.0 <= 2 else { continue }
                    let found = try keyspace.entries(in: .range(key.0..<2)).map(\.value)
                    #expect(found == inside.map(\.value), "\(TupleTestPlan.repetition)")
                default:
                    guard generator.below(20) == 0 else { continue }
                    try database.close()
                    database = try Database.open(at: path)
                    keyspace = try database.keyspace(schema, value: .varint(Int.self))
                }
            }
            let found = try keyspace.entries()
            #expect(found.count == model.count)
            #expect(zip(found, model).allSatisfy { isSame($0.key, $1.key) && $0.value == $1.value })
            try database.close()
        }
    }
}
