import Foundation
import LevelKit
import Testing

/// Damaged tables cause an error, never a gap.
@Suite struct DamagedTableTests {
    /// Flips one bit of an entry's value in the table.
    private static func damage(_ path: String, atValue number: Int) throws {
        let table = try #require(try files(ofKind: "ldb", in: path).first)
        var bytes = try content(of: table)
        let place = try #require(bytes.firstRange(of: TableFixture.value(number))).lowerBound
        bytes[place + 30] ^= 0x10
        try write(bytes, to: table)
    }

    @Test(arguments: [0, 100, 199], [false, true])
    func `A damaged block stops a scan, and every later step throws too`(damaged: Int, reverse: Bool) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            try Self.damage(directory, atValue: damaged)
            let database = try Database.open(at: directory)
            for reader in [database, try database.snapshot()] as [any KeyValueReader] {
                var cursor = try reader.cursor(direction: reverse ? .descending : .ascending)
                var found: [[UInt8]] = []
                let error = levelErrorOfScan(&cursor) { found.append($0.key.copied()) }
                #expect(error?.code == .corruption)
                #expect(error?.message.contains(directory) == true)
                let expected = (0..<200).map(numberedKey)
                #expect(found.count < 200)
                #expect(found == Array((reverse ? expected.reversed() : expected).prefix(found.count)))
                #expect(
                    found.count + 20 > (reverse ? 199 - damaged : damaged), "all blocks before the damage were read")
                // Neither retrying nor seeking to an intact position clears the error.
                #expect(levelErrorOfScan(&cursor) { _ in Issue.record("a step over the gap") } == error)
                cursor.seek(to: numberedKey(150))
                #expect(levelErrorOfScan(&cursor) { _ in Issue.record("a step over the gap") } == error)
            }
        }
    }

    @Test(arguments: [0, 100, 199], [false, true])
    func `An unchecked scan reports a gap when asked, and always at its end`(
        damaged: Int, reverse: Bool
    ) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            try Self.damage(directory, atValue: damaged)
            let database = try Database.open(at: directory)
            let expected = (0..<200).map(numberedKey)
            for range in [KeyRange.all, .range(from: numberedKey(0), to: numberedKey(300))] {
                // Until an error is reported, the entries read so far are complete.
                var cursor = try database.cursor(in: range, direction: reverse ? .descending : .ascending)
                var found: [[UInt8]] = []
                let error = code {
                    while try cursor.advanceUnchecked() {
                        try cursor.checkForErrors()
                        found.append(cursor.key.copied())
                    }
                }
                #expect(error == .corruption)
                #expect(found == Array((reverse ? expected.reversed() : expected).prefix(found.count)))
                // If not asked earlier, the scan reports the error at its end.
                var second = try database.cursor(in: range, direction: reverse ? .descending : .ascending)
                #expect(code { while try second.advanceUnchecked() {} } == .corruption)
                #expect(code { try second.checkForErrors() } == .corruption)
                #expect(code { _ = try second.advanceUnchecked() } == .corruption)
                // Seeking away from the damage does not clear the error.
                guard damaged == 100 else { continue }
                var third = try database.cursor(in: range, direction: reverse ? .descending : .ascending)
                while try third.advanceUnchecked(), third.key.copied() != numberedKey(reverse ? 20 : 180) {}
                third.seek(to: numberedKey(150))
                #expect(code { try third.checkForErrors() } == .corruption)
            }
        }
    }

    @Test func `A seek into a damaged block throws, from either direction`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            try Self.damage(directory, atValue: 199)
            let database = try Database.open(at: directory)
            for reverse in [false, true] {
                for target in [numberedKey(199), numberedKey(198) + [0xff], numberedKey(500)] {
                    var cursor = try database.cursor(direction: reverse ? .descending : .ascending)
                    cursor.seek(to: target)
                    let isBehindAll = target == numberedKey(500) && !reverse
                    let error = levelErrorOfScan(&cursor) { _ in Issue.record("found an entry") }
                    #expect(error?.code == (isBehindAll ? nil : .corruption))
                }
                let range = KeyRange(lower: .excluded(numberedKey(199)), upper: .unbounded)
                var cursor = try database.cursor(in: range, direction: reverse ? .descending : .ascending)
                #expect(levelErrorOfScan(&cursor) { _ in Issue.record("found an entry") }?.code == .corruption)
            }
        }
    }

    @Test func `A read of a damaged block throws, and reads of other blocks succeed`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            try Self.damage(directory, atValue: 100)
            let database = try Database.open(at: directory)
            var failureCount = 0
            for number in 0..<200 {
                do throws(LevelError) {
                    #expect(try database.value(forKey: numberedKey(number)) == TableFixture.value(number))
                    #expect(try database.contains(numberedKey(number)))
                } catch {
                    failureCount += 1
                    #expect(error.code == .corruption)
                    #expect(!error.description.contains("key000"), "errors name no keys")
                }
            }
            #expect((1..<20).contains(failureCount))
            #expect(code { _ = try database.value(forKey: numberedKey(100)) } == .corruption)
            // A range next to the damage is readable.
            #expect(try keys(of: database, in: KeyRange(upper: .excluded(numberedKey(50)))).count == 50)
        }
    }

    @Test func `A compaction does not give damaged data a valid checksum`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            try Self.damage(directory, atValue: 100)
            let database = try Database.open(at: directory)
            try database.put([1], forKey: numberedKey(0))
            try database.put([1], forKey: numberedKey(199))
            try database.compact()
            #expect(code { _ = try database.value(forKey: numberedKey(100)) } == .corruption)
            #expect(code { _ = try keys(of: database) } == .corruption)
            // After a failed compaction, writes are rejected.
            #expect(code { try database.put([1], forKey: numberedKey(1)) } == .corruption)
            #expect(code { try database.put([1], forKey: numberedKey(1)) } != nil)
            try database.close()
            let again = try Database.open(at: directory)
            #expect(code { _ = try keys(of: again) } == .corruption)
        }
    }

    @Test func `Any damaged byte of a table is detected or harmless`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 24)
            let table = try #require(try files(ofKind: "ldb", in: directory).first)
            let intact = try content(of: table)
            var foundCount = 0
            // Every byte of the footer, the index and the filter, and a sample of the data.
            let places =
                Array(stride(from: 0, to: intact.count - 300, by: 53))
                + Array(stride(from: intact.count - 300, to: intact.count, by: 3))
            for place in places {
                var bytes = intact
                bytes[place] ^= place % 2 == 0 ? 0xff : 0x01
                try write(bytes, to: table)
                do throws(LevelError) {
                    let database = try Database.open(at: directory)
                    let problem = Self.problem(of: database, count: 24, foundCount: &foundCount)
                    #expect(problem == nil, "byte \(place) of \(intact.count)")
                } catch {
                    #expect(error.code == .corruption, "byte \(place) of \(intact.count): \(error)")
                    foundCount += 1
                }
            }
            #expect(foundCount > places.count / 2)
        }
    }

    /// Returns a wrong answer of a damaged database; `nil` if all its answers are correct or throw.
    private static func problem(of database: Database, count: Int, foundCount: inout Int) -> String? {
        var isDamageFound = false
        defer { if isDamageFound { foundCount += 1 } }
        for reverse in [false, true] {
            do {
                let expected = (0..<count).map { Entry(key: numberedKey($0), value: TableFixture.value($0)) }
                let found = try entries(of: database, reverse: reverse)
                if found != (reverse ? expected.reversed() : expected) { return "a scan of \(found.count) entries" }
            } catch { isDamageFound = true }
        }
        for number in 0..<count {
            do {
                if try database.value(forKey: numberedKey(number)) != TableFixture.value(number) {
                    return "the value of \(number)"
                }
            } catch { isDamageFound = true }
        }
        return nil
    }

    @Test(arguments: [0, 1, 47, 48, 1000, 3000])
    func `Reading a truncated table throws`(byteCount: Int) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            let table = try #require(try files(ofKind: "ldb", in: directory).first)
            try write(Array(try content(of: table).prefix(byteCount)), to: table)
            let database = try Database.open(at: directory)
            #expect(code { _ = try keys(of: database) } == .corruption)
            #expect(code { _ = try keys(of: database, reverse: true) } == .corruption)
            #expect(code { _ = try database.value(forKey: numberedKey(7)) } == .corruption)
            #expect(code { _ = try database.contains(utf8("key000007x")) } == .corruption)
        }
    }
}

/// Steps through the rest of a cursor.
///
/// - Returns: The error that ended the scan; `nil` if it reached the end.
private func levelErrorOfScan(_ cursor: inout Cursor, _ visit: (borrowing Cursor) -> Void) -> LevelError? {
    do throws(LevelError) {
        while try cursor.advance() { visit(cursor) }
        return nil
    } catch {
        return error
    }
}
