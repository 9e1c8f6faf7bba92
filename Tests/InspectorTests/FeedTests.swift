import DocIndex
import DocSync
import LevelKit
import TestSupport
import Testing

@testable import Inspector

@Suite struct `Changes and exports of the inspector` {
    private static let documents = "/api/v1/collections/photos/documents"

    /// Reads events of a stream, without comments.
    private struct Events {
        var chunks: ByteStream.Iterator

        mutating func next() async throws -> (kind: String, id: String, data: DocumentObject) {
            while let chunk = try await chunks.next() {
                let text = String(decoding: chunk, as: UTF8.self)
                if text.hasPrefix(":") { continue }
                var fields: [String: String] = [:]
                for line in text.split(separator: "\n") {
                    let sides = line.split(separator: ":", maxSplits: 1)
                    fields[String(sides[0])] = sides.count > 1 ? String(sides[1].dropFirst()) : ""
                }
                guard case .object(let data) = try DocumentValue(json: fields["data"] ?? "", notation: .dump) else {
                    break
                }
                return (fields["event"] ?? "", fields["id"] ?? "", data)
            }
            throw TestFailure(message: "the stream has ended")
        }
    }

    private static func listen(
        _ inspected: InspectedStore, _ target: String = "/api/v1/changes", fields: HeaderFields = [:]
    ) async throws -> Events {
        let response = await inspected.inspector.respond(to: inspected.request(target, fields: fields))
        #expect(response.status == 200 && response.fields["Content-Type"] == "text/event-stream")
        return Events(chunks: response.body.chunks.makeAsyncIterator())
    }

    @Test func `A listener hears of every commit after it began to listen`() async throws {
        try await withInspectedStore { inspected in
            var events = try await Self.listen(inspected)
            let hello = try await events.next()
            #expect(hello.kind == "hello" && hello.id == "\(inspected.store.epoch)-60")
            let photos = try inspected.store.collection("photos")
            for number in 0..<20 {
                let task = Task(executorPreference: OwnThreads.shared) {
                    await pause(for: .milliseconds(20))
                    try photos.put(["id": .string("new\(number)")])
                }
                let change = try await events.next()
                try await task.value
                #expect(change.kind == "change" && change.id == "\(inspected.store.epoch)-\(61 + number)")
                #expect(change.data.description.contains("\"new\(number)\""))
            }
            try photos.delete("new3")
            let deletion = try await events.next()
            #expect(deletion.data.description.contains("\"isDeletion\":true"))
        }
    }

    @Test func `A listener continues after the last event that it got`() async throws {
        try await withInspectedStore { inspected in
            let epoch = inspected.store.epoch.description
            let continuing: [(String, HeaderFields)] = [
                ("/api/v1/changes", ["Last-Event-ID": "\(epoch)-57"]), ("/api/v1/changes?since=\(epoch)-57", [:]),
                ("/api/v1/changes?since=57", [:]), ("/api/v1/changes?since=now", ["Last-Event-ID": "\(epoch)-57"]),
            ]
            for (target, fields) in continuing {
                var events = try await Self.listen(inspected, target, fields: fields)
                #expect(try await events.next().kind == "hello")
                let change = try await events.next()
                guard case .array(let changes)? = change.data["changes"] else { throw TestFailure(message: "none") }
                #expect(changes.count == 3 && change.id == "\(epoch)-60", "\(target)")
            }
            for id in ["00000000-0000-0000-0000-000000000000-57", "\(epoch)-99"] {
                var events = try await Self.listen(inspected, fields: ["Last-Event-ID": id])
                let reset = try await events.next()
                #expect(reset.kind == "reset" && reset.id == "\(epoch)-60", "\(id)")
            }
            for bad in ["x", "\(epoch)-", "\(epoch)-x", "-1x"] {
                let answer = try await inspected.get("/api/v1/changes?since=\(bad)")
                #expect(answer.status == 400, "\(bad)")
            }
        }
    }

    @Test func `Sixteen clients can listen at once, and another one after a client disconnects`() async throws {
        try await withInspectedStore { inspected in
            do {
                var listeners: [Events] = []
                for _ in 0..<16 { listeners.append(try await Self.listen(inspected)) }
                let refused = try await inspected.get("/api/v1/changes")
                #expect(refused.status == 503 && refused.fields["Retry-After"] == "2")
                #expect(listeners.count == 16)
            }
            var events = try await Self.listen(inspected)
            #expect(try await events.next().kind == "hello")
        }
    }

    @Test func `An export has every document of the result once, in its order`() async throws {
        try await withInspectedStore(photoCount: 1300) { inspected in
            let photos = try inspected.store.collection("photos")
            for (target, query) in [
                ("", Query()),
                (
                    "&where=rating%20%3D%203&sort=-exif.iso,taken",
                    Query(try Filter(parsing: "rating = 3"), sort: try Query.SortKey.parse("-exif.iso,taken"))
                ),
            ] {
                let expected = try photos.find(query)
                let lines = try await inspected.get(Self.documents + "?format=ndjson" + target)
                #expect(lines.fields["Content-Type"] == "application/x-ndjson")
                #expect(lines.fields["Content-Disposition"]?.contains("photos.ndjson") == true)
                let values = try lines.text.split(separator: "\n").map {
                    try DocumentValue(json: String($0), notation: .dump)
                }
                #expect(values == expected.map { .object($0.content) }, "\(target)")
                let table = try await inspected.get(
                    Self.documents + "?format=csv&fields=id,rating,keywords%5B%5D" + target)
                let rows = table.text.split(separator: "\n")
                #expect(rows.first == "id,rating,keywords[]" && rows.count == expected.count + 1)
                #expect(rows.dropFirst().map { String($0.prefix { $0 != "," }) } == expected.map(\.id.description))
            }
            let whole = try await inspected.get(Self.documents + "?format=csv&limit=5")
            #expect(whole.text.hasPrefix("id,rating,title,keywords,taken,gps,exif\n"))
        }
    }

    @Test func `The field Accept chooses the format`() async throws {
        try await withInspectedStore { inspected in
            for (accepted, type, status) in [
                ("application/x-ndjson", "application/x-ndjson", 200),
                ("text/csv;q=0.9", "text/csv; charset=utf-8", 200),
                ("application/json", "application/json", 200), ("*/*", "application/json", 200),
                ("text/html, */*;q=0.8", "application/json", 200), ("image/png", "application/problem+json", 406),
            ] {
                let answer = try await inspected.send(inspected.request(Self.documents, fields: ["Accept": accepted]))
                #expect(answer.status == status && answer.fields["Content-Type"] == type, "\(accepted)")
            }
            let broken = try await inspected.get(Self.documents + "?format=csv&where=%3D")
            #expect(broken.status == 400)
        }
    }

    @Test func `The tree of keys leads to every key of the store`() async throws {
        try await withInspectedStore { inspected in
            var expected: Set<[UInt8]> = []
            var cursor = try inspected.store.snapshot().keys.cursor(in: .all, cache: .bypass)
            while try cursor.advance() { expected.insert(cursor.key.copied()) }
            var found: Set<[UInt8]> = []
            var links = ["/api/v1/keys"]
            while let link = links.popLast() {
                let level = try await inspected.get(link).json()
                guard case .array(let nodes)? = level["keys"], let prefix = level["prefix"]?.stringValue else {
                    throw TestFailure(message: "no level: \(link)")
                }
                if let next = level["next"]?.stringValue { links.append("/api/v1/keys?prefix=\(prefix)&from=\(next)") }
                for case .object(let node) in nodes {
                    let key = try #require(node["key"]?.stringValue)
                    let bytes = try #require(HexBytes.bytes(key))
                    if expected.contains(bytes) { found.insert(bytes) }
                    if node["isBranch"] == true { links.append("/api/v1/keys?prefix=\(key)") }
                }
            }
            #expect(found == expected && expected.count > 300)
            let root = try await inspected.get("/keys")
            #expect(root.status == 200 && root.text.contains("index entries"), "\(root)")
            let document = try await inspected.get("/keys?prefix=44150115" + "01")
            #expect(document.status == 200 && document.text.contains("0000  "), "\(document)")
            for bad in ["prefix=4", "prefix=xx", "from=0x1", "depth=1"] {
                let answer = try await inspected.get("/keys?" + bad)
                #expect(answer.status == 400, "\(bad)")
            }
        }
    }

    @Test func `The page of changes shows the newest first`() async throws {
        try await withInspectedStore { inspected in
            try inspected.store.collection("photos").delete("p59")
            let page = try await inspected.get("/changes")
            let ids = page.text.matches(of: /<th scope="row">(?:<a [^>]*>)?([^<]*)</).map { String($0.output.1) }
            #expect(ids == (0..<60).reversed().map { "p\($0)" } && page.text.contains("deleted"))
        }
    }

    @Test func `A store of another process is shown in its newest state`() async throws {
        try await withInspectedStore { inspected in
            let path = inspected.store.path
            let old = try DocumentStore.open(at: path, mode: .readOnly)
            let inspector = Inspector(
                old, options: Inspector.Options(),
                renew: { try DocumentStore.open(at: path, mode: .readOnly) })
            inspector.setPort(8101)
            var request = inspected.request("/api/v1/changes")
            request.fields["Cookie"] = "lk-inspector-8101=\(inspector.token)"
            let response = await inspector.respond(to: request)
            var events = Events(chunks: response.body.chunks.makeAsyncIterator())
            #expect(try await events.next().kind == "hello")
            try inspected.store.collection("photos").put(["id": "outside"])
            #expect(try await events.next().data.description.contains("\"outside\""))
        }
    }
}
