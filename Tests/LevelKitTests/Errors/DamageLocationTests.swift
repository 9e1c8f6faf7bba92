import Foundation
import LevelFiles
import TestSupport
import Testing

@testable import LevelKit

/// Corruption errors name the location of the damage; LevelDB's own messages name at most the directory.
@Suite struct DamageLocationTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let keys: [[UInt8]]

    /// Creates a closed database with several tables in several levels.
    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("db")
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        let database = try Database.open(at: path, options: options)
        var random = SplitMix64(seed: 5)
        for _ in 0..<6_000 {
            let key = Array("key/\(random.number(below: 3_000))".utf8)
            try database.put((0..<80).map { _ in UInt8(random.number(below: 256)) }, forKey: key)
        }
        var cursor = try database.cursor()
        var keys: [[UInt8]] = []
        while try cursor.advance() { keys.append(cursor.key.copied()) }
        self.keys = keys
        _ = consume cursor
        try database.close()
        // The log becomes a table, and tables do not change from then on.
        let again = try Database.open(at: path, options: options)
        try again.compact(in: .range(from: Array("key/1".utf8), to: Array("key/2".utf8)))
        try again.close()
    }

    /// Returns the error of `body`. A slow machine does not end the search for the location.
    private func error(_ body: () throws -> Void) -> LevelError? {
        do {
            try LevelError.$searchLimit.withValue(.seconds(600)) { try body() }
        } catch {
            return error as? LevelError
        }
        return nil
    }

    @Test func `Scans in both directions and reads name the file and offset of a damaged block`()
        throws
    {
        var random = TestRun.random(stream: 0xda1)
        for _ in 0..<TestRun.rounds(12, long: 150) {
            let manifest = try Manifest(ofDatabaseAt: path)
            let name = "db/" + EngineFileName.table(named: random.pick(manifest.tables).number)
            let handle = random.pick(try Table(at: directory.path(name)).index()).handle
            let original = try directory.read(name)
            var bytes = original
            bytes[Int(handle.offset) + random.number(below: Int(handle.byteCount) + 5)] ^= 0x11
            try directory.write(bytes, to: name)
            let database = try Database.open(at: path)
            var errors: [LevelError?] = []
            for reverse in [false, true] {
                errors.append(
                    error {
                        var cursor = try database.cursor(in: .all, direction: reverse ? .descending : .ascending)
                        while try cursor.advance() {}
                    })
                #expect(errors.last != nil, "\(TestRun.repetition)")
            }
            for key in keys {
                if let error = error({ _ = try database.value(forKey: key) }) { errors.append(error) }
            }
            for case let error? in errors {
                #expect(error.code == .corruption && "db/\(error.file ?? "")" == name, "\(error)")
                #expect(error.offset == handle.offset, "\(error), \(TestRun.repetition)")
                #expect(error.message.contains("byte \(handle.offset)"), "\(error)")
            }
            try database.close()
            try directory.write(original, to: name)
        }
    }

    @Test func `The error for a missing or truncated table names the table`() throws {
        let manifest = try Manifest(ofDatabaseAt: path)
        let table = try #require(manifest.tables.last)
        let name = EngineFileName.table(named: table.number)
        let original = try directory.read("db/" + name)
        for bytes in [nil, Array(original.prefix(original.count / 2))] {
            if let bytes {
                try directory.write(bytes, to: "db/" + name)
            } else {
                try FileManager.default.removeItem(atPath: directory.path("db/" + name))
            }
            let failure = error {
                let database = try Database.open(at: path)
                defer { try? database.close() }
                var cursor = try database.cursor()
                while try cursor.advance() {}
            }
            #expect(failure?.message.contains(name) == true, "\(String(describing: failure))")
            try directory.write(original, to: "db/" + name)
        }
    }

    @Test func `If a damaged log prevents opening, the error names the log and the offset`() throws {
        var random = TestRun.random(stream: 0xda2)
        let path = directory.path("logged")
        let database = try Database.open(at: path)
        for index in 0..<2_000 { try database.put("value \(index)", forKey: "key/\(index)") }
        try database.close()
        let log = try #require(try directory.names(in: "logged").last { $0.hasSuffix(".log") })
        let original = try directory.read("logged/" + log)
        var count = 0
        for _ in 0..<TestRun.rounds(40, long: 400) {
            var bytes = original
            bytes[random.number(below: bytes.count)] ^= 1 << UInt8(random.number(below: 8))
            let copy = directory.path("copy")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            defer { try? FileManager.default.removeItem(atPath: copy) }
            try directory.write(bytes, to: "copy/" + log)
            var options = DatabaseOptions()
            options.createIfMissing = false
            guard let failure = error({ try Database.open(at: copy, options: options).close() }) else {
                // A length beyond the end of the last block looks like an unfinished write.
                continue
            }
            count += 1
            #expect(failure.code == .corruption, "\(failure)")
            #expect(failure.message.contains(log), "\(failure), \(TestRun.repetition)")
            #expect(failure.file == log && failure.offset != nil, "\(failure), \(TestRun.repetition)")
        }
        #expect(count > 20)
    }

    @Test func `The error for a damaged manifest names it and the offset of the record`() throws {
        let name = try Manifest(ofDatabaseAt: path).name
        var bytes = try directory.read("db/" + name)
        bytes[bytes.count / 2] ^= 0x10
        try directory.write(bytes, to: "db/" + name)
        let failure = error { try Database.open(at: path).close() }
        #expect(failure?.file == name && failure?.offset != nil, "\(String(describing: failure))")
    }
}
