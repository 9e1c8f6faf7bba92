import Foundation
import LevelKit
import Testing

/// Faults of closing, of objects that outlive a database, and of forks.
@Suite struct LifetimeFaultTests {
    @Test func `Closing under a live cursor throws a typed error, and the cursor then throws closed`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            try database.put("1", forKey: "a")
            do {
                var cursor = try database.cursor()
                #expect(try cursor.advance())
                #expect(code { try database.close() } == .cursorsAlive)
                #expect(code { _ = try cursor.advance() } == .closed)
            }
            try Database.open(at: directory + "/db").close()
        }
    }

    @Test func `Use after close throws a typed error`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            try database.put("1", forKey: "a")
            try database.close()
            #expect(code { _ = try database.value(forKey: "a") } == .closed)
            #expect(code { try database.put("2", forKey: "a") } == .closed)
            #expect(code { _ = try database.cursor() } == .closed)
            #expect(code { try database.compact() } == .closed)
            try database.close()
        }
    }

    @Test func `A snapshot can be used and released after its database was closed`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            try database.put("1", forKey: "a")
            var snapshot: Snapshot? = try database.snapshot()
            try database.close()
            #expect(code { _ = try snapshot?.value(forKey: "a") } == .closed)
            snapshot = nil
            #expect(try Database.open(at: directory + "/db").value(forKey: "a") == utf8("1"))
        }
    }

    @Test func `Stepping past either end stays at the end`() throws {
        try withTemporaryDatabase { database in
            try database.put("1", forKey: "a")
            for reverse in [false, true] {
                var cursor = try database.cursor(direction: reverse ? .descending : .ascending)
                #expect(try cursor.advance())
                for _ in 0..<3 { #expect(try !cursor.advance()) }
                cursor.seek(to: utf8("a"))
                #expect(try cursor.advance())
                #expect(cursor.value.copied() == utf8("1"))
            }
        }
    }

    @Test func `Closing waits for a compaction of another thread`() throws {
        try withTemporaryDirectory { directory in
            for _ in 0..<5 {
                let database = try Database.open(at: directory + "/db")
                let value = [UInt8](repeating: 1, count: 500)
                for number in 0..<2000 { try database.put(value, forKey: numberedKey(number)) }
                let hasBegun = DispatchSemaphore(value: 0)
                let thread = startThread { () throws(LevelError) in
                    hasBegun.signal()
                    while true { try database.compact() }
                }
                hasBegun.wait()
                usleep(2000)
                try database.close()
                #expect(code { try thread.get() } == .closed)
            }
        }
    }

    @Test func `A forked process gets a typed error instead of waiting forever`() async throws {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                try reportingErrors {
                    let database = try Database.open(at: directory + "/db")
                    try database.put("1", forKey: "a")
                    let status = ForkTests.statusOfFork { step in
                        let calls: [() throws -> Void] = [
                            { try database.put("2", forKey: "a") }, { try database.compact() },
                            { try database.close() },
                        ]
                        for (index, call) in calls.enumerated() {
                            step(index)
                            guard code(call) == .forked else { return false }
                        }
                        return true
                    }
                    #expect(status == "exited with success")
                    try database.put("3", forKey: "a")
                }
            }
            let database = try Database.open(at: directory + "/db")
            #expect(try database.value(forKey: "a") == utf8("3"))
        }
    }

    @Test func `Tables that a cursor keeps on disk are deleted after it ends`() throws {
        try withTemporaryDatabase(options: TableFixture.options) { database in
            for number in 0..<200 { try database.put(TableFixture.value(number), forKey: numberedKey(number)) }
            try database.compact()
            do {
                var cursor = try database.cursor(in: .all, cache: .bypass)
                for number in 0..<200 { try database.delete(numberedKey(number)) }
                try database.compact()
                #expect(try !files(ofKind: "ldb", in: database.path).isEmpty)
                var count = 0
                while try cursor.advance() { count += 1 }
                #expect(count == 200)
            }
            try database.put("1", forKey: "a")
            try database.compact()
            #expect(try files(ofKind: "ldb", in: database.path).count == 1)
        }
    }

    @Test func `A snapshot reads its own database, whichever others are open`() throws {
        try withTemporaryDirectory { directory in
            let first = try Database.open(at: directory + "/first")
            let second = try Database.open(at: directory + "/second")
            try first.put("first", forKey: "a")
            let snapshot = try first.snapshot()
            for number in 0..<100 { try second.put("second", forKey: "\(number)") }
            try second.put("second", forKey: "a")
            try first.put("changed", forKey: "a")
            // No call takes a snapshot as an argument; a snapshot is itself the reader.
            #expect(try snapshot.value(forKey: "a") == utf8("first"))
            #expect(try keys(of: snapshot) == [utf8("a")])
            try second.close()
            #expect(try snapshot.value(forKey: "a") == utf8("first"))
        }
    }
}
