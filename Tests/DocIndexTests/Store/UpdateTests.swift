import DocIndex
import TestSupport
import Testing

/// Changing a document in place, with a closure or a patch.
@Suite struct UpdateTests {
    struct Stop: Error {}

    static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("v", on: "v"), .text("text", on: "title")])
    ])

    @Test func `An update reads the stored document, stores the changed one and returns the result`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1, "title": "Fog"])
            let old = try photos.update("a") { document in
                let old = document["v"]
                document["v"] = 2
                document.removeValue(forName: "title")
                return old
            }
            #expect(old == 1)
            #expect(try photos.document("a")?.content == ["id": "a", "v": 2])
            #expect(try photos.document("a")?.sequence == 2)
            #expect(try photos.find("v = 2").map(\.id) == ["a"])
            #expect(try photos.find("v = 1").isEmpty)
            #expect(try photos.search("fog").isEmpty)
        }
    }

    @Test func `An update that throws changes nothing, and the transaction can continue`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            #expect(throws: Stop.self) {
                try photos.update("a") { document in
                    document["v"] = 2
                    throw Stop()
                }
            }
            #expect(try store.sequence() == 1)
            try store.write { transaction in
                #expect(throws: Stop.self) {
                    try transaction.update("a", in: "photos") { document in
                        document["v"] = 3
                        throw Stop()
                    }
                }
                #expect(try transaction.document("a", in: "photos")?["v"] == 1)
                try transaction.put(["id": "b", "v": 1], in: "photos")
            }
            #expect(try photos.document("a")?["v"] == 1)
            #expect(try photos.document("a")?.sequence == 1)
            #expect(try photos.count() == 2)
        }
    }

    @Test(arguments: ["b", 1, nil, true, .string("a\u{0}")] as [DocumentValue])
    func `An update that changes the ID is rejected`(id: DocumentValue) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            expectFailure(.invalidID, containing: "photos") { try photos.update("a") { $0["id"] = id } }
            #expect(try photos.document("a")?.content == ["id": "a", "v": 1])
            #expect(try photos.count() == 1)
        }
    }

    @Test func `An update or a patch that removes the ID is rejected`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            expectFailure(.invalidID, containing: "id", "photos") {
                try photos.update("a") { _ = $0.removeValue(forName: "id") }
            }
            expectFailure(.invalidID) { try photos.patch("a", ["id": nil]) }
            expectFailure(.invalidID) { try photos.patch("a", ["id": "b"]) }
            #expect(try photos.document("a")?.sequence == 1)
        }
    }

    @Test
    func `An update of a missing document is rejected without running its closure`()
        throws
    {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "gone"])
            try photos.delete("gone")
            var runs = 0
            for condition in [.none, .present, .absent, .sequence(1)] as [Document.WriteCondition] {
                for id in ["a", "gone"] as [DocumentID] {
                    expectFailure(.documentMissing, containing: "photos", id.description) {
                        try photos.update(id, if: condition) { _ in runs += 1 }
                    }
                }
            }
            expectFailure(.documentMissing) { try photos.patch("a", ["v": 1]) }
            #expect(runs == 0)
            #expect(try photos.count() == 0)
        }
    }

    @Test func `An update that changes nothing writes nothing`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            try photos.update("a") { _ in }
            try photos.update("a") { $0["v"] = 1 }
            try photos.patch("a", [:])
            try photos.patch("a", ["v": 1, "absent": nil])
            #expect(try store.sequence() == 1)
        }
    }

    @Test func `Updates within one transaction build on each other and form one change`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 0])
            try store.write { transaction in
                for _ in 0..<10 {
                    try transaction.update("a", in: "photos") { $0["v"] = .int(($0["v"]?.intValue ?? 0) + 1) }
                }
                try transaction.put(["id": "b", "v": 1], in: "photos")
                try transaction.update("b", in: "photos") { $0["v"] = 2 }
                try transaction.patch("b", ["title": "Fog", "v": nil], in: "photos")
                #expect(transaction.changeCount == 2)
            }
            #expect(try photos.document("a")?["v"] == 10)
            #expect(try photos.document("b")?.content == ["id": "b", "title": "Fog"])
            #expect(try store.sequence() == 2)
            #expect(try store.changes(since: 1).map(\.id) == ["a", "b"])
        }
    }

    @Test func `A patch removes nulls, merges objects, replaces the rest, and updates indexes`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": [1, 2], "title": "Fog", "exif": ["iso": 100, "lens": "50mm"]])
            try photos.patch("a", ["v": [3], "title": nil, "exif": ["iso": 200, "lens": nil, "flash": false]])
            #expect(
                try photos.document("a")?.content
                    == ["id": "a", "v": [3], "exif": ["iso": 200, "flash": false]])
            #expect(try photos.search("fog").isEmpty)
        }
    }
}
