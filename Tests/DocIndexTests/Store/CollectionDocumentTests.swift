import DocIndex
import TestSupport
import Testing

/// Single documents of a collection.
@Suite struct CollectionDocumentTests {
    static let schema = Schema(collections: [
        CollectionDefinition(
            "photos", indexes: [.value("year", on: "year"), .value("tags", on: "tags[]"), .text("text", on: "title")])
    ])

    @Test(arguments: ["a", "", "a\0b", "\u{10ffff}", 0, -1, 1, 255, 256, .int(.max), .int(.min)] as [DocumentID])
    func `A document that was put is found by its ID, replaced, and deleted`(id: DocumentID) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            #expect(try photos.document(id) == nil)
            let first: DocumentObject = ["id": id.value, "year": 1930, "tags": ["sea"], "title": "Fog"]
            #expect(try photos.put(first) == id)
            #expect(try photos.document(id)?.id == id)
            #expect(try photos.document(id)?.content == first)
            let second: DocumentObject = ["title": "Rain", "id": id.value]
            #expect(try photos.put(second) == id)
            #expect(try photos.document(id)?.content == second)
            #expect(try photos.count() == 1)
            #expect(try photos.delete(id))
            #expect(try photos.document(id) == nil)
            #expect(try !photos.delete(id))
            #expect(try photos.count() == 0)
        }
    }

    @Test func `IDs are distinguished by kind and by bytes`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            let ids: [DocumentID] = ["1", 1, "\u{e9}", "e\u{301}", "", "\0", "a", "a\0"]
            for (position, id) in ids.enumerated() {
                try photos.put(["id": id.value, "position": .int(Int64(position))])
            }
            #expect(try photos.count() == ids.count)
            for (position, id) in ids.enumerated() {
                #expect(try photos.document(id)?["position"] == .int(Int64(position)))
            }
            #expect(try photos.delete("\u{e9}"))
            #expect(try photos.document("e\u{301}") != nil)
            #expect(try photos.delete(1))
            #expect(try photos.document("1") != nil)
        }
    }

    @Test func `Documents are visited in ID order, strings by bytes before integers by value`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            let ids: [DocumentID] = [
                "", "\0", "10", "9", "a", "a\0", "a\0b", "a\u{1}", "ab", "e\u{301}", "z", "\u{e9}", "\u{ffff}",
                "\u{10000}",
                .int(.min), -65_536, -257, -256, -255, -1, 0, 1, 9, 10, 255, 256, 65_535, 65_536, .int(.max),
            ]
            var random = TestRun.random()
            let stored = ids.shuffled(using: &random)
            for id in stored { try photos.put(["id": id.value]) }
            var visited: [DocumentID] = []
            try photos.forEach { visited.append($0.id) }
            #expect(visited == ids)
            #expect(ids.sorted() == ids)
            // A query without an order returns them in storage order.
            #expect(try photos.find(Query()).map(\.id) == stored)
        }
    }

    @Test func `A visit ends with the error of its closure`() throws {
        struct Stop: Error {}
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            for id in 0..<5 { try photos.put(["id": .int(Int64(id))]) }
            var count = 0
            #expect(throws: Stop.self) {
                try photos.forEach { _ in
                    count += 1
                    if count == 3 { throw Stop() }
                }
            }
            #expect(count == 3)
        }
    }

    @Test(
        arguments: [
            (["id": nil], "must be"), (["id": true], "must be"), (["id": 1.0], "must be"), (["id": ["a"]], "must be"),
            (["id": ["id": "a"]], "must be"),
        ] as [(DocumentObject, String)])
    func `A document whose ID is neither a string nor an integer is rejected, and nothing is written`(
        content: DocumentObject, part: String
    ) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "title": "Fog"])
            let before = try StoreContent(of: store)
            expectFailure(.invalidID, containing: "id", "photos", part) { try photos.put(content) }
            expectFailure(.invalidID) {
                try store.write { transaction in
                    try transaction.put(["id": "b"], in: "photos")
                    try transaction.put(content, in: "photos")
                }
            }
            #expect(try StoreContent(of: store) == before)
        }
    }

    @Test func `The message about an invalid ID does not show the document`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            let error = expectFailure(.invalidID) { try photos.put(["id": ["secret"], "title": "secret"]) }
            #expect(error?.message.contains("secret") == false)
        }
    }

    @Test func `IDs come from the member that the schema names`() throws {
        let schema = Schema(collections: [CollectionDefinition("files", id: "path")])
        try withTemporaryStore(schema: schema) { store in
            let files = try store.collection("files")
            #expect(try files.put(["path": "/a", "id": 3]) == "/a")
            #expect(try files.document("/a")?["id"] == 3)
            #expect(try files.document(3) == nil)
            expectFailure(.invalidID, containing: "path") { try files.put(["id": 3, "path": true]) }
            expectFailure(.invalidID, containing: "path") { try files.replace(["id": 3]) }
            // Without that member, the document gets a new ID there, whatever else it contains.
            let new = try files.put(["id": 3])
            #expect(try files.document(new)?.content == ["path": new.value, "id": 3])
            #expect(files.definition == schema.collections[0])
            #expect(files.name == "files")
        }
    }

    @Test func `A document nested too deeply is rejected, and nothing is written`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            var value: DocumentValue = .null
            for _ in 0..<DocumentValue.maximumDepth { value = .array([value]) }
            expectFailure(.invalidDocument, containing: "deep") { try photos.put(["id": "deep", "year": value]) }
            #expect(try photos.count() == 0)
            try photos.put(["id": "less", "year": value[0] ?? .null])
            #expect(try photos.count() == 1)
        }
    }

    @Test func `A stored document is returned value for value`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            var documents = RandomDocuments(TestRun.random())
            var model: [DocumentID: DocumentObject] = [:]
            for _ in 0..<100 {
                let id = documents.id()
                let content = documents.document(id: id)
                model[id] = content
                try photos.put(content)
            }
            for (id, content) in model { #expect(try photos.document(id)?.content == content) }
            #expect(try photos.count() == model.count)
            var visited: [DocumentID] = []
            try photos.forEach { document in
                visited.append(document.id)
                #expect(document.content == model[document.id])
            }
            #expect(visited == model.keys.sorted(), "\(TestRun.repetition)")
        }
    }

    @Test func `An undeclared collection is unknown, and the message names the declared ones`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            expectFailure(.unknownCollection, containing: "fotos", "photos") { _ = try store.collection("fotos") }
            expectFailure(.unknownCollection, containing: "fotos", "photos") {
                try store.write { try $0.put(["id": 1], in: "fotos") }
            }
            expectFailure(.unknownCollection) { try store.write { _ = try $0.delete(1, in: "fotos") } }
            #expect(store.collections.map(\.name) == ["photos"])
        }
    }

    @Test func `Writing a document that is already stored writes nothing`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            let content: DocumentObject = ["id": "a", "year": 1930, "tags": ["x", "y"], "title": "Fog over water"]
            try photos.put(content)
            let before = try TestFiles.byteCount(in: store.path, extension: "log")
            try photos.put(content)
            try photos.put(content)
            try photos.delete("b")
            #expect(try TestFiles.byteCount(in: store.path, extension: "log") == before)
            // The same members in another order, or another type of number, form a different document.
            try photos.put(["year": 1930, "id": "a", "tags": ["x", "y"], "title": "Fog over water"])
            let reordered = try TestFiles.byteCount(in: store.path, extension: "log")
            #expect(reordered > before)
            try photos.put(["year": 1930.0, "id": "a", "tags": ["x", "y"], "title": "Fog over water"])
            #expect(try TestFiles.byteCount(in: store.path, extension: "log") > reordered)
            #expect(try photos.document("a")?["year"] == 1930.0)
        }
    }

    @Test func `Many collections keep their documents separate`() throws {
        // More than 255, so that collection and index numbers take two bytes.
        let schema = Schema(
            collections: (0..<300).map { number in
                CollectionDefinition("c\(number)", indexes: [.value("v", on: "v"), .text("t", on: "t")])
            })
        try withTemporaryStore(schema: schema) { store in
            try store.write { transaction in
                for number in 0..<300 {
                    try transaction.put(["id": 1, "v": .int(Int64(number)), "t": "word"], in: "c\(number)")
                }
            }
            for number in [0, 1, 127, 128, 254, 255, 256, 299] {
                let collection = try store.collection("c\(number)")
                #expect(try collection.count() == 1)
                #expect(try collection.document(1)?["v"] == .int(Int64(number)))
                #expect(try collection.find("v = \(number)").count == 1)
                #expect(try collection.search("word").count == 1)
            }
            #expect(try store.verify().documentCount == 300)
        }
    }
}
