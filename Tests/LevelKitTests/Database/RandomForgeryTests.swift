import Foundation
import LevelFiles
import LevelKit
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Blocks with random bytes and valid checksums, in databases that are opened so that every block is checked: LevelDB
/// reads what is in the file, or the database is rejected.
@Suite struct RandomForgeryTests {
    /// The ways of opening a database in which every block is checked.
    enum Access: CaseIterable {
        case reading
        /// Other users can change the files.
        case readingOfOthers
        case writing

        func open(_ path: String) throws(LevelError) -> Database {
            unsafe chmod(path, self == .readingOfOthers ? 0o777 : 0o700)
            var options = DatabaseOptions()
            options.checksEveryBlock = self != .readingOfOthers
            return try Database.open(at: path, options: options, mode: self == .writing ? .readWrite : .readOnly)
        }
    }

    @Test func `Random bytes in a block are read as they are or rejected, and never end the process`() async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory + "/whole", count: 400)
            var random = TestRun.random(stream: 0xf6)
            for _ in 0..<TestRun.rounds(6, long: 400) {
                let seed = random.next()
                await #expect(processExitsWith: .success) { [directory = directory as String, seed = seed as UInt64] in
                    try reportingErrors { try RandomForgeryTests.forgeAndRead(in: directory, seed: seed) }
                }
                // Left by a process that ended early.
                let note = directory + "/note"
                guard FileManager.default.fileExists(atPath: note) else { continue }
                let text = String(decoding: try content(of: note), as: UTF8.self)
                Issue.record("a process ended while it read \(text), \(TestRun.repetition)")
                try FileManager.default.removeItem(atPath: note)
            }
        }
    }

    /// Forges fifty copies of the database `whole`, and reads each in all ways.
    static func forgeAndRead(in directory: String, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var (readCount, rejectedCount) = (0, 0)
        for round in 0..<50 {
            let path = directory + "/forged"
            try? FileManager.default.removeItem(atPath: path)
            try copyDatabase(from: directory + "/whole", to: path)
            let forged = try TableForgery.overwriteBytes(in: path, using: &random)
            let expected = try visibleEntries(of: path)
            for access in Access.allCases {
                let what = "\(forged), \(access), round \(round) of seed \(seed)"
                try write(utf8(what), to: directory + "/note")
                if try isRead(path, access, expected, what) { readCount += 1 } else { rejectedCount += 1 }
            }
        }
        try FileManager.default.removeItem(atPath: directory + "/note")
        #expect(readCount > 0 && rejectedCount > 0, "seed \(seed)")
    }

    /// Opens a database and reads it, and compacts it if it can be written.
    ///
    /// - Parameter expected: the entries according to the file; `nil` if they cannot be read.
    /// - Returns: whether it could be opened and read.
    private static func isRead(
        _ path: String, _ access: Access, _ expected: [Entry]?, _ what: String
    ) throws -> Bool {
        guard let database = answer(what, { () throws(LevelError) in try access.open(path) }) else { return false }
        let rising = answer(what) { () throws(LevelError) in try entries(of: database) }
        let falling = answer(what) { () throws(LevelError) in try entries(of: database, reverse: true) }
        if let rising, let falling { #expect(falling == rising.reversed(), "\(what)") }
        if let rising, let expected { #expect(rising == expected, "\(what)") }
        for entry in (rising ?? []).enumerated().filter({ $0.offset % 40 == 0 }).map(\.element) {
            // A key that was changed is not in the filter of its block, and so is not found.
            let value = answer(what) { () throws(LevelError) in try database.value(forKey: entry.key) }
            if case .some(.some(let found)) = value { #expect(found == entry.value, "\(what)") }
        }
        if access == .writing {
            _ = answer(what) { () throws(LevelError) in try database.compact(includingDeepestLevel: true) }
            _ = answer(what) { () throws(LevelError) in try entries(of: database) }
        }
        _ = answer(what) { () throws(LevelError) in try database.close() }
        return rising != nil
    }

    /// Returns what `read` returns; `nil` if it fails because of the forged block.
    private static func answer<R>(_ what: String, _ read: () throws(LevelError) -> R) -> R? {
        do throws(LevelError) {
            return try read()
        } catch {
            let isDamage = error.code == .corruption || error.code == .notSupported
            #expect(isDamage, "\(error), \(what)")
            return nil
        }
    }

    /// Returns the entries that the only table of a database contains, read without LevelDB; `nil` if it is unreadable.
    private static func visibleEntries(of path: String) throws -> [Entry]? {
        let lastSequence = try Manifest(ofDatabaseAt: path).lastSequence
        let name = try #require(try files(ofKind: "ldb", in: path).first)
        guard let table = try? Table(at: name), let index = try? table.index() else { return nil }
        var visible: [Entry] = []
        var previous: [UInt8]?
        for block in index {
            guard var stored = try? table.entries(at: block.handle) else { return nil }
            while true {
                guard let isEntry = try? stored.next() else { return nil }
                guard isEntry else { break }
                guard let key = try? InternalKey(decoding: stored.key[...]) else { return nil }
                // Later writes do not exist yet, and the first version of a key is the newest.
                if key.sequence > lastSequence || key.userKey == previous { continue }
                previous = key.userKey
                if key.kind == .put { visible.append(Entry(key: key.userKey, value: Array(stored.value))) }
            }
        }
        return visible
    }
}
