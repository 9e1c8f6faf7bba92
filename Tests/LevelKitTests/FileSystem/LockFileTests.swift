import Foundation
import Testing

@testable import LevelKit

@Suite struct LockFileTests {
    @Test func `A database open in another process is locked, and the error names that process`() async throws {
        try await withSharedDirectory { directory in
            let path = directory + "/db"
            let seen = try await whileAnotherProcessHoldsDatabase("db", in: directory) { holder in
                let before = (FileStatus(path: path + "/LOG")?.identity, try fileNames(in: path))
                let errors = (0..<3).map { _ in thrownError { _ = try Database.open(at: path) } }
                let after = (FileStatus(path: path + "/LOG")?.identity, try fileNames(in: path))
                return (holder: holder, errors: errors, before: before, after: after)
            }
            for error in seen.errors {
                #expect(error?.code == .locked)
                #expect(error?.message.contains("process \(seen.holder)") == true, "\(error?.message ?? "")")
                #expect(error?.message.contains(path) == true)
            }
            // LevelDB itself renames the info log before it requests the lock.
            #expect(seen.before.0 != nil)
            #expect(seen.before == seen.after)
            #expect(!seen.after.1.contains("LOG.old"))
            let database = try Database.open(at: path)
            #expect(try database.value(forKey: "holder") == utf8("still here"))
        }
    }

    @Test func `The holder of a lock is found, or nil if there is none`() async throws {
        try await withSharedDirectory { directory in
            let database = try DatabaseDirectory(directory + "/db")
            #expect(LockFile.holder(in: database) == nil)
            let (expected, found) = try await whileAnotherProcessHoldsDatabase("db", in: directory) { holder in
                (holder, LockFile.holder(in: database))
            }
            #expect(found == expected)
            #expect(LockFile.holder(in: database) == nil)
        }
    }

    @Test func `Two processes that race to create a database do not damage each other's`() async throws {
        try await withSharedDirectory { directory in
            func other() async {
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    try reportingErrors {
                        let losses = try LockFileTests.raceToCreate(in: directory, as: "first", against: "second")
                        #expect(losses == [])
                    }
                }
            }
            let losses = try await concurrently(with: other) {
                try Self.raceToCreate(in: directory, as: "second", against: "first")
            }
            #expect(losses == [])
        }
    }

    @Test func `Two processes that open and close the same database lock each other out without harm`() async throws {
        try await withSharedDirectory { directory in
            func other() async {
                await #expect(processExitsWith: .success) { [directory = directory as String] in
                    try reportingErrors {
                        let failures = try LockFileTests.openRepeatedly(in: directory, as: "first", against: "second")
                        #expect(failures == [])
                    }
                }
            }
            let failures = try await concurrently(with: other) {
                try Self.openRepeatedly(in: directory, as: "second", against: "first")
            }
            #expect(failures == [])
        }
    }

    /// Opens the same database 150 times and increments a counter in it.
    ///
    /// - Returns: Any error other than that the database is locked, and whether an increment was lost.
    private static func openRepeatedly(in directory: String, as name: String, against other: String) throws -> [String]
    {
        try Flag(name, in: directory).raise()
        let flag = Flag(other, in: directory)
        let deadline = ContinuousClock.now + Flag.limit
        while unsafe access(flag.path, F_OK) != 0 {
            if ContinuousClock.now > deadline { return ["the other process has not come"] }
            usleep(1000)
        }
        var failures: [String] = []
        var count: UInt8 = 0
        for round in 0..<150 {
            do throws(LevelError) {
                let database = try Database.open(at: directory + "/db")
                let stored = try database.value(forKey: utf8(name))
                if stored != (count == 0 ? nil : [count]) {
                    failures.append("\(round): \(stored?.description ?? "nothing") is stored instead of \(count)")
                }
                count += 1
                try database.put([count], forKey: utf8(name))
                try database.close()
            } catch {
                if error.code != .locked { failures.append("\(round): \(error)") }
            }
        }
        return failures
    }

    /// Opens a series of new databases, each at the same moment as the other process.
    ///
    /// - Returns: The failures: rounds in which this process won but could not write or lost its write, or in which it
    ///   lost but got an
    ///   error other than that the other process has the database.
    private static func raceToCreate(in directory: String, as name: String, against other: String) throws -> [String] {
        var losses: [String] = []
        for round in 0..<40 {
            let path = directory + "/db\(round)"
            try Flag("\(name)-\(round)", in: directory).raise()
            let flag = Flag("\(other)-\(round)", in: directory)
            let deadline = ContinuousClock.now + Flag.limit
            while unsafe access(flag.path, F_OK) != 0 {
                if ContinuousClock.now > deadline { return losses + ["\(round): the other process has not come"] }
                // Only the start of the other process takes long. After that, both open at the same moment.
                usleep(round == 0 ? 1000 : 20)
            }
            do throws(LevelError) {
                let database = try Database.open(at: path)
                try database.put([1], forKey: utf8(name))
                // Gives the loser time to fail and clean up.
                usleep(1000)
                try database.put([2], forKey: utf8(name))
                try database.close()
                // The other process may have it open by now; if not, all writes must be present.
                if let again = try? Database.open(at: path), try again.value(forKey: utf8(name)) != [2] {
                    losses.append("\(round): what was written is lost")
                }
            } catch {
                if error.code != .locked { losses.append("\(round): \(error)") }
            }
        }
        return losses
    }

    @Test func `A lock error names the process if the system provides its name`() {
        let pid = ProcessInfo.processInfo.processIdentifier
        let error = LockFile.heldError(path: "/data/db", pid: pid)
        #expect(error.code == .locked)
        #expect(error.message.hasPrefix("/data/db is open in process \(pid)"))
        #if os(Linux)
            #expect(error.message.contains("process \(pid) ("))
        #endif
        #expect(LockFile.heldError(path: "/data/db", pid: -5).message.contains("process -5;"))
    }
}
