import Testing

@testable import DocIndex

struct RevisionTests {
    @Test func `A revision is read back from its text`() throws {
        for text in [
            "1-917fa2381192822767f010b95b45325b", "12-x", "9007199254740991-" + String(repeating: "é", count: 512),
        ] {
            #expect(try #require(Revision(text)).description == text)
        }
    }

    @Test func `Hexadecimal digits of either case are the same revision`() throws {
        let lower = try #require(Revision("1-abcdefabcdefabcdefabcdefabcdefab"))
        #expect(Revision("1-ABCDEFABCDEFABCDEFABCDEFABCDEFAB") == lower)
        #expect(lower.id.bytes?.count == 16)
    }

    @Test func `Other strings are not revisions`() {
        let texts = [
            "", "-", "1", "1-", "-1-a", "+1-a", "0-a", "01-a", "1 -a", "9007199254740992-a", "99999999999999999999-a",
            "a-1",
            "1-a\n", "1-" + String(repeating: "a", count: 1025),
        ]
        for text in texts { #expect(Revision(text) == nil, "\(text)") }
    }

    @Test func `Revisions are ordered by number, then by bytes and not by digits`() throws {
        func revision(_ text: String) throws -> Revision { try #require(Revision(text)) }
        #expect(try revision("9-ffffffffffffffffffffffffffffffff") < revision("10-00000000000000000000000000000000"))
        // As bytes, 0x99 is greater than "a", which is 0x61.
        #expect(try revision("1-aaa") < revision("1-99999999999999999999999999999999"))
        #expect(try revision("1-0fffffffffffffffffffffffffffffff") < revision("1-10000000000000000000000000000000"))
        #expect(try revision("1-a") < revision("1-aa"))
    }

    @Test func `The hash of an edit does not depend on where the ID is`() {
        let a = Revision.made(from: nil, to: ["id": "x", "year": 1930], idField: "id")
        let b = Revision.made(from: nil, to: ["year": 1930, "id": "y"], idField: "id")
        #expect(a == b)
        #expect(a != Revision.made(from: nil, to: ["year": 1931, "id": "x"], idField: "id"))
        #expect(a != Revision.made(from: nil, to: nil, idField: "id"))
        #expect(Revision.made(from: a, to: nil, idField: "id") != Revision.made(from: b, to: [:], idField: "id"))
    }

    @Test func `The examples of the format hold`() throws {
        let first = Revision.made(
            from: nil, to: ["id": "a", "title": "Fog", "year": 1930, "score": 4.0], idField: "id")
        let second = Revision.made(
            from: first, to: ["title": "Fog", "taken": .date(DocumentDate(milliseconds: 0))], idField: "id")
        let third = Revision.made(from: second, to: nil, idField: "id")
        #expect(
            [first, second, third].map(\.description) == [
                "1-886f4e65b2555e75cbb1ea3ee468236a", "2-2f36561d790c4b082c088b1c3dede6d8",
                "3-60e103da2945f5e4008de804911eb29b",
            ])
    }
}
