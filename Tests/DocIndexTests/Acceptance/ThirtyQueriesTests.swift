import DocIndex
import Foundation
import TestSupport
import Testing

/// The thirty queries that users of a photo catalog run most: each result is compared with a naive one, and each plan
/// with the recorded one. `LEVELKIT_RECORD=1` records the plans again.
@Suite struct ThirtyQueriesTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/query-plans")

    private struct Catalogue {
        let photos: DocumentCollection
        let model: ExpectedDocuments
        let queries: [AcceptanceQuery]
    }

    private func withCatalogue(of records: [DocumentObject], _ body: (DocumentStore, Catalogue) throws -> Void) throws {
        try withTemporaryStore(schema: Schema(collections: [PhotoCatalogue.collection])) { store in
            var model = ExpectedDocuments()
            var counts: [String: Int] = [:]
            for start in stride(from: 0, to: records.count, by: 250) {
                try store.write { transaction in
                    for number in start..<min(start + 250, records.count) {
                        let photo = PhotoCatalogue.photo(records[number], number: number)
                        model[try transaction.insert(photo, in: "photos")] = photo
                        for keyword in photo["keywords"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
                            counts[keyword, default: 0] += 1
                        }
                    }
                }
            }
            let keywords = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(40).map(\.key)
            let queries = try AcceptanceQuery.all(keywords: keywords, lastImport: (records.count - 1) / 500)
            try body(store, Catalogue(photos: try store.collection("photos"), model: model, queries: queries))
        }
    }

    private static let generated = (0..<2000).map { PhotoCatalogue.record(number: $0) }

    @Test func `On synthetic photos, the thirty queries have correct results and the recorded plans`() throws {
        try withCatalogue(of: Self.generated) { _, catalogue in
            try check(catalogue, plans: "generated.txt")
        }
    }

    @Test(
        .enabled(
            if: SharedTestData.has("catalog-2000.jsonl"), "the file ../shared/data/catalog-2000.jsonl is not there"))
    func `On real records, the thirty queries have correct results and the recorded plans`() throws {
        let records = try SharedTestData.lines(of: "catalog-2000.jsonl").map {
            try #require(try JSONParser().parse($0).objectValue)
        }
        try withCatalogue(of: records) { _, catalogue in
            try check(catalogue, plans: "catalogue.txt")
        }
    }

    private func check(_ catalogue: Catalogue, plans file: String) throws {
        var lines: [String] = []
        var emptyCount = 0
        for query in catalogue.queries {
            let answer = try query.answer(in: catalogue.photos)
            let expected = try naive(query, catalogue)
            #expect(answer == expected, "\(query.number): \(query.name)")
            if answer.isEmpty { emptyCount += 1 }
            for plan in try query.plans(in: catalogue.photos) { lines.append("\(query.number): \(plan)") }
        }
        #expect(catalogue.queries.count == 28 && emptyCount < 6)
        let recorded = Self.fixtures.appending(path: file)
        let text = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["LEVELKIT_RECORD"] == "1" {
            try text.write(to: recorded, atomically: true, encoding: .utf8)
        }
        let known = try String(contentsOf: recorded, encoding: .utf8).split(separator: "\n")
        #expect(known.count == lines.count)
        for (line, known) in zip(lines, known) { #expect(line == known) }
    }

    // MARK: - Naive results

    private func naive(_ query: AcceptanceQuery, _ catalogue: Catalogue) throws -> [String] {
        let documents = catalogue.model.documents
        switch query.form {
        case .find(let query): return try found(query, catalogue).map { "\($0)" }
        case .page(let query, let number):
            let size = query.limit ?? 100
            var all = query
            all.limit = nil
            let ids = try found(all, catalogue)
            return ids.dropFirst((number - 1) * size).prefix(size).map { "\($0)" }
        case .count(let filters):
            return filters.map { filter in
                "\(documents.count { NaiveQuery.holds(filter, for: $0.content) })"
            }
        case .facets(let paths, let filter, let limit):
            let matching = documents.filter { NaiveQuery.holds(filter, for: $0.content) }
            return paths.flatMap { path in
                var counts: [String: (value: DocumentValue, count: Int)] = [:]
                for document in matching {
                    guard let value = path.value(in: document.content) else { continue }
                    counts["\(value)", default: (value, 0)].count += 1
                }
                let ranked = counts.values.sorted { a, b in
                    a.count != b.count ? a.count > b.count : ReferenceOrder.compare(a.value, b.value) < 0
                }
                return ranked.prefix(limit).map { "\($0.value) \($0.count)" }
            }
        case .summarize(let aggregation, let filter):
            return groups(aggregation, documents.map(\.content).filter { NaiveQuery.holds(filter, for: $0) })
        }
    }

    /// Returns the IDs that a query finds. For order by score, that of the text index is used, which has its own tests.
    private func found(_ query: Query, _ catalogue: Catalogue) throws -> [DocumentID] {
        guard query.sort == [.bestFirst], case .search(let condition) = query.filter else {
            return NaiveQuery.answer(query, among: catalogue.model)
        }
        let ranked = try catalogue.photos.search(condition.text, limit: nil).map(\.document)
        let matching = Set(
            catalogue.model.documents.filter { Self.hasWords(query.filter, $0.content) }.map(\.id))
        #expect(Set(ranked.map(\.id)) == matching, "\(query.filter)")
        return ranked.map(\.id).prefix(query.limit ?? .max).map { $0 }
    }

    /// Returns whether the fields of the text index contain the words.
    private static func hasWords(_ search: DocIndex.Filter, _ photo: DocumentObject) -> Bool {
        var texts = DocumentObject()
        for name in ["title", "caption", "keywords", "note"] { texts[name] = photo[name] }
        return search.matches(texts)
    }

    private func groups(_ aggregation: Aggregation, _ documents: [DocumentObject]) -> [String] {
        var counts: [String: Int] = [:]
        var keys: [(numbers: [Double], text: String)] = []
        for document in documents {
            var numbers: [Double] = []
            var texts: [String] = []
            for key in aggregation.keys {
                var number: Double?
                switch key {
                case .range(let path, let width):
                    number = path.value(in: document)?.numberValue.map { ($0 / width).rounded(.down) * width }
                default:
                    // The month in a string such as 1931-07-04.
                    let digits = document["taken"]?.stringValue?.prefix(7).split(separator: "-").compactMap {
                        Double($0)
                    }
                    number = digits.map { $0[0] * 100 + $0[1] }
                }
                numbers.append(number ?? -.infinity)
                let whole = number.flatMap { Int64(exactly: $0) }
                texts.append(whole.map { "\($0)" } ?? number.map { "\($0)" } ?? "-")
            }
            let text = texts.joined(separator: " ")
            if counts[text] == nil { keys.append((numbers, text)) }
            counts[text, default: 0] += 1
        }
        keys.sort { $0.numbers.lexicographicallyPrecedes($1.numbers) }
        return keys.map { "\($0.text) \([DocumentValue.int(Int64(counts[$0.text] ?? 0))])" }
    }

    // MARK: - Changes

    @Test func `Query 29, a live result, follows edits`() async throws {
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Schema(collections: [PhotoCatalogue.collection]))
        let photos = try store.collection("photos")
        try store.write { transaction in
            for number in 0..<300 {
                try transaction.put(PhotoCatalogue.photo(Self.generated[number], number: number), in: "photos")
            }
        }
        let query = Query(
            try DocIndex.Filter(parsing: "rating >= 4 and keywords has brooklyn"), sort: [.descending("taken")],
            limit: 20)
        var updates = try photos.observe(query).makeAsyncIterator()
        var shown: [Document] = []
        try #require(try await updates.next()).apply(to: &shown)
        #expect(!shown.isEmpty)
        var random = TestRun.random(stream: 130)
        for _ in 0..<40 {
            let before = shown
            try photos.update(.string("made-\(random.number(below: 300))")) {
                $0["rating"] = .int(Int64(random.number(below: 6)))
            }
            let after = try photos.find(query)
            if after == before { continue }
            try #require(try await updates.next()).apply(to: &shown)
            #expect(shown == after, "\(TestRun.repetition)")
        }
        try store.close()
    }

    @Test func `Query 30, adding a keyword to many photos in one batch and removing it, is exact`() throws {
        try withCatalogue(of: Array(Self.generated.prefix(800))) { store, catalogue in
            let chosen = try catalogue.photos.find("rating >= 2").map(\.id)
            let before = try catalogue.photos.find(Query())
            #expect(chosen.count > 200)
            let marked = DocIndex.Filter.compare("keywords[]", .equal, "to print")
            try store.write { transaction in
                for id in chosen {
                    try transaction.update(id, in: "photos") { photo in
                        photo["keywords"] = .array((photo["keywords"]?.arrayValue ?? []) + ["to print"])
                    }
                }
            }
            #expect(try catalogue.photos.count(where: marked) == chosen.count)
            #expect(try catalogue.photos.count(matching: TextQuery(parsing: "\"to print\"")) == chosen.count)
            try store.write { transaction in
                for id in chosen {
                    try transaction.update(id, in: "photos") { photo in
                        photo["keywords"] = .array(Array((photo["keywords"]?.arrayValue ?? []).dropLast()))
                    }
                }
            }
            #expect(try catalogue.photos.count(where: marked) == 0)
            #expect(try catalogue.photos.find(Query()).map(\.content) == before.map(\.content))
        }
    }
}
