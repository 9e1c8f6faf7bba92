#if Network
    import DocIndex
    import DocNetwork
    import DocSync
    import Foundation
    import TestSupport
    import Testing

    /// Replications with a real CouchDB.
    @Suite(.enabled(if: CouchServer.isConfigured, CouchServer.absence), .serialized)
    struct CouchDBTests {
        private static let schema = Schema(
            version: 1, collections: [CollectionDefinition("photos", indexes: [.value("n", on: "n")])])

        /// Runs `body` with new databases of CouchDB, and an empty store.
        private static func with(
            databases count: Int = 1,
            _ body: @escaping @Sendable (CouchServer, [TestDatabase], DocumentCollection) async throws -> Void
        ) async throws {
            let directory = try withTemporaryDirectory { $0 }
            try TestFiles.makeDirectory(directory)
            defer { try? TestFiles.remove(directory) }
            try await within {
                let couch = try CouchServer()
                let store = try DocumentStore.open(at: directory + "/test.store", schema: schema)
                let photos = try store.collection("photos")
                try await couch.withDatabases(count) { try await body(couch, $0, photos) }
                try expectSound(store)
                try store.close()
            }
        }

        /// Replicates, and expects that both sides have the same leaves, and that another run transfers nothing.
        @discardableResult
        private static func sync(
            _ photos: DocumentCollection, _ couch: CouchServer, _ database: TestDatabase,
            options: Replicator.Options = Replicator.Options()
        ) async throws -> SyncStatus {
            let peer = couch.peer(database)
            let status = try await Replicator(photos, with: peer, options: options).run()
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            try await expectEqual(try served(photos), database)
            let again = try await Replicator(photos, with: peer, options: options).run()
            #expect(again.pull.writtenCount == 0 && again.push.writtenCount == 0, "\(again)")
            return status
        }

        /// The collection as a peer sees it.
        private static func served(_ photos: DocumentCollection) throws -> TestDatabase {
            let server = try SyncServer(photos.store, options: SyncServer.Options(collections: ["photos"]))
            return TestDatabase(transport: InProcessTransport(server), name: "photos")
        }

        private static func expectEqual(
            _ a: TestDatabase, _ b: TestDatabase, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let (left, right) = (try await a.leaves(), try await b.leaves())
            let differing = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
            let shown = differing.prefix(3).map { "\($0): \(left[$0]?.text ?? "none") | \(right[$0]?.text ?? "none")" }
            #expect(differing.isEmpty, "\(differing.count) differ: \(shown)", sourceLocation: sourceLocation)
            #expect(!left.isEmpty, sourceLocation: sourceLocation)
        }

        private static func content(_ count: Int, seed: UInt64) -> [UInt8] {
            var random = SplitMix64(seed: seed)
            return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }

        /// Text, which CouchDB compresses.
        private static func text(_ number: Int) -> [UInt8] {
            Array((0..<2000).map { "line \($0) of \(number)\n" }.joined().utf8)
        }

        private static func stub(_ bytes: [UInt8], type: String) -> [String: Any] {
            ["content_type": type, "data": Data(bytes).base64EncodedString()]
        }

        /// Stores 120 documents with edits, deletions, conflicts, and attachments: text, JPEG, and one of 6 MB.
        private static func fill(_ database: TestDatabase) async throws {
            var documents: [[String: Any]] = []
            for number in 0..<120 {
                var document: [String: Any] = ["_id": "d\(number)", "n": number, "title": "fog over the sea \(number)"]
                if number % 20 == 0 {
                    document["_attachments"] = [
                        "a.txt": stub(text(number), type: "text/plain"),
                        "b.jpg": stub(content(50_000, seed: UInt64(number)), type: "image/jpeg"),
                    ]
                }
                documents.append(document)
            }
            try await post(documents, to: database, keepsRevisions: false)
            for number in stride(from: 0, to: 40, by: 2) {
                if number % 7 == 0 {
                    try await database.delete("d\(number)")
                } else {
                    try await database.edit("d\(number)") { $0["n"] = number * 10 }
                }
            }
            for number in 50..<60 { try await diverge("d\(number)", in: database) }
            // A deleted version beside one that is not.
            try await database.delete("d50")
            let big = try await database.object(.put, "/big", #"{"x":1}"#)
            let revision = try #require(big["rev"] as? String)
            let sent = try await database.send(
                .put, "/\(database.name)/big/photo.jpg?rev=\(revision)", type: "image/jpeg",
                bytes: content(6_000_000, seed: 77))
            #expect(sent.status == 201)
        }

        private static func post(
            _ documents: [[String: Any]], to database: TestDatabase, keepsRevisions: Bool
        ) async throws {
            let body = try TestDatabase.json(["docs": documents, "new_edits": !keepsRevisions])
            let (status, answer) = try await database.send(.post, "/\(database.name)/_bulk_docs", body)
            let text = String(decoding: answer, as: UTF8.self)
            try #require(status == 201 && !text.contains("error"), "\(text)")
        }

        /// Stores two versions that follow the newest one.
        private static func diverge(_ id: String, in database: TestDatabase) async throws {
            let document = try await database.object(.get, "/\(id)?revs=true")
            let path = try #require(document["_revisions"] as? [String: Any])
            let ids = try #require(path["ids"] as? [String])
            let generation = ids.count + 1
            let versions = ["a", "b"].map { letter -> [String: Any] in
                let revision = String(repeating: letter, count: 32)
                return [
                    "_id": id, "_rev": "\(generation)-\(revision)", "side": letter, "n": 5,
                    "_revisions": ["start": generation, "ids": [revision] + ids],
                ]
            }
            try await post(versions, to: database, keepsRevisions: true)
        }

        /// Changes a document of the store.
        private static func edit(
            _ id: DocumentID, of photos: DocumentCollection, _ change: (inout DocumentObject) -> Void
        ) throws {
            var content = try #require(try photos.document(id)).content
            change(&content)
            try photos.put(content)
        }

        // MARK: - Tests

        @Test func `A pull brings all versions, deletions and attachments`() async throws {
            try await Self.with { couch, databases, photos in
                try await Self.fill(databases[0])
                var options = Replicator.Options()
                options.pushes = false
                let status = try await Self.sync(photos, couch, databases[0], options: options)
                #expect(status.pull.attachmentByteCount > 6_200_000 && status.push.checkedCount == 0)
                #expect(try photos.conflict(of: "d51")?.versions.count == 2)
                #expect(try photos.document("d0") == nil)
                // What is pulled can be pushed to another database.
                try await couch.withDatabases(1) { other in
                    try await Self.sync(photos, couch, other[0])
                    try await Self.expectEqual(databases[0], other[0])
                }
            }
        }

        @Test func `A push brings documents and attachments of a store`() async throws {
            try await Self.with { couch, databases, photos in
                let store = photos.store
                for number in 0..<60 {
                    var photo: DocumentObject = [
                        "id": .string("p\(number)"), "n": .int(Int64(number)), "taken": .date(.now),
                        "large": .int(.max), "half": 0.5,
                    ]
                    if number % 10 == 0 {
                        photo["notes"] = .attachment(
                            try store.attachments.add(Self.text(number), type: "text/plain", name: "notes.txt"))
                        photo["original"] = .attachment(
                            try store.attachments.add(
                                Self.content(number == 0 ? 6_000_000 : 40_000, seed: UInt64(number)),
                                type: "image/jpeg", name: "p.jpg"))
                    }
                    try photos.put(photo)
                }
                var options = Replicator.Options()
                options.pulls = false
                try await Self.sync(photos, couch, databases[0], options: options)
                // Edits of documents with attachments, and deletions.
                for number in 0..<20 {
                    if number % 3 == 2 {
                        try photos.delete(.string("p\(number)"))
                    } else {
                        try Self.edit(.string("p\(number)"), of: photos) { $0["n"] = -1 }
                    }
                }
                try await Self.sync(photos, couch, databases[0], options: options)
            }
        }

        @Test func `Edits of both sides reach both, and conflicts can be resolved at either`() async throws {
            try await Self.with { couch, databases, photos in
                let database = databases[0]
                try await Self.fill(database)
                try await Self.sync(photos, couch, database)
                for number in 60..<80 {
                    let id = "d\(number)"
                    if number % 4 == 3 {
                        try photos.delete(.string(id))
                    } else {
                        try Self.edit(.string(id), of: photos) { $0["here"] = .int(Int64(number)) }
                    }
                    if number % 3 == 0 { try await database.edit(id) { $0["there"] = number } }
                }
                try photos.put(["id": "new", "n": 1])
                let status = try await Self.sync(photos, couch, database)
                #expect(!status.conflicts.isEmpty)
                // 60 was edited at both sides, and 63 deleted here and edited there.
                let conflict = try #require(try photos.conflict(of: "d60"))
                #expect(conflict.versions.count == 2 && conflict.base != nil)
                #expect(try await database.object(.get, "/d60?conflicts=true")["_conflicts"] as? [String] != nil)
                #expect(try photos.conflict(of: "d63") == nil)
                // Here, both edits are merged. There, one version is deleted.
                #expect(try await photos.resolve("d60", using: .threeWay(sets: [])))
                let other = try await database.object(.get, "/d66?conflicts=true")
                let losers = try #require(other["_conflicts"] as? [String])
                for loser in losers { try await database.object(.delete, "/d66?rev=\(loser)") }
                try await Self.sync(photos, couch, database)
                let merged = try await database.object(.get, "/d60?conflicts=true")
                #expect(merged["here"] as? Int == 60 && merged["there"] as? Int == 60)
                #expect(merged["_conflicts"] == nil)
                #expect(try photos.conflict(of: "d66") == nil)
            }
        }

        @Test func `A continuous replication brings edits of both sides`() async throws {
            try await Self.with { couch, databases, photos in
                let database = databases[0]
                try await database.object(.put, "/first", #"{"n":1}"#)
                var options = Replicator.Options()
                options.isContinuous = true
                let replicator = Replicator(photos, with: couch.peer(database), options: options)
                let task = Task(executorPreference: OwnThreads.shared) { try await replicator.run() }
                while try photos.document("first") == nil { await pause(for: .milliseconds(20)) }
                try photos.put(["id": "second", "n": 2])
                while try await database.send(.get, "/\(database.name)/second").status != 200 {
                    await pause(for: .milliseconds(20))
                }
                try await database.edit("second") { $0["n"] = 3 }
                while try photos.document("second")?.content["n"] != 3 { await pause(for: .milliseconds(20)) }
                task.cancel()
                await #expect(throws: (any Error).self) { try await task.value }
                try await Self.expectEqual(try Self.served(photos), database)
            }
        }

        @Test func `A missing database is created only on request`() async throws {
            try await Self.with { couch, databases, photos in
                let database = databases[0]
                try await database.send(.delete, "/\(database.name)")
                try photos.put(["id": "a", "n": 1])
                await #expect(throws: SyncError.self) {
                    try await Replicator(photos, with: couch.peer(database)).run()
                }
                #expect(try await couch.peer(database).createDatabase())
                #expect(try await !couch.peer(database).createDatabase())
                try await Self.sync(photos, couch, database)
            }
        }

        @Test func `CouchDB's own replicator pulls from and pushes to a served store`() async throws {
            try await Self.with(databases: 2) { couch, databases, photos in
                try await Self.fill(databases[0])
                try await Self.sync(photos, couch, databases[0])
                let server = try SyncServer(photos.store, options: SyncServer.Options(collections: ["photos"]))
                let http = try await TestServer.start(HTTPServer.Configuration()) { await server.respond(to: $0) }
                do {
                    let ours = "http://127.0.0.1:\(http.port)/photos"
                    let theirs = try couch.address(of: databases[1])
                    let database = databases[1]
                    func replicate(_ source: String, _ target: String) async throws {
                        let body = try TestDatabase.json(["source": source, "target": target])
                        let (status, answer) = try await database.send(.post, "/_replicate", body)
                        let text = String(decoding: answer, as: UTF8.self)
                        try #require(status == 200 && text.contains(#""doc_write_failures":0"#), "\(text)")
                    }
                    try await replicate(ours, theirs)
                    try await Self.expectEqual(try Self.served(photos), database)
                    // Changes at CouchDB: edits, attachments, deletions and conflicts.
                    for number in 80..<100 {
                        try await database.edit("d\(number)") { document in
                            document["n"] = -number
                            if number % 10 == 0 {
                                document["_attachments"] = [
                                    "c.jpg": Self.stub(
                                        Self.content(90_000, seed: UInt64(number)), type: "image/jpeg"),
                                    "c.txt": Self.stub(Self.text(number), type: "text/plain"),
                                ]
                            }
                        }
                    }
                    for number in 51..<55 { try await database.delete("d\(number)") }
                    try await Self.diverge("d100", in: database)
                    try await replicate(theirs, ours)
                    try await Self.expectEqual(try Self.served(photos), database)
                    #expect(try photos.conflict(of: "d100") != nil)
                } catch {
                    try? await http.stop()
                    throw error
                }
                try await http.stop()
            }
        }
    }
#endif
