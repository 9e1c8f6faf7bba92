import Foundation
import LevelKit
import Testing

@Suite struct TupleTests {
    @Test func `Literals create elements of their types`() {
        let name = "n"
        let tuple: Tuple = ["a\(name)", 1, 1.0, true, nil, ["in"]]
        #expect(
            tuple.elements == [.string("an"), .int(1), .double(1), .bool(true), .null, .tuple(Tuple([.string("in")]))]
        )
    }

    @Test func `A tuple is a collection of its elements`() {
        var tuple: Tuple = ["a", 1]
        tuple.append(true)
        tuple[1] = 2
        #expect(tuple == ["a", 2, true])
        #expect(tuple.count == 3)
        #expect(tuple.last == true)
        #expect(Tuple(tuple.dropFirst()) == [2, true])
        #expect(Tuple().packed().isEmpty)
    }

    @Test func `The description of a tuple shows its values`() {
        let tuple: Tuple = [
            "a\"", .bytes([0, 255]), 1, .float(1.5), 2.0, false, nil, [1], .descending("z"),
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))),
            .versionstamp(Tuple.Versionstamp(commitVersion: 1, batchNumber: 2, userVersion: 3)),
        ]
        #expect(
            tuple.description
                == #"("a\"", bytes 00ff, 1, 1.5f, 2.0, false, nil, (1), descending "z", "#
                + "UUID 00000000-0000-0000-0000-000000000001, versionstamp 00000000000000010002 user 3)"
        )
    }

    @Test func `A tuple can be read from a borrowed key`() throws {
        let key = Tuple(["a", 1]).packed()
        #expect(try Tuple(packed: key.span) == ["a", 1])
    }

    @Test func `An incomplete versionstamp reports that it is incomplete`() {
        #expect(!Tuple.Versionstamp.incomplete().isComplete)
        #expect(Tuple.Versionstamp(commitVersion: .max, batchNumber: 0).isComplete)
    }

    @Test func `A string keeps its Unicode scalars`() throws {
        for text in ["\u{E9}", "e\u{301}", "\u{FEFF}x", "\u{1F468}\u{200D}\u{1F469}", "\r\n", "\0"] {
            let decoded = try Tuple(packed: Tuple([.string(text)]).packed())
            guard case .string(let read) = decoded[0] else {
                Issue.record("no string came back")
                return
            }
            #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
        }
    }
}
