import Foundation
import Testing

@testable import LevelKit

@Suite struct LevelErrorTests {
    @Test(arguments: [
        ("Corruption: block checksum mismatch: /d/000005.ldb", LevelError.Code.corruption),
        ("NotFound: /d/000005.ldb: No such file or directory", .corruption),
        ("Not implemented: feature", .notSupported),
        ("Invalid argument: not an sstable", .invalidArgument),
        ("IO error: /d/000003.log: No space left on device", .io),
        ("IO error: lock /d/LOCK: already held by process", .locked),
        ("IO error: lock /d/LOCK: Resource temporarily unavailable", .locked),
        ("Invalid argument: /d: exists (error_if_exists is true)", .databaseExists),
        ("Invalid argument: a does not match existing comparator : b", .comparatorMismatch),
        ("Unknown code(9): text", .unknown), ("OK", .unknown), ("", .unknown), ("corruption: small letters", .unknown),
        ("prefix Corruption: not at the start", .unknown),
    ])
    func `Each kind of LevelDB status maps to its error code`(text: String, expected: LevelError.Code) {
        let error = LevelError.engine(text, action: "read a key from /d")
        #expect(error.code == expected)
        #expect(error.message.hasPrefix("could not read a key from /d"))
    }

    @Test(arguments: [
        ("IO error: /data/block device/000003.log: No space left on device", LevelError.Code.io),
        ("IO error: /data/lock box/000003.log: Input/output error", .io),
        ("IO error: /a does not match existing comparator /000003.log: File too large", .io),
    ])
    func `A path that resembles another error does not change the error code`(text: String, expected: LevelError.Code) {
        #expect(LevelError.engine(text, action: "write a key").code == expected)
    }

    @Test func `LevelDB's message is kept as the cause, without its status prefix`() {
        let known = LevelError.engine("IO error: /d/000003.log: File too large", action: "write a key")
        #expect(known.cause == "/d/000003.log: File too large")
        let unknown = LevelError.engine("Strange: words", action: "write a key")
        #expect(unknown.cause == "Strange: words")
    }

    @Test func `A comparator mismatch names both comparators in the right roles`() {
        // LevelDB's message for a database created with `mine` and opened with the default comparator (verified, 1.23).
        let text = "Invalid argument: mine does not match existing comparator : leveldb.BytewiseComparator"
        let error = LevelError.engine(text, action: "open the database at /d")
        #expect(error.code == .comparatorMismatch)
        #expect(error.message.contains("ordered by the comparator mine"))
        #expect(error.message.contains("opened with leveldb.BytewiseComparator"))
    }

    @Test func `A comparator name may contain spaces`() {
        let text = "Invalid argument: my own order does not match existing comparator : the other order"
        let message = LevelError.engine(text, action: "open").message
        #expect(message.contains("ordered by the comparator my own order"))
        #expect(message.contains("opened with the other order"))
    }

    @Test func `An alert shows the message, the cause and the next step of every public error`() throws {
        let locked: any Error = LevelError(.locked, "could not open /d", cause: "EAGAIN")
        #expect(locked.localizedDescription == "could not open /d")
        #expect((locked as? any LocalizedError)?.failureReason == "EAGAIN")
        #expect((locked as? any LocalizedError)?.recoverySuggestion?.hasPrefix("Close the database") == true)
        #expect(LevelError(.closed, "closed").recoverySuggestion == nil)
        #expect(throws: (any Error).self) {
            do throws(TupleError) { _ = try Tuple(packed: [0xfd]) } catch {
                #expect((error as any Error).localizedDescription == error.description)
                throw error
            }
        }
        #expect(throws: (any Error).self) {
            do throws(KeySchemaError) { _ = try KeySchema("s", KeyComponent<Int>("a")).unpack([0xfd]) } catch {
                #expect((error as any Error).localizedDescription == error.message)
                #expect(error.failureReason == error.cause?.message)
                throw error
            }
        }
    }

    @Test func `The description is the message with the cause in parentheses`() {
        #expect(LevelError(.io, "message", cause: "cause").description == "message (cause)")
        #expect(LevelError(.io, "message").description == "message")
    }
}
