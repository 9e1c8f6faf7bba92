import Foundation
import Testing

/// The tests that show how LevelKit handles each fault of `docs/FAULTS.md`.
enum FaultTable {
    /// The fault numbers: 1.1 to 1.21, with letters where there are several of a kind.
    static let tests: [String: String] = [
        "1.1a": "An empty key and an empty value are distinct from absence",
        "1.1b": "A read from a missing table reports corruption, not a missing key",
        "1.1c": "Missing parent directories are created, and no error mentions a lock file",
        "1.2a": "Closing under a live cursor throws a typed error, and the cursor then throws closed",
        "1.2b": "Use after close throws a typed error",
        "1.2c": "A snapshot can be used and released after its database was closed",
        "1.2d": "Stepping past either end stays at the end",
        "1.2e": "Closing waits for a compaction of another thread",
        "1.3a": "A second open is rejected under every spelling of the path",
        "1.3b": "After a rejected second open, other processes are still locked out",
        "1.4a": "Opening a missing database leaves nothing behind",
        "1.4b": "A rejected open does not touch the info log of the process that has the database open",
        "1.4c": "A forged CURRENT is corruption, and no file is deleted",
        "1.4d": "Tables without CURRENT are never treated as an empty directory",
        "1.4e": "A directory of other files never becomes a database",
        "1.5a": "A relative path names the same database after a change of directory",
        "1.5b": "A path that contains a NUL byte is rejected, not truncated at it",
        "1.6": "After a full disk, every acknowledged write is present, even after reopening",
        "1.7a": "A flipped byte in the middle of the log is corruption, not a gap",
        "1.7b": "A log that ends within a write opens with the writes before it",
        "1.8a": "A scan over a damaged last block ends with an error, not after the previous entries",
        "1.8b": "A flipped byte in a table is never returned as part of a value",
        "1.8c": "A damaged Bloom filter hides no key",
        "1.8d": "Compaction does not give damaged data a new checksum",
        "1.8e": "A table truncated while it is memory-mapped ends the process",
        "1.8f": "A table with a forged footer causes an error, not a crash",
        "1.9": "A deleted key does not reappear after a compaction under a snapshot",
        "1.10a": "Another comparator is rejected, and the error names both in the right roles",
        "1.10b": "A Bloom filter is rejected for an order in which different bytes are the same key",
        "1.11a": "Repair with a different comparator is rejected, and the right one still opens the database",
        "1.11b": "An open database is not repaired",
        "1.11c": "Repair of a missing path creates nothing",
        "1.11d": "Repair of a directory of other files changes none of them",
        "1.11e": "Repair does not restore entries that a compaction removed",
        "1.11f": "Destroying a directory of other files deletes none of them",
        "1.11g": "An open database is not destroyed",
        "1.12": "A compaction without bounds compacts everything",
        "1.13": "Flushed writes are present even if the log is lost",
        "1.14": "A value of 4 GiB is rejected before memory is allocated for it",
        "1.15": "Writers that LevelDB throttles finish, and the cause is readable",
        "1.16": "A forked process gets a typed error instead of waiting forever",
        "1.17": "An out-of-range option is rejected, not silently adjusted",
        "1.18": "Tables that a cursor keeps on disk are deleted after it ends",
        "1.19": "Threads can write a batch one after another, and the batch keeps its content",
        "1.20": "A snapshot reads its own database, whichever others are open",
        "1.21": "Empty batches write nothing",
    ]
}

@Suite struct FaultTableTests {
    private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// Returns the names of the tests in this folder.
    private static func names() throws -> Set<String> {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().path
        var names: Set<String> = []
        for file in try fileNames(in: folder) where file.hasSuffix("FaultTests.swift") {
            let text = String(decoding: try content(of: folder + "/" + file), as: UTF8.self)
            for match in text.matches(of: /func `([^`]+)`/) { names.insert(String(match.output.1)) }
        }
        return names
    }

    @Test func `Every kind of fault from 1.1 to 1.21 has a test, and every test has a fault`() throws {
        for kind in 1...21 {
            let count = FaultTable.tests.keys.count { $0.wholeMatch(of: /1\.([0-9]+)[a-z]?/)?.output.1 == "\(kind)" }
            #expect(count > 0, "1.\(kind)")
        }
        let names = try Self.names()
        #expect(Set(FaultTable.tests.values) == names)
        #expect(FaultTable.tests.count == names.count)
    }

    @Test func `The table in FAULTS.md has a row for each fault, with its test and two observations`() throws {
        let text = String(decoding: try content(of: Self.root.path + "/docs/FAULTS.md"), as: UTF8.self)
        var rows: [String: [Substring]] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| 1.") {
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ") }
            rows[cells[0].trimmingCharacters(in: .whitespaces)] = cells
        }
        #expect(Set(rows.keys) == Set(FaultTable.tests.keys))
        for (number, test) in FaultTable.tests {
            let cells = try #require(rows[number])
            try #require(cells.count == 5, "\(number)")
            #expect(cells[2].trimmingCharacters(in: .whitespaces) == test)
            for cell in cells[3...] { #expect(!cell.trimmingCharacters(in: .whitespaces).isEmpty, "\(number)") }
        }
    }
}
