import Foundation
import LevelKit
import Testing

/// LevelDB's background thread does not exist in a forked process, where its calls would wait forever.
@Suite struct ForkTests {
    @Test func `A forked process cannot use an open database, and its parent is not affected`() async throws {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                try Database.open(at: directory + "/damaged").close()
                let database = try Database.open(at: directory + "/db")
                try database.put("1", forKey: "a")
                try database.compact()
                let snapshot = try database.snapshot()
                let status = ForkTests.statusOfFork { step in
                    let calls: [() throws -> Void] = [
                        { _ = try database.value(forKey: "a") },
                        { try database.put("2", forKey: "a") },
                        { try database.write(WriteBatch()) },
                        { _ = try database.cursor() },
                        { _ = try database.snapshot() },
                        { _ = try snapshot.value(forKey: "a") },
                        { try database.compact() },
                        { try database.close() },
                        { _ = try Database.open(at: directory + "/other") },
                        { _ = try Database.open(at: directory + "/db") },
                        { _ = try Database.repair(at: directory + "/damaged") },
                    ]
                    for (index, call) in calls.enumerated() {
                        step(index)
                        guard code(call) == .forked else { return false }
                    }
                    return true
                }
                #expect(status == "exited with success")
                // The exit of the child did not release the parent's lock.
                #expect(try snapshot.value(forKey: "a") == utf8("1"))
                try database.put("2", forKey: "a")
                try database.compact()
                try database.close()
                try expectFiles(["damaged", "db"], in: directory)
            }
            let database = try Database.open(at: directory + "/db")
            #expect(try database.value(forKey: "a") == utf8("2"))
        }
    }

    @Test func `A process forked before the first open can use a database`() async throws {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                let status = ForkTests.statusOfFork { step in
                    guard let database = try? Database.open(at: directory + "/db") else { return false }
                    step(1)
                    guard (try? database.put("1", forKey: "a")) != nil else { return false }
                    step(2)
                    guard (try? database.compact()) != nil else { return false }
                    step(3)
                    return (try? database.close()) != nil
                }
                #expect(status == "exited with success")
                let database = try Database.open(at: directory + "/db")
                #expect(try database.value(forKey: "a") == utf8("1"))
            }
        }
    }

    /// Runs `body` in a forked process and describes how it ended; a process that hangs is killed after ten minutes.
    ///
    /// - Parameter body: Reports its steps, which identifies a step that hangs; returns whether all of them succeeded.
    static func statusOfFork(_ body: (_ step: (Int) -> Void) -> Bool) -> String {
        // Swift hides `fork` because little works in the child; this test is about that little.
        typealias Fork = @convention(c) () -> pid_t
        #if canImport(Darwin)
            let anyLibrary = unsafe UnsafeMutableRawPointer(bitPattern: -2)
        #else
            let anyLibrary = unsafe UnsafeMutableRawPointer(bitPattern: 0)
        #endif
        guard let symbol = unsafe dlsym(anyLibrary, "fork") else { return "no fork" }
        var steps: [Int32] = [0, 0]
        guard unsafe pipe(&steps) == 0 else { return "no pipe" }
        let child = unsafe unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 {
            let isWell = body { step in
                var byte = UInt8(step)
                unsafe write(steps[1], &byte, 1)
            }
            _exit(isWell ? 0 : 1)
        }
        close(steps[1])
        var step = UInt8.max
        var byte: UInt8 = 0
        let deadline = ContinuousClock.now + .seconds(600)
        var status: Int32 = 0
        while unsafe waitpid(child, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < deadline else {
                kill(child, SIGKILL)
                unsafe waitpid(child, &status, 0)
                break
            }
            usleep(2000)
        }
        while unsafe read(steps[0], &byte, 1) == 1 { step = byte }
        close(steps[0])
        return status == 0 ? "exited with success" : "ended with status \(status) in step \(step)"
    }
}
