import DocIndex
import DocSync
import TestSupport
import Testing

@testable import Inspector

@Suite struct `Changes through the inspector` {
    private static let base = "/api/v1/collections/photos/documents"
    private static let json = "application/json"

    private static func send(
        _ inspected: InspectedStore, _ method: String, _ target: String, _ body: String = "",
        _ fields: HeaderFields = [:]
    ) async throws -> Answer {
        var all = fields
        if all["Content-Type"] == nil { all["Content-Type"] = json }
        return try await inspected.send(
            inspected.request(target, method: SyncRequest.Method(rawValue: method), fields: all, body: body))
    }

    @Test func `A read-only inspector has no route that writes`() async throws {
        try await withInspectedStore { inspected in
            let before = try inspected.store.sequence()
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                for target in ["\(Self.base)/p1", Self.base, "/c/photos/doc/p1", "/c/photos", "/", "/api/v1"] {
                    let answer = try await Self.send(inspected, method, target, "{}", ["If-Match": "*"])
                    #expect(answer.status == 405 && answer.fields["Allow"] == "GET, HEAD", "\(method) \(target)")
                }
            }
            let page = try await inspected.get("/c/photos/doc/p1")
            #expect(!page.text.contains("<textarea") && !page.text.contains("Delete"))
            #expect(try await inspected.get("/api/v1").json()["writable"] == false)
            #expect(try inspected.store.sequence() == before)
        }
    }

    @Test func `A document is stored, changed and deleted under its tag`() async throws {
        try await withInspectedStore(isWritable: true) { inspected in
            let photos = try inspected.store.collection("photos")
            let target = Self.base + "/new"
            #expect(try await inspected.get("/api/v1").json()["writable"] == true)
            let created = try await Self.send(
                inspected, "PUT", target, #"{"id":"new","rating":1,"when":{"$date":"2020-01-01T00:00:00Z"}}"#,
                ["If-None-Match": "*"])
            #expect(created.status == 201, "\(created)")
            let tag = try #require(created.fields["ETag"])
            #expect(try await inspected.get(target).fields["ETag"] == tag)
            guard case .date? = try photos.document("new")?.content["when"] else {
                throw TestFailure(message: "the date became something else")
            }
            let replaced = try await Self.send(
                inspected, "PUT", target, #"{"rating":2,"title":"t"}"#, ["If-Match": tag])
            #expect(replaced.status == 200, "\(replaced)")
            #expect(try photos.document("new")?.content == ["rating": 2, "title": "t", "id": "new"])
            let next = try #require(replaced.fields["ETag"])
            #expect(next != tag)
            let patched = try await Self.send(
                inspected, "PATCH", target, #"{"rating":3,"title":null}"#,
                ["If-Match": "\"other\", \(next)", "Content-Type": "application/merge-patch+json"])
            #expect(patched.status == 200 && patched.fields["ETag"] != next, "\(patched)")
            #expect(try patched.json() == ["rating": 3, "id": "new"])
            for stale in [tag, next, "\"x\"", "W/\(patched.fields["ETag"] ?? "")", ""] {
                for (method, body) in [("PUT", "{}"), ("PATCH", "{}"), ("DELETE", "")] {
                    let refused = try await Self.send(inspected, method, target, body, ["If-Match": stale])
                    #expect(refused.status == 412, "\(method) \(stale): \(refused)")
                    #expect(refused.fields["ETag"] == patched.fields["ETag"])
                }
            }
            let deleted = try await Self.send(
                inspected, "DELETE", target, "", ["If-Match": patched.fields["ETag"] ?? ""])
            #expect(deleted.status == 204 && deleted.bytes.isEmpty)
            #expect(try await inspected.get(target).status == 404)
            let again = try await Self.send(inspected, "DELETE", target, "", ["If-Match": "*"])
            #expect(again.status == 412, "\(again)")
        }
    }

    @Test func `A change without a condition, or with one that does not hold, changes nothing`() async throws {
        try await withInspectedStore(isWritable: true) { inspected in
            let before = try inspected.store.sequence()
            for (method, fields, status) in [
                ("PUT", [:], 428), ("PATCH", [:], 428), ("DELETE", [:], 428), ("PUT", ["If-None-Match": "*"], 412),
                ("PUT", ["If-Match": "*", "If-None-Match": "*"], 400), ("PUT", ["If-None-Match": "\"a\""], 400),
                ("PUT", ["If-Match": "*", "Origin": "http://evil.example"], 403),
                ("DELETE", ["If-Match": "*", "Sec-Fetch-Site": "cross-site"], 403),
                ("PUT", ["If-Match": "*", "Content-Type": "text/html"], 415),
                ("PUT", ["If-Match": "*", "Content-Type": "application/merge-patch+json"], 415),
                ("PATCH", ["If-Match": "*", "Content-Type": "application/json-patch+json"], 415),
                ("POST", ["If-Match": "*"], 405),
            ] as [(String, HeaderFields, Int)] {
                let answer = try await Self.send(inspected, method, Self.base + "/p1", #"{"rating":5}"#, fields)
                #expect(answer.status == status, "\(method) \(fields): \(answer)")
            }
            for body in ["", "[]", "{", "{\"id\":1}{", "null", "{\"id\":\"p1\",\"id\":\"p1\"}x"] {
                let answer = try await Self.send(inspected, "PUT", Self.base + "/p1", body, ["If-Match": "*"])
                #expect(answer.status == 400, "\(body): \(answer)")
            }
            let large = "{\"t\":\"" + String(repeating: "a", count: 1 << 20) + "\"}"
            #expect(try await Self.send(inspected, "PUT", Self.base + "/p1", large, ["If-Match": "*"]).status == 413)
            #expect(try await Self.send(inspected, "PUT", Self.base + "/p1?x=1", "{}", ["If-Match": "*"]).status == 400)
            let nowhere = "/api/v1/collections/nowhere/documents/p1"
            #expect(try await Self.send(inspected, "PUT", nowhere, "{}", ["If-None-Match": "*"]).status == 404)
            let none = Self.base + "/none"
            #expect(try await Self.send(inspected, "PATCH", none, "{}", ["If-None-Match": "*"]).status == 404)
            #expect(try inspected.store.sequence() == before)
        }
    }

    @Test func `A document that an index or the collection refuses is answered with 422 and the reason`() async throws {
        let schema = Schema(
            collections: [CollectionDefinition("photos", indexes: [.value("file", on: "file", unique: true)])])
        let directory = try withTemporaryDirectory { $0 }
        try TestFiles.makeDirectory(directory)
        defer { try? TestFiles.remove(directory) }
        try await within {
            let store = try DocumentStore.open(at: directory + "/photos.store", schema: schema)
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "file": "1.jpg"])
            try photos.put(["id": "b", "file": "2.jpg"])
            let inspected = InspectedStore(store, isWritable: true)
            let twice = try await Self.send(
                inspected, "PATCH", Self.base + "/b", #"{"file":"1.jpg"}"#, ["If-Match": "*"])
            #expect(twice.status == 422, "\(twice)")
            let problem = try twice.json()
            #expect(problem["index"] == "file" && problem["type"] == "/problems/refused-document")
            let other = try await Self.send(inspected, "PUT", Self.base + "/b", #"{"id":"c"}"#, ["If-Match": "*"])
            let detail = try other.json()
            #expect(other.status == 422 && detail["parameter"] == "id", "\(other)")
            let moved = try await Self.send(inspected, "PATCH", Self.base + "/b", #"{"id":"c"}"#, ["If-Match": "*"])
            #expect(moved.status == 422, "\(moved)")
            #expect(try photos.document("b")?.content == ["id": "b", "file": "2.jpg"])
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `Of two changes with one tag, exactly one is made`() async throws {
        try await withInspectedStore(isWritable: true) { inspected in
            for round in 0..<20 {
                let tag = try await inspected.get(Self.base + "/p1").fields["ETag"] ?? ""
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for writer in 0..<4 {
                        group.addTask {
                            try await Self.send(
                                inspected, "PATCH", Self.base + "/p1", "{\"n\":\(round * 10 + writer)}",
                                ["If-Match": tag]
                            ).status
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.sorted() == [200, 412, 412, 412])
            }
        }
    }

    @Test func `A PUT to the link of an awkward ID stores the document under that ID`() async throws {
        try await withInspectedStore(isWritable: true) { inspected in
            let base = ["api", "v1", "collections", "photos", "documents"]
            for id: DocumentID in [
                .int(7), .string("7"), .string("a/b"), .string(".."), .string(""), .string("ü ?&#%"),
            ] {
                let target = DocumentAddress.link(id, below: base).text
                let answer = try await Self.send(inspected, "PUT", target, #"{"n":1}"#, ["If-None-Match": "*"])
                guard id != .string("") else {
                    #expect(answer.status == 422 || answer.status == 201, "\(answer)")
                    continue
                }
                #expect(answer.status == 201, "\(target): \(answer)")
                #expect(try inspected.store.collection("photos").document(id)?.content["n"] == 1, "\(target)")
            }
        }
    }

    // MARK: - Forms

    /// The hidden fields of a form on a page.
    private static func hidden(_ page: Answer) -> [String: String] {
        var fields: [String: String] = [:]
        for match in page.text.matches(of: /<input type="hidden" name="(\w+)" value="([^"]*)">/) {
            fields[String(match.output.1)] = String(match.output.2).replacing("&quot;", with: "\"")
        }
        return fields
    }

    private static func post(
        _ inspected: InspectedStore, _ target: String, _ fields: [String: String]
    ) async throws -> Answer {
        let body = fields.map { "\($0.key)=\(PercentCoding.encoded($0.value))" }.joined(separator: "&")
        return try await send(
            inspected, "POST", target, body, ["Content-Type": "application/x-www-form-urlencoded"])
    }

    @Test func `The form of a document saves it, and shows what is refused with the text`() async throws {
        try await withInspectedStore(isWritable: true) { inspected in
            let photos = try inspected.store.collection("photos")
            let target = "/c/photos/doc/p1"
            let page = try await inspected.get(target)
            #expect(page.text.contains("<textarea"))
            var fields = Self.hidden(page)
            #expect(fields["action"] == "save" && fields["token"]?.utf8.count == 32)
            #expect(fields["token"] != inspected.inspector.token)
            fields["document"] = #"{"id":"p1","title":"<b>Changed</b>"}"#
            let saved = try await Self.post(inspected, target, fields)
            #expect(saved.status == 303 && saved.fields["Location"] == target, "\(saved)")
            #expect(try photos.document("p1")?.content["title"] == "<b>Changed</b>")
            // The version of the first page is gone.
            fields["document"] = #"{"id":"p1","title":"Mine"}"#
            let late = try await Self.post(inspected, target, fields)
            #expect(late.status == 412 && late.isPage && late.text.contains("Mine"), "\(late)")
            // The page after it has the newest version, so that the text can be saved on purpose.
            let again = Self.hidden(late).merging(["document": #"{"id":"p1","title":"Mine"}"#]) { $1 }
            #expect(try await Self.post(inspected, target, again).status == 303)
            let current = Self.hidden(try await inspected.get(target))
            for (text, status) in [("{", 400), ("[1]", 400), (#"{"id":"p2"}"#, 422)] {
                let refused = try await Self.post(inspected, target, current.merging(["document": text]) { $1 })
                #expect(refused.status == status && refused.isPage && refused.text.contains("<textarea"), "\(refused)")
            }
            #expect(try photos.document("p1")?.content["title"] == "Mine")
        }
    }

    @Test func `A document is deleted only after a confirmation page`() async throws {
        try await withInspectedStore(isWritable: true) { inspected in
            let photos = try inspected.store.collection("photos")
            let target = "/c/photos/doc/p2?confirm=delete"
            let question = try await inspected.get(target)
            #expect(question.status == 200 && question.text.contains("Delete this document?"))
            #expect(try photos.document("p2") != nil)
            let deleted = try await Self.post(inspected, "/c/photos/doc/p2", Self.hidden(question))
            #expect(deleted.status == 303 && deleted.fields["Location"] == "/c/photos")
            #expect(try photos.document("p2") == nil)
        }
    }

    @Test func `A form without the secret of the page, or from another site, changes nothing`() async throws {
        try await withInspectedStore(isWritable: true) { inspected in
            let before = try inspected.store.sequence()
            let target = "/c/photos/doc/p3"
            let right = Self.hidden(try await inspected.get(target)).merging(["document": #"{"id":"p3"}"#]) { $1 }
            for (name, value) in [
                ("token", ""), ("token", inspected.inspector.token), ("token", String(repeating: "0", count: 32)),
                ("action", "destroy"), ("tag", ""), ("tag", "\"x\""),
            ] {
                let answer = try await Self.post(inspected, target, right.merging([name: value]) { $1 })
                #expect([400, 403, 412].contains(answer.status), "\(name)=\(value): \(answer)")
            }
            let body = right.map { "\($0.key)=\(PercentCoding.encoded($0.value))" }.joined(separator: "&")
            for foreign: HeaderFields in [
                ["Origin": "http://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"],
                ["Content-Type": "text/plain"], ["Content-Type": "multipart/form-data; boundary=a"],
            ] {
                var fields = foreign
                if fields["Content-Type"] == nil { fields["Content-Type"] = "application/x-www-form-urlencoded" }
                let answer = try await Self.send(inspected, "POST", target, body, fields)
                #expect([403, 415].contains(answer.status), "\(foreign): \(answer)")
            }
            #expect(try inspected.store.sequence() == before)
        }
    }
}
