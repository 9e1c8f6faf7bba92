import DocIndex
import TestSupport
import Testing

/// Random updates and deletions with random indexes, compared with the same change of each document in memory.
@Suite struct BulkChangeDifferentialTests {
    @Test func `A bulk change has the result of changing each matching document in memory`() throws {
        var updates = RandomUpdates(queries: RandomQueries(TestRun.random(stream: 910)))
        var (changeCount, failureCount, splitCount) = (0, 0, 0)
        for round in 0..<TestRun.rounds(14, long: 150) {
            let comment: Comment = "round \(round); \(TestRun.repetition)"
            let schema = Schema(collections: [CollectionDefinition("c", indexes: updates.queries.indexes())])
            try withTemporaryStore(schema: schema) { store in
                let documents = try store.collection("c")
                var model = ExpectedDocuments()
                for _ in 0..<60 {
                    let id = updates.queries.documents.id()
                    let content = updates.queries.documents.document(id: id)
                    try documents.put(content)
                    model[id] = content
                }
                for _ in 0..<25 {
                    let query = Query(updates.queries.query().filter)
                    let matching = NaiveQuery.answer(query, among: model)
                    var options = BulkChange.Options()
                    options.commitByteCount = updates.queries.documents.random.pick([1, 1, 100, 500, 1 << 20])
                    options.splitting = .always
                    if updates.queries.documents.random.once(in: 12) {
                        let summary = try documents.delete(where: query.filter, options: options)
                        #expect(
                            summary.matchedCount == matching.count && summary.changedCount == matching.count, comment)
                        for id in matching { model[id] = nil }
                        continue
                    }
                    let update = updates.update()
                    let reread = try DocumentUpdate(parsing: update.description)
                    #expect(reread == update, comment)
                    #expect(try DocumentUpdate(json: update.json) == update, comment)
                    var changed: [(DocumentID, DocumentObject)] = []
                    do {
                        for id in matching {
                            guard let old = model[id] else { continue }
                            let new = try update.applied(to: old)
                            if new != old { changed.append((id, new)) }
                            if update.isRepeatable {
                                #expect(try update.applied(to: new) == new, "\(update), \(comment)")
                            }
                        }
                    } catch {
                        failureCount += 1
                        options.commitByteCount = 1 << 20
                        expectFailure(.invalidUpdate) {
                            try documents.update(where: query.filter, update, options: options)
                        }
                        continue
                    }
                    let summary = try documents.update(where: query.filter, update, options: options)
                    #expect(summary.matchedCount == matching.count, "\(query.filter), \(comment)")
                    #expect(summary.changedCount == changed.count, "\(update), \(comment)")
                    if summary.commitCount > 1 { splitCount += 1 }
                    changeCount += summary.changedCount
                    for (id, new) in changed { model[id] = new }
                    var stored: [DocumentID: DocumentObject] = [:]
                    try documents.forEach { stored[$0.id] = $0.content }
                    #expect(
                        stored == Dictionary(uniqueKeysWithValues: model.ids.map { ($0, model[$0] ?? [:]) }), comment)
                }
            }
        }
        #expect(changeCount > 100 && failureCount > 3 && splitCount > 3, "\(changeCount) \(failureCount) \(splitCount)")
    }
}
