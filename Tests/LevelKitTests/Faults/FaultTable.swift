import Foundation
import Testing

/// The tests that show how LevelKit handles each fault of `docs/FAULTS.md`.
enum FaultTable {
    /// The fault numbers: 1.1 to 1.21, with letters where there are several of a kind.
    static let tests: [String: String] = [
        "1.1a": "an empty key and an empty value are not absence",
        "1.1b": "a read from a table that is gone is corruption, not absence",
        "1.1c": "directories above a new database are made, and no error speaks of a lock file",
        "1.2a": "closing under a live cursor is a typed error, and the cursor ends with closed",
        "1.2b": "use after close is a typed error",
        "1.2c": "a snapshot may be used and let go after its database was closed",
        "1.2d": "stepping past the end stays at the end, from both sides",
        "1.2e": "closing waits for a compaction of another thread",
        "1.3a": "a second open is refused under every spelling of the path",
        "1.3b": "after a refused second open other processes are still kept out",
        "1.4a": "opening a database that is not there leaves nothing behind",
        "1.4b": "a refused open leaves the messages of the process that has the database alone",
        "1.4c": "a forged CURRENT is corruption, and every file stays",
        "1.4d": "tables without CURRENT are never taken for an empty directory",
        "1.4e": "a directory of other files never becomes a database",
        "1.5a": "a relative path means the same after a change of directory",
        "1.5b": "a path with a NUL byte is refused, not cut off there",
        "1.6": "after a full disk every write that was acknowledged is there, also after a reopen",
        "1.7a": "a flipped byte in the middle of the log is corruption, not a hole",
        "1.7b": "a log that ends in the middle of a write opens with the writes before it",
        "1.8a": "a scan over a damaged last block ends in an error, not with the entries before it",
        "1.8b": "a flipped byte in a table is never returned as a value",
        "1.8c": "a damaged filter hides no key",
        "1.8d": "a compaction does not give damage a new checksum",
        "1.8e": "a table that is cut short while it is mapped ends the process",
        "1.8f": "a table whose footer is forged ends in an error, not the process",
        "1.9": "a deleted key does not come back after a compaction under a snapshot",
        "1.10a": "another comparator is refused, and the error names both the right way round",
        "1.10b": "a Bloom filter is refused for an order under which different bytes are one key",
        "1.11a": "a repair with another comparator is refused, and the right one still opens the database",
        "1.11b": "a database that is open is not repaired",
        "1.11c": "a repair where nothing is makes nothing",
        "1.11d": "a repair of a directory of other files changes none of them",
        "1.11e": "a repair does not bring back what a compaction had removed",
        "1.11f": "destroying a directory of other files deletes none of them",
        "1.11g": "a database that is open is not destroyed",
        "1.12": "a compaction without bounds is one of everything",
        "1.13": "what was flushed is there although the log is lost",
        "1.14": "a value of four gibibytes is refused before memory is used for it",
        "1.15": "writers that the engine slows down come to an end, and the cause can be read",
        "1.16": "a forked process gets a typed error instead of waiting for ever",
        "1.17": "an option out of range is refused, not quietly changed",
        "1.18": "tables that a cursor keeps on disk go once it has ended",
        "1.19": "a batch may be written by one thread after another and keeps its content",
        "1.20": "a snapshot reads its own database, whatever others are open",
        "1.21": "empty batches write nothing",
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

    @Test func `every kind of fault from 1.1 to 1.21 has a test, and every test a fault`() throws {
        for kind in 1...21 {
            let count = FaultTable.tests.keys.count { $0.wholeMatch(of: /1\.([0-9]+)[a-z]?/)?.output.1 == "\(kind)" }
            #expect(count > 0, "1.\(kind)")
        }
        let names = try Self.names()
        #expect(Set(FaultTable.tests.values) == names)
        #expect(FaultTable.tests.count == names.count)
    }

    @Test func `the table of the documentation has a row for each fault, with the test and two observations`() throws {
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
