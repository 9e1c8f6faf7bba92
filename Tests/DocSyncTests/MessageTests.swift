import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

struct MessageTests {
    private func read(_ text: String) throws -> WireDocument {
        try WireDocument(reading: Array(text.utf8), idField: "id")
    }

    private static let rev = "3-917fa2381192822767f010b95b45325b"
    private static let path =
        #""_revisions":{"start":3,"ids":["917fa2381192822767f010b95b45325b","967a00dff5e02add41819138abb3284d","x"]}"#

    @Test func `A version of another program is parsed and written back unchanged`() throws {
        let text =
            #"{"_id":"a","_rev":"\#(Self.rev)",\#(Self.path),"n":1,"big":9007199254740993,"f":4.0,"when":{"$date":"2012-06-08T18:02:11.000+02:00"}}"#
        let document = try read(text)
        #expect(document.id == "a")
        #expect(document.version.path.revision.description == Self.rev)
        #expect(document.version.path.ancestors.map(\.description) == ["967a00dff5e02add41819138abb3284d", "x"])
        #expect(document.version.content?.first?.name == "id")
        #expect(document.version.content?["big"] == .int(9_007_199_254_740_993))
        #expect(document.version.content?["f"] == .double(4))
        var again: [UInt8] = []
        document.write(to: &again, idField: "id")
        #expect(String(decoding: again, as: UTF8.self) == text)
    }

    @Test func `A deletion may have members`() throws {
        let bare = try read(#"{"_id":"a","_rev":"2-b","_deleted":true}"#)
        #expect(bare.version.isDeleted && bare.version.content == nil)
        let full = try read(#"{"_id":"a","_rev":"2-b","_deleted":true,"reason":"blurred"}"#)
        #expect(full.version.isDeleted && full.version.content == ["id": "a", "reason": "blurred"])
    }

    @Test(arguments: [
        (#"{"_id":"a","_rev":"1-b","_x":1}"#, DocumentError.Code.reservedMember),
        (#"{"_id":"_a","_rev":"1-b"}"#, .invalidID), (#"{"_id":"","_rev":"1-b"}"#, .invalidID),
        (#"{"_id":"a","_rev":"1-b","id":"b"}"#, .idMemberDiffers),
        (#"{"_id":"a","_rev":"1-b","n":123456789012345678901234567890}"#, .numberOutOfRange),
        (#"{"_id":"a","_rev":"1-b","n":1,"n":2}"#, .malformed), (#"{"_id":"a","_rev":"b"}"#, .malformed),
        (#"{"_id":"a","_rev":"2-b","_revisions":{"start":1,"ids":["b"]}}"#, .malformed),
        (#"{"_id":"a","_rev":"2-b","_revisions":{"start":2,"ids":["c","b"]}}"#, .malformed),
        (#"{"_id":"a","_rev":"1-b","_revisions":{"start":1,"ids":["b","c"]}}"#, .malformed),
        (#"{"_id":"a","_rev":"1-b","when":{"$date":"yesterday"}}"#, .malformed), (#"{"_rev":"1-b"}"#, .malformed),
        (#"[1]"#, .malformed), (#"{"_id":"a","_rev":"1-b""#, .malformed),
    ])
    func `A version that cannot be stored is named`(text: String, code: DocumentError.Code) {
        #expect { try read(text) } throws: { ($0 as? DocumentError)?.code == code }
    }

    @Test func `A version that is nested too deeply is named`() {
        let text =
            #"{"_id":"a","_rev":"1-b","n":"# + String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect { try read(text + "}") } throws: { ($0 as? DocumentError)?.code == .tooDeep }
    }

    @Test func `The IDs of all documents that were read are those that were written`() throws {
        var random = TestRun.random(stream: 3)
        for _ in 0..<TestRun.rounds(300, long: 20_000) {
            var documents = RandomDocuments(random)
            var content = documents.document(id: "a")
            random = documents.random
            guard WireDocument.problem(of: "a", content, idField: "id") == nil else { continue }
            let revision = try #require(Revision("1-b"))
            let version = DocumentRevision(
                try #require(RevisionPath(revision, ancestors: [])), isDeleted: false, content: content)
            var text: [UInt8] = []
            WireDocument("a", version).write(to: &text, idField: "id")
            let read = try WireDocument(reading: text, idField: "id")
            content.removeValue(forName: "id")
            var other = try #require(read.version.content)
            other.removeValue(forName: "id")
            #expect(other == content)
        }
    }

    @Test func `A feed is read however it is cut`() throws {
        let text = """
            {"results":[\r
            {"seq":"1-a","id":"a","changes":[{"rev":"1-b"},{"rev":"2-c"}]},\r

            {"seq":null,"id":"b","changes":[{"rev":"1-b"}],"deleted":true,"doc":{"_id":"b"}},\r
            {"seq":"3-a","id":"c","changes":[{"rev":"none"}]}\r
            ],\r
            "last_seq":"3-a","pending":0}\r

            """
        for size in [1, 2, 3, 7, 50, 1000] {
            var reader = ChangesReader(byteLimit: 1000)
            var rows: [String] = []
            var end: PeerPosition?
            var bytes = Array(text.utf8)[...]
            func take() throws {
                while let part = try reader.next() {
                    switch part {
                    case .row(let row): rows.append("\(row.id) \(row.revisions)")
                    case .problem(let problem): rows.append("problem \(problem.id)")
                    case .end(let position): end = position
                    case .pending(let count): #expect(count == 0)
                    }
                }
            }
            while !bytes.isEmpty {
                reader.append(Array(bytes.prefix(size)))
                bytes = bytes.dropFirst(size)
                try take()
            }
            reader.finish()
            try take()
            #expect(rows == ["a [1-b, 2-c]", "b [1-b]", "problem c"])
            #expect(end?.parameter == "3-a")
        }
    }

    @Test func `Checkpoints agree on the newest save that both sides have`() {
        func session(_ id: String, _ position: Int64) -> Checkpoint.Session {
            Checkpoint.Session(id: id, position: PeerPosition(.int(position)), commit: 5, written: 2, time: "")
        }
        var mine = Checkpoint()
        for n in 1...100 { mine.add(session("s\(n)", Int64(n))) }
        #expect(mine.sessions.count <= 50)
        var theirs = mine
        mine.add(session("s101", 101))
        #expect(mine.common(with: theirs)?.id == "s100")
        #expect(!mine.isBehind(theirs))
        theirs.add(session("s102", 102))
        #expect(mine.isBehind(theirs))
        #expect(mine.common(with: theirs)?.id == "s100")
        #expect(mine.common(with: Checkpoint()) == nil)
        // One that was set back by half of the saves still has one in common.
        var old = Checkpoint()
        for n in 1...50 { old.add(session("s\(n)", Int64(n))) }
        #expect(mine.common(with: old) != nil)
        #expect(Checkpoint(mine.object) == mine)
        #expect(mine.common(with: Checkpoint(sessions: [session("s101", 100)])) == nil, "not the same position")
    }

    @Test func `Notes of own commits are kept as ranges, without commits that a push has passed`() {
        var notes = EchoNotes()
        for commit in [3, 4, 5, 9, 11, 12] as [UInt64] { notes.add(commit) }
        notes = EchoNotes(notes.text)
        #expect((1...13).filter(notes.contains) == [3, 4, 5, 9, 11, 12])
        notes.drop(through: 9)
        #expect((1...13).filter(notes.contains) == [11, 12])
        #expect(EchoNotes(Array("[[5,3],7,[0,2]]".utf8)).isEmpty)
    }

    @Test(arguments: ["/photos/a%2Fb?since=1-a%2B%3D&x=1+2", "/", "/photos/?q", "/ph%C3%BC/%00"])
    func `A request target is parsed and written back unchanged`(text: String) throws {
        let target = try #require(Target(text))
        #expect(Target(Target.text(target.path))?.path == target.path)
        #expect(Target("/a?since=1-a%2B%3D&x=1+2")?["since"] == "1-a+=")
        #expect(Target("/a?since=1-a%2B%3D&x=1+2")?["x"] == "1 2")
        for malformed in ["", "a", "/%", "/%2", "/%ff", "/?a=%zz"] { #expect(Target(malformed) == nil) }
    }
}
