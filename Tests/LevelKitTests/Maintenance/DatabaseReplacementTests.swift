import Foundation
import TestSupport
import Testing

@testable import LevelKit

/// A database that is replaced by another; the basis of the shell's `load --mode replace`.
@Suite struct DatabaseReplacementTests {
    private static func make(_ path: String, _ value: String) throws {
        let database = try Database.open(at: path)
        try database.put(value, forKey: "key")
        try database.close()
    }

    private static func value(_ path: String) throws -> String? {
        let database = try Database.open(at: path, mode: .readOnly)
        defer { try? database.close() }
        return try database.value(forKey: "key").map { String(decoding: $0, as: UTF8.self) }
    }

    private static func change(_ replacement: DatabaseReplacement) throws {
        let copy = try Database.open(at: replacement.copyPath)
        #expect(try copy.value(forKey: "key") == Array("old".utf8))
        try copy.put("new", forKey: "key")
        try copy.close()
    }

    private static func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    @Test(arguments: [true, false])
    func `A replacement is visible once published, and leaves no other files`(exchanges: Bool) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try Self.make(path, "old")
            let replacement = try DatabaseReplacement(of: path)
            try Self.change(replacement)
            #expect(try Self.value(path) == "old")
            #expect(code { _ = try Database.open(at: path) } == .locked)
            try replacement.publish(exchanges: exchanges)
            #expect(try Self.value(path) == "new")
            #expect(try Self.names(directory) == ["db"])
            try Database.open(at: path).put("later", forKey: "key")
        }
    }

    @Test func `A discarded replacement changes nothing`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try Self.make(path, "old")
            let before = try DirectoryState(path)
            let replacement = try DatabaseReplacement(of: path)
            try Self.change(replacement)
            replacement.discard()
            #expect(try DirectoryState(path).difference(from: before) == [])
            #expect(try Self.names(directory) == ["db"])
        }
    }

    /// The points at which a process can be killed where directories cannot be exchanged.
    @Test(arguments: ["copied", "moved aside", "moved in"])
    func `A killed process leaves either the old or the new database`(moment: String) async throws {
        try await withSharedDirectory { directory in
            let path = directory + "/db"
            try Self.make(path, "old")
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, moment = moment as String] in
                let replacement = try DatabaseReplacement(of: path)
                try Self.change(replacement)
                if moment != "copied" { try replacement.moveAside() }
                if moment == "moved in" { try FileManager.default.moveItem(atPath: replacement.copyPath, toPath: path) }
                kill(getpid(), SIGKILL)
            }
            #expect(try Self.names(directory).count == (moment == "moved aside" ? 1 : 2))
            let before = try DirectoryState(directory)
            DatabaseReplacement.restoreMoved(to: path)
            let difference = try DirectoryState(directory).difference(from: before)
            #expect(difference.isEmpty == (moment != "moved aside"), "only a missing database is moved: \(difference)")
            #expect(try Self.value(path) == (moment == "moved in" ? "new" : "old"))
            DatabaseReplacement.clearLeftovers(of: path)
            #expect(try Self.names(directory) == ["db"])
            #expect(try Self.value(path) == (moment == "moved in" ? "new" : "old"))
        }
    }

    @Test func `Files in use by a live replacement are not cleared as leftovers`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try Self.make(path, "old")
            let replacement = try DatabaseReplacement(of: path)
            let names = try Self.names(directory)
            DatabaseReplacement.clearLeftovers(of: path)
            #expect(try Self.names(directory) == names)
            #expect(code { _ = try DatabaseReplacement(of: path) } == .locked)
            replacement.discard()
        }
    }
}
