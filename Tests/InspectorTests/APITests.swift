import DocIndex
import DocSync
import TestSupport
import Testing

@testable import Inspector

@Suite struct `Programming interface of the inspector` {
    private static let base = "/api/v1/collections/photos"

    @Test func `Versions and collections match the store`() async throws {
        try await withInspectedStore { inspected in
            let versions = try await inspected.get("/api/v1").json()
            #expect(versions["epoch"]?.stringValue == inspected.store.epoch.description)
            #expect(versions["sequence"] == .int(60) && versions["writable"] == false)
            let all = try await inspected.get("/api/v1/collections").json()
            guard case .array(let list)? = all["collections"] else { throw TestFailure(message: "no list") }
            #expect(list.count == 3)
            let photos = try await inspected.get(Self.base).json()
            #expect(list.first == .object(photos) && photos["count"] == .int(60))
        }
    }

    @Test func `Pages of documents together are the whole result`() async throws {
        try await withInspectedStore { inspected in
            let photos = try inspected.store.collection("photos")
            for (target, query) in [
                ("?limit=7", Query()),
                ("?limit=9&sort=-rating,taken", Query(sort: try Query.SortKey.parse("-rating,taken"))),
                (
                    "?limit=4&where=keywords%20has%20sea&count=1",
                    Query(try Filter(parsing: "keywords has sea"))
                ),
            ] {
                var documents: [DocumentValue] = []
                var position = ""
                repeat {
                    let answer = try await inspected.get(Self.base + "/documents" + target + position).json()
                    guard case .array(let page)? = answer["documents"] else { throw TestFailure(message: "no list") }
                    documents += page
                    if target.contains("count") { #expect(answer["count"] == .int(30)) }
                    position = answer["next"]?.stringValue.map { "&after=\($0)" } ?? ""
                } while !position.isEmpty
                #expect(documents == (try photos.find(query).map { .object($0.content) }), "\(target)")
            }
        }
    }

    @Test func `Values keep their types in JSON`() async throws {
        try await withInspectedStore { inspected in
            let value: DocumentObject = [
                "id": .int(7), "large": .int(.max), "double": .double(4), "nan": .double(.nan),
                "bytes": .bytes([0, 255]),
                "date": .date(DocumentDate(utcMilliseconds: 0)), "$odd": ["$bytes": "x"], "text": "\u{0}\u{202e}",
            ]
            try inspected.store.collection("photos").put(value)
            let found = try await inspected.get(Self.base + "/documents/7").json()
            #expect(found == value)
            let whole = try await inspected.get(Self.base + "/documents?where=id%20%3D%207").json()
            #expect(whole["documents"] == .array([.object(value)]))
            let part = try await inspected.get(Self.base + "/documents?where=id%20%3D%207&fields=large,date").json()
            #expect(part["documents"] == .array([["large": .int(.max), "date": value["date"] ?? .null]]))
        }
    }

    @Test func `A client with the current state gets 304, even after a request for a list`() async throws {
        try await withInspectedStore { inspected in
            for target in [
                Self.base + "/documents?where=rating%20%3D%203", Self.base, Self.base + "/documents/p1", "/api/v1",
            ] {
                let first = try await inspected.get(target)
                let tag = try #require(first.fields["ETag"])
                for known in [tag, "W/" + tag.replacing("W/", with: ""), "\"x\", \(tag)", "*"] {
                    let request = inspected.request(target, fields: ["If-None-Match": known])
                    let again = try await inspected.send(request)
                    #expect(again.status == 304 && again.bytes.isEmpty && again.fields["ETag"] == tag, "\(target)")
                }
                let other = inspected.request(target, fields: ["If-None-Match": "\"other\""])
                #expect(try await inspected.send(other).status == 200)
            }
            let list = Self.base + "/documents"
            let tag = try #require(try await inspected.get(list).fields["ETag"])
            let document = try #require(try await inspected.get(list + "/p1").fields["ETag"])
            try inspected.store.collection("photos").put(["id": "new"])
            #expect(try await inspected.send(inspected.request(list, fields: ["If-None-Match": tag])).status == 200)
            let unchanged = inspected.request(list + "/p1", fields: ["If-None-Match": document])
            #expect(try await inspected.send(unchanged).status == 304)
        }
    }

    @Test func `Facets, distinct values and explanations match the collection`() async throws {
        try await withInspectedStore { inspected in
            let photos = try inspected.store.collection("photos")
            let facets = try await inspected.get(Self.base + "/facets?fields=rating,keywords%5B%5D&missing=1").json()
            guard case .array(let lists)? = facets["facets"], case .object(let first)? = lists.first,
                case .array(let values)? = first["values"]
            else { throw TestFailure(message: "no facets") }
            let expected = try photos.facets(["rating"])[0].map { facet -> DocumentValue in
                ["value": facet.value, "count": .int(Int64(facet.count))]
            }
            #expect(lists.count == 2 && values == expected && first["missing"] == 0)
            let distinct = try await inspected.get(Self.base + "/distinct?field=exif.model&where=rating%20%3D%200")
                .json()
            #expect(
                distinct["values"]
                    == .array(try photos.distinct("exif.model", where: try Filter(parsing: "rating = 0"))))
            let explanation = try await inspected.get(Self.base + "/explain?where=rating%20%3D%200").json()
            #expect(explanation["identity"]?.stringValue?.contains("rating") == true)
        }
    }

    @Test(arguments: [
        ("/api", 404), ("/api/v2", 404), ("/api/v1/nothing", 404), ("/api/v1?x=1", 400),
        ("/api/v1/collections/nowhere", 404), ("/api/v1/collections/nowhere/documents", 404),
        ("/api/v1/collections/photos/nothing", 404), ("/api/v1/collections/photos/documents/none", 404),
        ("/api/v1/collections/photos/documents/p1/more", 404), ("/api/v1/collections/photos/documents?where=%3D", 400),
        ("/api/v1/collections/photos/documents?limit=2000", 400), ("/api/v1/collections/photos/documents?count=2", 400),
        ("/api/v1/collections/photos/facets", 400), ("/api/v1/collections/photos/facets?fields=a..b", 400),
        ("/api/v1/collections/photos/facets?fields=rating&limit=0", 400),
        ("/api/v1/collections/photos/distinct", 400), ("/api/v1/collections/photos/distinct?field=%22", 400),
        ("/api/v1/collections/photos/explain?sort=%22", 400), ("/api/v1/collections/photos?where=rating", 400),
    ])
    func `A bad request is answered with a problem`(target: String, status: Int) async throws {
        try await withInspectedStore { inspected in
            let answer = try await inspected.get(target)
            #expect(answer.status == status, "\(answer)")
            #expect(target == "/api" || answer.fields["Content-Type"] == "application/problem+json")
        }
    }

    @Test func `A problem in a condition tells the parameter and the place`() async throws {
        try await withInspectedStore { inspected in
            let problem = try await inspected.get(Self.base + "/documents?where=rating%20%3E%3E%204").json()
            #expect(problem["type"] == "/problems/invalid-condition" && problem["parameter"] == "where")
            #expect(problem["at"] == .int(8))
        }
    }
}
