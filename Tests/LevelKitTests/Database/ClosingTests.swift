import Foundation
import LevelKit
import Testing

@Suite struct ClosingTests {
    @Test func `Every call on a closed database throws closed`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            try database.put("1", forKey: "a")
            let batch = WriteBatch()
            try batch.put("2", forKey: "b")
            try database.close()
            let calls: [(String, () throws -> Void)] = [
                ("put", { try database.put([1], forKey: [1]) }),
                ("put text", { try database.put("1", forKey: "1", durability: .synced) }),
                ("delete", { try database.delete([1]) }),
                ("delete text", { try database.delete("a") }),
                ("write", { try database.write(batch) }),
                ("write empty", { try database.write(WriteBatch()) }),
                ("write closure", { try database.write { try $0.put("1", forKey: "1") } }),
                ("value", { _ = try database.value(forKey: [1]) }),
                ("value text", { _ = try database.value(forKey: "a") }),
                ("withValue", { try database.withValue(forKey: utf8("a")) { (_) throws(LevelError) in } }),
                ("contains", { _ = try database.contains(utf8("a")) }),
                ("cursor", { _ = try database.cursor() }),
                ("cursor reverse", { _ = try database.cursor(in: .all, direction: .descending, cache: .bypass) }),
                ("snapshot", { _ = try database.snapshot() }),
                ("compact", { try database.compact() }),
                ("size", { _ = try database.approximateByteCount(in: .all) }),
                ("property", { _ = try database.property("leveldb.stats") }),
            ]
            for (name, call) in calls {
                let error = thrownError(call)
                #expect(error?.code == .closed, "\(name)")
                #expect(error?.message.contains(database.path) == true, "\(name)")
            }
        }
    }

    @Test func `Every call on a snapshot of a closed database throws closed`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            try database.put("1", forKey: "a")
            let snapshot = try database.snapshot()
            try database.close()
            let calls: [(String, () throws -> Void)] = [
                ("value", { _ = try snapshot.value(forKey: "a") }),
                ("withValue", { try snapshot.withValue(forKey: utf8("a")) { (_) throws(LevelError) in } }),
                ("contains", { _ = try snapshot.contains(utf8("a")) }),
                ("cursor", { _ = try snapshot.cursor() }),
                ("cursor reverse", { _ = try snapshot.cursor(direction: .descending) }),
            ]
            for (name, call) in calls { #expect(code(call) == .closed, "\(name)") }
        }
    }

    @Test func `Closing a database twice has no effect`() throws {
        try withTemporaryDatabase { database in
            try database.close()
            try database.close()
        }
    }

    @Test func `An old handle does not affect the database opened after it`() throws {
        try withTemporaryDirectory { directory in
            let old = try Database.open(at: directory + "/db")
            let snapshot = try old.snapshot()
            try old.close()
            let new = try Database.open(at: directory + "/db")
            try old.close()
            #expect(code { _ = try snapshot.value(forKey: "a") } == .closed)
            #expect(code { _ = try Database.open(at: directory + "/db") } == .locked)
            try new.put("1", forKey: "a")
            #expect(try new.value(forKey: "a") == utf8("1"))
        }
    }

    @Test func `Live snapshots do not keep a database from closing`() throws {
        try withTemporaryDirectory { directory in
            for _ in 0..<3 {
                let database = try Database.open(at: directory + "/db")
                let snapshots = try (0..<5).map { _ in try database.snapshot() }
                try database.close()
                #expect(snapshots.allSatisfy { snapshot in code { _ = try snapshot.contains([]) } == .closed })
            }
        }
    }

    @Test func `Closing under a cursor of the same thread throws, and the lock is freed when the cursor ends`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            let database = try Database.open(at: path)
            try database.put("1", forKey: "a")
            try database.put("2", forKey: "b")
            try Self.closeUnderCursor(database)
            // The handle still exists; the end of the cursor released the directory.
            let again = try Database.open(at: path)
            #expect(try again.value(forKey: "b") == utf8("2"))
            #expect(code { try database.put("1", forKey: "a") } == .closed)
            try database.close()
            #expect(code { _ = try Database.open(at: path) } == .locked)
        }
    }

    @Test func `Cursors without a current entry do not prevent closing, and throw closed afterwards`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            let database = try Database.open(at: path)
            for number in 0..<10 { try database.put(utf8("1"), forKey: numberedKey(number)) }
            var unmoved = try database.cursor()
            var atEnd = try database.cursor()
            while try atEnd.advance() {}
            var pastBound = try database.cursor(
                in: .range(from: numberedKey(2), to: numberedKey(4)), direction: .descending)
            while try pastBound.advance() {}
            var soughtAtEnd = try database.cursor()
            while try soughtAtEnd.advance() {}
            soughtAtEnd.seek(to: numberedKey(3))
            try database.close()
            let again = try Database.open(at: path)
            #expect(code { _ = try unmoved.advance() } == .closed)
            #expect(code { _ = try atEnd.advance() } == .closed)
            #expect(code { _ = try pastBound.advance() } == .closed)
            #expect(code { _ = try soughtAtEnd.advance() } == .closed)
            soughtAtEnd.seek(to: numberedKey(0))
            #expect(code { _ = try soughtAtEnd.advance() } == .closed)
            try again.close()
        }
    }

    @Test func `A database can be closed while one of its values is borrowed`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            try database.put(utf8("a value that stays"), forKey: utf8("a"))
            let snapshot = try database.snapshot()
            let value = try snapshot.withValue(forKey: utf8("a")) { (lent) throws(LevelError) in
                try database.withValue(forKey: utf8("a")) { (_) throws(LevelError) in try database.close() }
                return lent.copied()
            }
            #expect(value == utf8("a value that stays"))
            #expect(code { _ = try database.value(forKey: "a") } == .closed)
        }
    }

    @Test func `Closing does not wait for a thread whose cursor is at its end`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            try database.put("1", forKey: "a")
            let (isAtEnd, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let thread = startThread { () throws(LevelError) in
                var cursor = try database.cursor()
                while try cursor.advance() {}
                isAtEnd.signal()
                mayGo.wait()
                cursor.seek(to: utf8("a"))
                _ = try cursor.advance()
            }
            isAtEnd.wait()
            try database.close()
            try Database.open(at: directory + "/db").close()
            mayGo.signal()
            #expect(code { try thread.get() } == .closed)
        }
    }

    private static func closeUnderCursor(_ database: Database) throws {
        var cursor = try database.cursor()
        #expect(try cursor.advance())
        let error = thrownError { try database.close() }
        #expect(error?.code == .cursorsAlive)
        #expect(error?.message.contains("1 of its cursors is still on an entry") == true)
        // A second close has nothing left to do or report.
        try database.close()
        #expect(code { _ = try Database.open(at: database.path) } == .locked)
        // The current entry can still be borrowed; moving on throws on every attempt.
        #expect(cursor.key.copied() == utf8("a"))
        #expect(cursor.value.copied() == utf8("1"))
        for _ in 0..<3 {
            do {
                _ = try cursor.advance()
                Issue.record("advance() on a closed database")
            } catch {
                #expect(error.code == .closed)
            }
            cursor.seek(to: utf8("b"))
        }
    }

    @Test func `The directory is released by the last of several cursors and snapshots`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            let database = try Database.open(at: path)
            try database.put("1", forKey: "a")
            let snapshot = try database.snapshot()
            do {
                var first = try snapshot.cursor()
                #expect(try first.advance())
                do {
                    var second = try database.cursor(direction: .descending)
                    #expect(try second.advance())
                    #expect(thrownError { try database.close() }?.message.contains("2 of its cursors") == true)
                    #expect(code { _ = try second.advance() } == .closed)
                }
                #expect(code { _ = try Database.open(at: path) } == .locked)
                #expect(code { _ = try first.advance() } == .closed)
            }
            try Database.open(at: path).close()
        }
    }

    @Test func `A database closes when its last reference is gone`() throws {
        try withTemporaryDirectory { directory in
            for round in 0..<5 {
                let database = try Database.open(at: directory + "/db")
                #expect(try keys(of: database).count == round)
                try database.put([], forKey: numberedKey(round))
            }
        }
    }

    @Test func `A snapshot keeps its database open after the last reference to the database is gone`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            do {
                let snapshot = try Self.makeSnapshot(at: path)
                #expect(try snapshot.value(forKey: "a") == utf8("1"))
                #expect(try keys(of: snapshot) == [utf8("a")])
                #expect(code { _ = try Database.open(at: path) } == .locked)
            }
            try Database.open(at: path).close()
        }
    }

    private static func makeSnapshot(at path: String) throws -> Snapshot {
        let database = try Database.open(at: path)
        try database.put("1", forKey: "a")
        let snapshot = try database.snapshot()
        try database.put("2", forKey: "b")
        return snapshot
    }

    @Test func `A cursor keeps its database open after the last reference to the database is gone`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            do {
                var cursor = try Self.makeCursor(at: path)
                #expect(try cursor.advance())
                #expect(cursor.value.copied() == utf8("1"))
                #expect(try !cursor.advance())
                #expect(code { _ = try Database.open(at: path) } == .locked)
            }
            try Database.open(at: path).close()
        }
    }

    private static func makeCursor(at path: String) throws -> Cursor {
        try makeSnapshot(at: path).cursor()
    }

    @Test func `A snapshot can be released after its database was closed and reopened`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            var snapshot: Snapshot? = try Self.makeSnapshot(at: path)
            let database = try #require(snapshot.map { _ in path })
            snapshot = nil
            let again = try Database.open(at: database)
            let other = try again.snapshot()
            try again.close()
            withExtendedLifetime(other) {}
            try Database.open(at: path).close()
        }
    }

    @Test func `A write closure that closes the database writes nothing and throws closed`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            let error = thrownError {
                try database.write { batch in
                    try batch.put("1", forKey: "a")
                    try database.close()
                }
            }
            #expect(error?.code == .closed)
            #expect(try Database.open(at: directory + "/db").value(forKey: "a") == nil)
        }
    }
}
