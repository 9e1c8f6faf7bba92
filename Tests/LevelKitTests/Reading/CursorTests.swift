import Foundation
import LevelKit
import Testing

/// The contract of ``Cursor``, checked against a sorted array for every range over a small set of keys.
@Suite struct CursorTests {
    /// The keys that bounds and seeks use, in bytewise order. Some are in the database.
    private static let probes: [[UInt8]] = [
        [], [0x00], [0x00, 0x00], [0x00, 0xff], [0x01], [0x61], [0x61, 0x00], [0x61, 0x61], [0x61, 0xff], [0x62],
        [0xfe, 0xff], [0xff], [0xff, 0x00], [0xff, 0xff], [0xff, 0xff, 0xff],
    ]

    /// Where the entries that a cursor merges are stored.
    enum Content: CaseIterable {
        case nothing
        case memory
        case tablesAndMemory
        case snapshot
    }

    /// The key order: that of the probes, or the reverse.
    enum Order: CaseIterable {
        case bytewise
        case reverseBytewise
        case custom

        var options: DatabaseOptions {
            var options = DatabaseOptions()
            switch self {
            case .bytewise: break
            case .reverseBytewise: options.order = .reverseBytewise
            case .custom:
                options.bloomFilterBitsPerKey = 0
                options.order = .custom("test.backwards") { a, b in
                    let (a, b) = (a.copied(), b.copied())
                    return a == b ? 0 : a.lexicographicallyPrecedes(b) ? 1 : -1
                }
            }
            return options
        }
    }

    /// Returns the indexes of the keys in the database among the probes, in database order.
    private static func present(_ content: Content) -> [Int] {
        content == .nothing ? [] : [0, 1, 2, 3, 5, 6, 8, 10, 11, 13]
    }

    /// Fills a database so that the value of each key is its index among the probes.
    private static func fill(
        _ database: Database, _ content: Content, probes: [[UInt8]]
    ) throws -> any KeyValueReader {
        let present = present(content)
        switch content {
        case .nothing: break
        case .memory:
            for place in present { try database.put([UInt8(place)], forKey: probes[place]) }
        case .tablesAndMemory, .snapshot:
            // Old values below, deletions above them, and keys that existed earlier.
            for (place, key) in probes.enumerated() where place % 3 != 0 { try database.put([0xee], forKey: key) }
            try database.compact()
            for place in present where place % 2 == 0 { try database.put([UInt8(place)], forKey: probes[place]) }
            for (place, key) in probes.enumerated() where !present.contains(place) { try database.delete(key) }
            try database.compact(in: .only([0xff] as [UInt8]))
            for place in present where place % 2 == 1 { try database.put([UInt8(place)], forKey: probes[place]) }
        }
        guard content == .snapshot else { return database }
        let snapshot = try database.snapshot()
        for (place, key) in probes.enumerated() {
            if place % 2 == 0 { try database.delete(key) } else { try database.put([0xdd], forKey: key) }
        }
        try database.compact()
        return snapshot
    }

    /// A bound with the index of its key among the probes.
    private static func bounds(_ probes: [[UInt8]]) -> [(bound: KeyBound<[UInt8]>, place: Int)] {
        [(.unbounded, -1)]
            + probes.enumerated().flatMap { [(.included($1), $0), (.excluded($1), $0)] as [(KeyBound<[UInt8]>, Int)] }
    }

    @Test(arguments: Content.allCases, Order.allCases)
    func `Every range, direction and start visits the same keys as the model`(content: Content, order: Order) throws {
        try withTemporaryDirectory(leavesDamage: order != .bytewise) { directory in
            let database = try Database.open(at: directory + "/db", options: order.options)
            let probes = order == .bytewise ? Self.probes : Self.probes.reversed()
            let reader = try Self.fill(database, content, probes: probes)
            let bounds = Self.bounds(probes)
            for lower in bounds {
                for upper in bounds {
                    let places = Self.present(content).filter { place in
                        switch lower.bound {
                        case .unbounded: break
                        case .included: if place < lower.place { return false }
                        case .excluded: if place <= lower.place { return false }
                        }
                        switch upper.bound {
                        case .unbounded: return true
                        case .included: return place <= upper.place
                        case .excluded: return place < upper.place
                        }
                    }
                    let range = KeyRange(lower: lower.bound, upper: upper.bound)
                    for reverse in [false, true] {
                        let problem = try Self.problem(
                            of: reader, in: range, reverse: reverse, probes: probes,
                            expected: reverse ? places.reversed() : places)
                        if let problem {
                            Issue.record("\(problem) in \(range), reverse: \(reverse)")
                            return
                        }
                    }
                }
            }
        }
    }

    /// Returns how a cursor differs from the model, from a fresh start and after a seek to each probe.
    private static func problem(
        of reader: some KeyValueReader, in range: KeyRange, reverse: Bool, probes: [[UInt8]], expected: [Int]
    ) throws -> String? {
        var cursor = try reader.cursor(in: range, direction: reverse ? .descending : .ascending)
        /// Advances at most `limit` times and compares; returns `nil` if everything is as expected.
        func compare(_ expected: [Int], limit: Int = .max) throws -> String? {
            for place in expected.prefix(limit) {
                guard try cursor.advance() else { return "the end before \(hex(probes[place]))" }
                guard cursor.value.copied() == [UInt8(place)], cursor.key.copied() == probes[place] else {
                    return "\(hex(cursor.key.copied())) instead of \(hex(probes[place]))"
                }
            }
            guard limit > expected.count else { return nil }
            // Once at the end, the cursor stays there.
            for _ in 0..<2 where try cursor.advance() { return "\(hex(cursor.key.copied())) after the end" }
            return nil
        }
        if let problem = try compare(expected) { return problem + " from a fresh start" }
        for (target, key) in probes.enumerated() {
            let rest = expected.filter { reverse ? $0 <= target : $0 >= target }
            cursor.seek(to: key)
            if let problem = try compare(rest, limit: target % 3) {
                return problem + " soon after a seek to \(hex(key))"
            }
            // From the middle, and with two seeks, of which the last one counts.
            cursor.seek(to: probes[(target + 7) % probes.count])
            cursor.seek(to: key)
            if let problem = try compare(rest) { return problem + " after a seek to \(hex(key))" }
        }
        return nil
    }

    @Test(
        arguments: [
            [], [0x00], [0x00, 0x00], [0x61], [0x61, 0xff], [0x62], [0xff], [0xff, 0xff], [0xff, 0xff, 0xff], [0x7f],
            [0xfe], [0xfe, 0xff],
        ] as [[UInt8]], Content.allCases)
    func `A prefix range visits the keys with that prefix, from both ends and after seeks`(
        prefix: [UInt8], content: Content
    ) throws {
        try withTemporaryDatabase { database in
            let reader = try Self.fill(database, content, probes: Self.probes)
            let expected = Self.present(content).filter { Self.probes[$0].starts(with: prefix) }
            for reverse in [false, true] {
                let problem = try Self.problem(
                    of: reader, in: .prefix(prefix), reverse: reverse, probes: Self.probes,
                    expected: reverse ? expected.reversed() : expected)
                #expect(problem == nil, "reverse: \(reverse)")
            }
        }
    }

    @Test func `A cursor moves through many blocks and tables in both directions`() throws {
        var options = DatabaseOptions()
        options.blockByteCount = 1 << 10
        options.writeBufferByteCount = 64 << 10
        try withTemporaryDatabase(options: options) { database in
            let numbers = Array(0..<4000)
            for number in numbers.shuffled() {
                try database.put(numberedKey(number) + Array(repeating: 7, count: 90), forKey: numberedKey(number))
            }
            let expected = numbers.map(numberedKey)
            #expect(try keys(of: database) == expected)
            #expect(try keys(of: database, reverse: true) == expected.reversed())
            var cursor = try database.cursor(in: .all, direction: .descending, cache: .bypass)
            for number in stride(from: 0, to: 4000, by: 97) {
                cursor.seek(to: numberedKey(number) + [0])
                #expect(try cursor.advance())
                #expect(cursor.key.copied() == numberedKey(number))
                #expect(cursor.value.copied() == numberedKey(number) + Array(repeating: 7, count: 90))
            }
        }
    }

    @Test func `Accessing the entry before the first step is a precondition failure`() async throws {
        await #expect(processExitsWith: .failure) {
            let database = try Database.temporary()
            try database.put("1", forKey: "a")
            let cursor = try database.cursor()
            // A child that failed for another reason does not get here.
            signal(SIGILL) { _ in _exit(1) }
            signal(SIGTRAP) { _ in _exit(1) }
            _ = cursor.key
            _exit(0)
        }
    }

    @Test func `Accessing the entry after the end, or between seek and step, is a precondition failure`() async throws {
        for place in ["end", "seek"] {
            await #expect(processExitsWith: .failure) { [place = place as String] in
                let database = try Database.temporary()
                try database.put("1", forKey: "a")
                var cursor = try database.cursor()
                guard try cursor.advance() else { _exit(0) }
                if place == "seek" { cursor.seek(to: []) } else if try cursor.advance() { _exit(0) }
                _ = cursor.value
                _exit(0)
            }
        }
    }
}
