import DocIndex
import TestSupport
import Testing

/// A store with random schemas, compared with plain dictionaries.
@Suite struct StoreModelTests {
    struct Stop: Error {}

    private struct Key: Hashable {
        let collection: Int
        let id: DocumentID
    }

    private struct Change: Hashable {
        let sequence: UInt64
        let isDeletion: Bool
    }

    /// The expected content of a store.
    private struct Model {
        var documents: [Key: DocumentObject] = [:]
        var changes: [Key: Change] = [:]
        var sequence: UInt64 = 0

        mutating func commit(_ new: [Key: DocumentObject]) {
            let changed = Set(documents.keys).union(new.keys).filter { documents[$0] != new[$0] }
            if changed.isEmpty { return }
            sequence += 1
            for key in changed { changes[key] = Change(sequence: sequence, isDeletion: new[key] == nil) }
            documents = new
        }
    }

    private static let collections = [("c", "id"), ("d", "name")]

    @Test func `Random operations and transactions match dictionaries, with any indexes`() throws {
        var queries = RandomQueries(TestRun.random(stream: 50))
        for round in 0..<TestRun.rounds(4, long: 300) {
            let schema = Schema(
                collections: Self.collections.map { name, field in
                    CollectionDefinition(
                        name, id: field,
                        indexes: queries.indexes() + [.vector("vector", on: "vector", dimensions: 64)])
                })
            try withTemporaryDirectory { directory in
                var run = ModelRun(path: directory + "/s", documents: queries.documents, round: round)
                try run.perform(schema)
                queries.documents = run.documents
            }
        }
    }

    /// A store with one schema.
    private struct ModelRun {
        let path: String
        var documents: RandomDocuments
        let round: Int
        private var model = Model()
        private var comment: Comment { "round \(round), \(TestRun.repetition)" }

        init(path: String, documents: RandomDocuments, round: Int) {
            self.path = path
            self.documents = documents
            self.round = round
        }

        mutating func perform(_ schema: Schema) throws {
            var store = try DocumentStore.open(at: path, schema: schema)
            for step in 1...80 {
                try transact(in: store)
                if documents.random.once(in: 12) {
                    try store.close()
                    store = try DocumentStore.open(at: path, schema: documents.random.once(in: 2) ? schema : nil)
                }
                if documents.random.once(in: 15) { try rebuildAnIndex(of: store, schema) }
                if documents.random.once(in: 40) {
                    let report = try store.rebuild()
                    // There was nothing to repair.
                    #expect(report.repairCount == 0, "step \(step), round \(round), \(TestRun.repetition)")
                    #expect(report.documentCount == model.documents.count, comment)
                }
                if step % 8 == 0 { try compare(store) }
            }
            try compare(store)
            try store.close()
        }

        private mutating func rebuildAnIndex(of store: DocumentStore, _ schema: Schema) throws {
            let collection = documents.random.pick(schema.collections)
            guard !collection.indexes.isEmpty else { return }
            try store.rebuildIndex(documents.random.pick(collection.indexes).name, of: collection.name)
            #expect(store.schema == schema, comment)
        }

        private mutating func transact(in store: DocumentStore) throws {
            var new = model.documents
            let fails = documents.random.once(in: 6)
            let outcome = Result {
                try store.write { transaction in
                    for _ in 0..<documents.random.pick([1, 1, 3, 12]) { try change(&new, in: transaction) }
                    if fails { throw Stop() }
                }
            }
            switch outcome {
            case .success: model.commit(new)
            case .failure(let error): if !(error is Stop) { throw error }
            }
        }

        private mutating func change(_ new: inout [Key: DocumentObject], in transaction: Transaction) throws {
            let number = documents.random.number(below: 2)
            let (name, field) = StoreModelTests.collections[number]
            let id = documents.id()
            let key = Key(collection: number, id: id)
            var content = documents.document(id: id, idField: field)
            if documents.random.once(in: 2) {
                content["vector"] = Vectors.value(Vectors.random(64, &documents.random), inBase64: true)
            }
            switch documents.random.number(below: 9) {
            case 0, 1, 2:
                #expect(try transaction.put(content, in: name) == id)
                new[key] = content
            case 3:
                if new[key] == nil {
                    try transaction.insert(content, in: name)
                    new[key] = content
                } else {
                    expectFailure(.documentExists) { try transaction.insert(content, in: name) }
                }
            case 4:
                try expectMissing(unless: new[key] != nil) { try transaction.replace(content, in: name) }
                if new[key] != nil { new[key] = content }
            case 5:
                try update(&new, key, content, in: transaction)
            case 6:
                content.removeValue(forName: field)
                try expectMissing(unless: new[key] != nil) { try transaction.patch(id, content, in: name) }
                new[key] = new[key]?.merging(patch: content)
            case 7:
                try putConditionally(&new, key, content, in: transaction)
            default:
                #expect(try transaction.delete(id, in: name) == (new[key] != nil), comment)
                new[key] = nil
            }
            #expect(try transaction.document(id, in: name)?.content == new[key], comment)
        }

        private func expectMissing(unless isThere: Bool, _ write: () throws -> Void) throws {
            if isThere { return try write() }
            expectFailure(.documentMissing) { try write() }
        }

        private mutating func update(
            _ new: inout [Key: DocumentObject], _ key: Key, _ content: DocumentObject, in transaction: Transaction
        ) throws {
            let name = StoreModelTests.collections[key.collection].0
            let fails = documents.random.once(in: 4)
            let old = new[key]
            do {
                try transaction.update(key.id, in: name) { document in
                    #expect(document == old, comment)
                    document["a"] = content["a"] ?? .null
                    document.removeValue(forName: "b")
                    if fails { throw Stop() }
                }
                new[key]?["a"] = content["a"] ?? .null
                new[key]?.removeValue(forName: "b")
                #expect(old != nil && !fails, comment)
            } catch is Stop {
                #expect(fails && old != nil, comment)
            } catch let error as DocIndexError {
                #expect(error.code == .documentMissing && old == nil, comment)
            }
        }

        private mutating func putConditionally(
            _ new: inout [Key: DocumentObject], _ key: Key, _ content: DocumentObject, in transaction: Transaction
        ) throws {
            let name = StoreModelTests.collections[key.collection].0
            let expected = documents.random.once(in: 2) ? model.changes[key]?.sequence ?? 1 : 1
            let stored = model.documents[key] == nil ? nil : model.changes[key]?.sequence
            do {
                try transaction.put(content, in: name, if: .sequence(expected))
                #expect(stored == expected && new[key] != nil, comment)
                new[key] = content
            } catch let error as DocIndexError where error.code == .conflict {
                #expect(stored != expected && new[key] != nil, comment)
            } catch let error as DocIndexError where error.code == .documentMissing {
                #expect(stored == nil || new[key] == nil, comment)
            }
        }

        private func compare(_ store: DocumentStore) throws {
            #expect(try store.sequence() == model.sequence, comment)
            for (number, (name, _)) in StoreModelTests.collections.enumerated() {
                let collection = try store.collection(name)
                let expected = model.documents.filter { $0.key.collection == number }
                #expect(try collection.count() == expected.count, comment)
                var ids: [DocumentID] = []
                try collection.forEach { document in
                    ids.append(document.id)
                    let key = Key(collection: number, id: document.id)
                    #expect(document.content == expected[key], comment)
                    #expect(document.sequence == model.changes[key]?.sequence, comment)
                }
                #expect(ids == expected.keys.map(\.id).sorted(), comment)
            }
            var changes: [Key: Change] = [:]
            for change in try store.changes(since: 0) {
                let key = Key(collection: change.collection == "c" ? 0 : 1, id: change.id)
                #expect(changes[key] == nil, comment)
                changes[key] = Change(sequence: change.sequence, isDeletion: change.isDeletion)
            }
            #expect(changes == model.changes, comment)
            let verification = try store.verify()
            #expect(verification.problems == [], "\(store.schema.collections), \(TestRun.repetition)")
        }
    }
}
