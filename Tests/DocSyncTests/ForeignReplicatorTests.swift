import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// What the replicators of CouchDB and PouchDB rely on.
@Suite struct ForeignReplicatorTests {
    /// Runs `body` with a store and a function that sends requests to its server.
    private static func withServer(
        documentLimit: Int = 8_000_000,
        _ body: @escaping @Sendable (SyncedStores, _ send: Sending) async throws -> Void
    ) async throws {
        try await withSyncedStores(1) { group in
            var options = SyncServer.Options(collections: ["photos"])
            options.documentLimit = documentLimit
            try await body(group, Sending(server: SyncServer(group.stores[0], options: options)))
        }
    }

    private struct Sending: Sendable {
        let server: SyncServer

        func callAsFunction(
            _ method: SyncRequest.Method, _ target: String, _ body: String = ""
        ) async throws -> (status: Int, text: [UInt8]) {
            let request = SyncRequest(method, target, body: .bytes(Array(body.utf8)))
            let response = await server.respond(to: request)
            return (response.status, try await response.body.collected(limit: 1 << 24))
        }

        func status(_ method: SyncRequest.Method, _ target: String, _ body: String = "") async throws -> Int {
            try await self(method, target, body).status
        }

        func text(_ method: SyncRequest.Method, _ target: String, _ body: String = "") async throws -> [UInt8] {
            try await self(method, target, body).text
        }

        func object(_ method: SyncRequest.Method, _ target: String, _ body: String = "") async throws -> DocumentValue {
            try JSONParser().parse(try await self(method, target, body).text)
        }
    }

    private static func rows(_ answer: DocumentValue) throws -> [(id: String, position: String)] {
        guard case .object(let object) = answer, case .array(let rows)? = object["results"] else {
            throw MessageError(.malformed, "no rows")
        }
        return rows.compactMap { row in
            guard case .object(let row) = row, case .string(let id)? = row["id"], case .string(let seq)? = row["seq"]
            else { return nil }
            return (id, seq)
        }
    }

    @Test func `A peer that continues after any row of the feed misses no document`() async throws {
        try await Self.withServer { group, send in
            for commit in 0..<3 {
                try group.stores[0].load(into: "photos") { writer in
                    for n in 0..<5 { try writer.put(["id": .string("p\(commit)-\(n)"), "n": .int(Int64(n))]) }
                }
            }
            try group.photos(0).put(["id": "p1-3", "n": 9])
            let all = try Self.rows(try await send.object(.get, "/photos/_changes"))
            #expect(all.count == 15)
            for (index, row) in all.enumerated() {
                let rest = try Self.rows(try await send.object(.get, "/photos/_changes?since=\(row.position)"))
                #expect(Set(all[...index].map(\.id) + rest.map(\.id)).count == 15, "behind row \(index)")
            }
            // A peer comes forward.
            let last = try #require(all.last).position
            #expect(try Self.rows(try await send.object(.get, "/photos/_changes?since=\(last)")).isEmpty)
        }
    }

    @Test func `A peer can choose documents by their IDs or by a selector`() async throws {
        try await Self.withServer { group, send in
            let photos = try group.photos(0)
            for n in 0..<700 { try photos.put(["id": .string("p\(n)"), "n": .int(Int64(n)), "t": "bridge"]) }
            // A peer has seen the document that is deleted.
            _ = try await send.status(.get, "/photos/p5")
            try photos.delete("p5")
            @Sendable func ids(_ method: SyncRequest.Method, _ query: String, _ body: String = "") async throws
                -> [String]
            {
                try Self.rows(try await send.object(method, "/photos/_changes?\(query)", body)).map(\.id)
            }
            let listed = try await ids(.post, "filter=_doc_ids", #"{"doc_ids":["p699","p5","p3","nobody",7]}"#)
            #expect(listed == ["p3", "p699", "p5"])
            let query = "filter=_doc_ids&doc_ids=%5B%22p4%22%5D"
            let inQuery = try await ids(.get, query)
            #expect(inQuery == ["p4"])
            // A selector sees no fields of deletions.
            let selected = try await ids(.post, "filter=_selector", #"{"selector":{"n":{"$lt":7}}}"#)
            #expect(selected == ["p0", "p1", "p2", "p3", "p4", "p6"])
            let deleted = try await ids(
                .post, "filter=_selector", #"{"selector":{"$or":[{"_deleted":true},{"_id":"p698"}]}}"#)
            #expect(deleted == ["p698", "p5"])
            let limited = try await ids(.post, "filter=_selector&limit=2", #"{"selector":{"n":{"$gte":600}}}"#)
            #expect(limited == ["p600", "p601"])
            let date = DocumentDate(utcMilliseconds: 1_000_000_000_000)
            try photos.put(["id": "dated", "when": .date(date)])
            let dated = try await ids(
                .post, "filter=_selector", #"{"selector":{"when":{"$gt":{"$date":"2001-01-01T00:00:00Z"}}}}"#)
            #expect(dated == ["dated"])
            try photos.delete("dated")
            let whole = try await ids(.post, "style=all_docs", "{}")
            #expect(whole.count == 701)
        }
    }

    @Test func `Documents without a form in the protocol are neither listed nor returned`() async throws {
        try await Self.withServer { group, send in
            let photos = try group.photos(0)
            let members: [(String, DocumentValue)] = [
                ("_x", 1), ("_deleted", true), ("_rev", "9-a"), ("_id", "other"), ("_revisions", .object([:])),
                ("_attachments", ["a": 1]), ("_attachments", 5),
            ]
            var bad: [String] = ["_under"]
            try photos.put(["id": "_under", "n": 1])
            for (index, member) in members.enumerated() {
                bad.append("bad\(index)")
                try photos.put(["id": .string("bad\(index)"), member.0: member.1])
            }
            for n in 0..<20 { try photos.put(["id": .string("good\(n)"), "n": .int(Int64(n))]) }
            for feed in ["", "?include_docs=true", "?style=all_docs&feed=longpoll"] {
                let rows = try Self.rows(try await send.object(.get, "/photos/_changes\(feed)"))
                #expect(rows.count == 20 && rows.allSatisfy { $0.id.hasPrefix("good") }, "\(feed)")
            }
            let wanted = DocumentValue.object(["docs": .array(bad.map { ["id": .string($0)] })])
            for target in ["_bulk_get?revs=true", "_bulk_get?revs=true&attachments=true"] {
                let answer = try await send.object(.post, "/photos/\(target)", wanted.json)
                let results = answer["results"]?.arrayValue ?? []
                #expect(results.count == bad.count)
                for result in results {
                    #expect(
                        result["docs"]?.arrayValue?.first?["error"]?["error"]?.stringValue == "not_found", "\(result)")
                }
            }
            for id in bad.dropFirst() {
                #expect(try await send.status(.get, "/photos/\(id)") == 404)
                #expect(try await send.status(.get, "/photos/\(id)/a") == 404)
                let revision = try #require(try photos.revision(of: .string(id)))
                let answer = try await send.object(
                    .get, "/photos/\(id)?revs=true&open_revs=%5B%22\(revision)%22%5D&latest=true")
                #expect(answer == [["missing": .string(revision.description)]])
            }
            // It appears when it is corrected.
            try photos.put(["id": "bad0", "x": 1])
            #expect(try Self.rows(try await send.object(.get, "/photos/_changes")).map(\.id).last == "bad0")
        }
    }

    @Test func `A selector looks at each version that is listed`() async throws {
        try await Self.withServer { group, send in
            let texts = [#"{"_id":"x","_rev":"1-a","n":1}"#, #"{"_id":"x","_rev":"1-b","n":2}"#]
            let body = #"{"new_edits":false,"docs":[\#(texts.joined(separator: ","))]}"#
            #expect(try await send.status(.post, "/photos/_bulk_docs", body) == 201)
            for (style, n, revisions) in [
                ("all_docs", "1", ["1-a"]), ("all_docs", "2", ["1-b"]), ("all_docs", #"{"$gt":0}"#, ["1-b", "1-a"]),
                ("main_only", "1", []), ("main_only", "2", ["1-b"]),
            ] {
                let answer = try await send.object(
                    .post, "/photos/_changes?filter=_selector&style=\(style)", #"{"selector":{"n":\#(n)}}"#)
                let rows = answer["results"]?.arrayValue ?? []
                let listed = rows.flatMap { $0["changes"]?.arrayValue ?? [] }.compactMap { $0["rev"]?.stringValue }
                #expect(listed == revisions, "\(style) \(n)")
            }
        }
    }

    @Test func `A selection that cannot be used is refused with its reason`() async throws {
        try await Self.withServer { _, send in
            let refused: [(query: String, body: String, status: Int)] = [
                ("_doc_ids", "", 400), ("_doc_ids", "[]", 400), ("_doc_ids", "{}", 400), ("_selector", "{}", 400),
                ("_selector", #"{"selector":5}"#, 400), ("_selector", #"{"selector":{"n":{"$what":1}}}"#, 400),
                ("design/view", "{}", 404), ("_view", "{}", 404),
            ]
            for (query, body, status) in refused {
                let answer = try await send.status(.post, "/photos/_changes?filter=\(query)", body)
                #expect(answer == status, "\(query) \(body)")
            }
        }
    }

    @Test func `A refused document is named as PouchDB expects, wherever its ID is`() async throws {
        try await Self.withServer { group, send in
            let answer = try await send.object(
                .post, "/photos/_bulk_docs",
                #"""
                {"docs":[{"big":12345678901234567890,"_id":"a","_rev":"1-aa"},{"_id":"b","_rev":"1-bb"},
                {"views":{},"_id":"_design/x","_rev":"1-cc"},{"_x":1,"_id":"d","_rev":"1-dd"}],"new_edits":false}
                """#)
            guard case .array(let problems) = answer else { throw MessageError(.malformed, "\(answer)") }
            let named = problems.map { problem -> [String] in
                guard case .object(let problem) = problem else { return [] }
                return ["id", "rev", "error"].map { problem[$0]?.stringValue ?? "" }
            }
            #expect(
                named == [
                    ["a", "1-aa", "forbidden"], ["_design/x", "1-cc", "forbidden"], ["d", "1-dd", "forbidden"],
                ])
            #expect(try group.photos(0).count() == 1)
        }
    }

    @Test func `A refused document does not end a replication of CouchDB`() async throws {
        try await Self.withServer { group, send in
            // Any status but 401, 403 and 413 would.
            for (id, text) in [
                ("_design/x", #"{"_id":"_design/x","_rev":"1-cc","views":{}}"#),
                ("_design%2Fx", #"{"_id":"_design/x","_rev":"1-cc","views":{}}"#),
                ("a", #"{"_id":"a","_rev":"1-aa","big":12345678901234567890}"#),
                ("b", #"{"_id":"b","_rev":"1-bb","id":"c"}"#), ("d", #"{"_id":"d","_rev":"1-dd","_x":1}"#),
            ] {
                let answer = try await send(.put, "/photos/\(id)?new_edits=false", text)
                #expect(answer.status == 403, "\(id)")
                guard case .object(let object) = try JSONParser().parse(answer.text) else { continue }
                #expect(object["error"] == "forbidden", "\(id)")
            }
            #expect(try await send.status(.put, "/photos/e?new_edits=false", #"{"_id":"e","_rev":"1-ee"}"#) == 201)
            #expect(try group.photos(0).count() == 1)
        }
    }

    @Test func `A request for missing revisions can name a document twice`() async throws {
        try await Self.withServer { _, send in
            let answer = try await send.object(
                .post, "/photos/_revs_diff", #"{"a":["1-aa","2-bb"],"b":["1-cc"],"a":["2-bb","3-dd"]}"#)
            #expect(answer == ["a": ["missing": ["1-aa", "2-bb", "3-dd"]], "b": ["missing": ["1-cc"]]])
            for wrong in [#"{"a":["1-aa"],"a":5}"#, #"{"a":["1-aa"],"a":{"b":1,"b":2}}"#, #"{"a":[],"a":["x"]}"#] {
                #expect(try await send.status(.post, "/photos/_revs_diff", wrong) == 400, "\(wrong)")
            }
        }
    }

    @Test func `A server without sessions says so before it asks for a password`() async throws {
        try await withSyncedStores(1) { group in
            var options = SyncServer.Options(collections: ["photos"])
            options.login = ("anna", "secret")
            let send = Sending(server: try SyncServer(group.stores[0], options: options))
            #expect(try await send.status(.post, "/_session", "name=anna&password=secret") == 404)
            #expect(try await send.status(.get, "/photos") == 401)
        }
    }

    @Test func `A document that is not sent is reported once`() async throws {
        try await withSyncedStores(1) { group in
            let reports = Mutex<[String]>([])
            var options = SyncServer.Options(collections: ["photos"])
            options.onUnsent = { collection, problem in
                reports.withLock { $0.append("\(collection) \(problem.id) \(problem.code)") }
            }
            let photos = try group.photos(0)
            try photos.put(["id": "a", "_x": 1])
            try photos.put(["id": "b", "_attachments": 5])
            try photos.put(["id": "c", "x": 1])
            let send = Sending(server: try SyncServer(group.stores[0], options: options))
            for _ in 0..<2 {
                #expect(try Self.rows(try await send.object(.get, "/photos/_changes")).map(\.id) == ["c"])
                #expect(try await send.status(.get, "/photos/a") == 404)
            }
            let told = reports.withLock { $0 }
            #expect(told.sorted() == ["photos a reservedMember", "photos b reservedMember"])
        }
    }

    @Test func `Attachments in a document do not count for its size`() async throws {
        try await Self.withServer(documentLimit: 2000) { _, send in
            let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let data = Base64.text(of: content)
            func documents(_ padding: Int) -> String {
                #"{"docs":[{"_id":"a","_rev":"1-aa","t":"\#(String(repeating: "x", count: padding))","#
                    + #""_attachments":{"a.bin":{"content_type":"a/b","data":"\#(data)"}}}],"new_edits":false}"#
            }
            let large = try await send.status(.post, "/photos/_bulk_docs", documents(3000))
            let small = try await send.status(.post, "/photos/_bulk_docs", documents(10))
            let stored = try await send.text(.get, "/photos/a/a.bin")
            #expect(large == 413 && small == 201 && stored == content)
        }
    }

    @Test func `A request with too many documents is refused before they fill the memory`() async throws {
        try await Self.withServer { _, send in
            let body = #"{"new_edits":false,"docs":["# + String(repeating: "{},", count: 100_001) + "{}]}"
            let status = try await send.status(.post, "/photos/_bulk_docs", body)
            #expect(status == 413)
        }
    }

    @Test func `An earlier revision is sent only if it is stored, a later one if that is wanted`() async throws {
        try await Self.withServer { group, send in
            for (rev, ids, data) in [("1-aa", #"["aa"]"#, "b25l"), ("2-bb", #"["bb","aa"]"#, "dHdv")] {
                let status = try await send.status(
                    .post, "/photos/_bulk_docs",
                    #"{"new_edits":false,"docs":[{"_id":"x","_rev":"\#(rev)","_revisions":{"start":\#(rev.prefix(1)),"ids":\#(ids)},"#
                        + #""_attachments":{"a.txt":{"content_type":"text/plain","data":"\#(data)"}}}]}"#)
                #expect(status == 201)
            }
            #expect(try await send.text(.get, "/photos/x/a.txt?rev=2-bb") == Array("two".utf8))
            #expect(try await send.status(.get, "/photos/x/a.txt?rev=1-aa") == 404)
            #expect(try await send.status(.get, "/photos/x?rev=1-aa") == 404)
            #expect(try await send.status(.get, "/photos/x?rev=2-bb") == 200)
            for (query, revision) in [("", #"{"error""#), ("&latest=true", #""_rev":"2-bb""#)] {
                let answer = try await send(
                    .post, "/photos/_bulk_get?revs=true\(query)", #"{"docs":[{"id":"x","rev":"1-aa"}]}"#)
                #expect(String(decoding: answer.text, as: UTF8.self).contains(revision))
            }
        }
    }

    @Test func `An attachment that was replaced under its name comes with the document that means the former one`()
        async throws
    {
        try await Self.withServer { group, send in
            let former = try group.stores[0].attachments.add(Array("one".utf8), type: "text/plain", name: "a.txt")
            try group.photos(0).put(["id": "x", "file": .attachment(former)])
            let leaf = try #require(try group.photos(0).revision(of: "x"))
            guard case .object(var document) = try await send.object(.get, "/photos/x") else { return }
            guard case .object(let attachments)? = document["_attachments"], let name = attachments.first?.name else {
                throw MessageError(.malformed, "no attachment")
            }
            document["_rev"] = "2-ee"
            document["_revisions"] = ["start": 2, "ids": ["ee", .string("\(leaf.id)")]]
            var replaced = DocumentObject()
            replaced[name] = ["content_type": "text/plain", "data": "VFdP"]
            document["_attachments"] = .object(replaced)
            let body = #"{"new_edits":false,"docs":[\#(DocumentValue.object(document).json)]}"#
            let answer = try await send(.post, "/photos/_bulk_docs", body)
            #expect(answer.status == 201 && answer.text == Array("[]\n".utf8))
            #expect(try group.photos(0).revision(of: "x")?.description == "2-ee")
            try expectSound(group.stores[0])
        }
    }
}
