import DocIndex
import Testing

@testable import DocSync

@Suite struct BulkDocumentsReaderTests {
    /// Reads an answer, and describes each part.
    private static func parts(_ results: String) throws -> [String] {
        var reader = BulkDocumentsReader(idField: "id", byteLimit: 1 << 20)
        reader.append(Array(#"{"results":[\#(results)]}"#.utf8))
        reader.finish()
        var parts: [String] = []
        while let part = try reader.next() {
            switch part {
            case .document(let document): parts.append("document \(document.id)")
            case .problem(let problem): parts.append("problem \(problem.id) \(problem.code)")
            case .absent(let id, let revision): parts.append("absent \(id) \(revision)")
            }
        }
        return parts
    }

    private static func document(_ id: String) -> String {
        #"{"ok":{"_id":"\#(id)","_rev":"1-aa","n":[1,{"m":2}]}}"#
    }

    @Test func `An answer has documents, and the revisions that are absent`() throws {
        #expect(
            try Self.parts(
                #"{"id":"a","docs":[\#(Self.document("a")), {"error":{"id":"a","rev":"2-bb","error":"not_found"}}]},"#
                    + #" {"docs":[\#(Self.document("b")),{"missing":"3-cc"}],"id":"b"}"#)
                == ["document a", "absent a 2-bb", "document b", "absent b 3-cc"])
    }

    @Test(arguments: [
        (#"{"ok":5}"#, DocumentError.Code.malformed),
        (#"{"ok":{"_id" 1}}"#, .malformed),
        (#"{"ok":{"_id":"a","_rev":"1-aa","n":12abc}}"#, .malformed),
        (#"{"ok":{"_id":"a","_rev":"1-aa","n":1e999}}"#, .numberOutOfRange),
        (#"{"ok":{"_id":"a","_rev":"1-aa","n":1,"n":2}}"#, .malformed),
        (#"{"ok":{"_id":"a","_rev":"1-aa","n":"\u{1}"}}"#, .malformed),
        (#"{"ok":{"n":"x" "y","_id":"a","_rev":"1-aa"}}"#, .malformed),
        (#"{"ok":{"_id":"a","_rev":7}}"#, .malformed),
        (#"{"ok":{"_id":"a","_rev":"1-aa","_x":1}}"#, .reservedMember),
    ])
    func `A version that cannot be read costs no other`(version: String, code: DocumentError.Code) throws {
        let good = [Self.document("a"), Self.document("a")]
        #expect(
            try Self.parts(
                #"{"id":"a","docs":[\#(good[0]),\#(version),\#(good[1])]},{"id":"b","docs":[\#(Self.document("b"))]}"#)
                == ["document a", "problem a \(code)", "document a", "document b"])
        // The ID can follow.
        #expect(try Self.parts(#"{"docs":[\#(version)],"id":"a"}"#) == ["problem a \(code)"])
    }

    @Test func `Members that servers add to documents are ignored`() throws {
        let added = #""_local_seq":123456789012345678901234,"_conflicts":["2-b"],"_revs_info":[{"a":1,"a":2}]"#
        #expect(
            try Self.parts(#"{"id":"a","docs":[{"ok":{"_id":"a","_rev":"1-aa",\#(added)}}]}"#) == ["document a"])
    }

    @Test func `Many absent revisions take linear time`() throws {
        let results = String(repeating: #"{"missing":1},"#, count: 70_000)
        #expect(try Self.parts(#"{"id":"a","docs":[\#(results.dropLast())]}"#).count == 70_000)
    }
}
