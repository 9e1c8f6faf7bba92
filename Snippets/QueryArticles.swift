// The examples of DocIndex's articles on queries, searches, vectors, plans, explanations, pages and live results, one
// function each. They are compiled with every build, run by the tests on the photos of the demo, and identical to the
// code in the articles.
import DocIndex
import Foundation

typealias Filter = DocIndex.Filter

let directory = FileManager.default.temporaryDirectory.appending(path: "QueryArticles-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: directory) }
let demo = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Examples/photos")
let schema = try Schema(json: Array(try Data(contentsOf: demo.appending(path: "schema.json"))))
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
let store = try DocumentStore.open(at: directory.appending(path: "demo.store").path, schema: schema)
let photos = try store.collection("photos")
for line in try String(contentsOf: demo.appending(path: "photos.jsonl"), encoding: .utf8).split(separator: "\n") {
    guard let photo = try JSONParser().parse(Array(line.utf8)).objectValue else { fatalError("no photo: \(line)") }
    try photos.put(photo)
}

struct Photo: QueryableDocument {
    var rating: Int
    var keywords: [String]
    var taken: String
    var title: String

    static var fields: [PartialKeyPath<Photo>: FieldPath] {
        [\.rating: "rating", \.keywords: "keywords", \.taken: "taken", \.title: "title"]
    }
}

func queries(_ photos: DocumentCollection, typed: String, stars: Int) throws {
    let text = try Filter(parsing: "rating >= 4 and keywords has fog")
    let swift = Filter.compare("rating", .greaterOrEqual, 4) && .compare("keywords[]", .equal, "fog")
    let selector = try Filter(selector: #"{"rating": {"$gte": 4}, "keywords": {"$elemMatch": {"$eq": "fog"}}}"#)
    let rated = try photos.find("title *= \(typed) and rating >= \(stars)", sort: "-taken", limit: 20)
    let titled = try Filter(parsing: "title *= :title", parameters: ["title": .string(typed)])
    print(rated.map(\.id))
    for filter in [text, swift, selector, titled] { print(try photos.count(where: filter)) }

    let best = \Photo.rating >= 4 && (\Photo.keywords).has("fog")
    let found = try photos.find(Query(best, sort: [(\Photo.taken).descending], limit: 20))
    print(found.map(\.id))

    let folded = try Filter(parsing: "ci-ai(title) ^= goran")
    let foldedSwift = (\Photo.title).ignoringCaseAndAccents.hasPrefix("goran")
    let foldedSelector = try Filter(selector: #"{"title": {"$beginsWith": "goran", "$collation": "ci-ai"}}"#)
    for filter in [folded, foldedSwift, foldedSelector] { print(try photos.count(where: filter)) }  // Göran, 80

    let misspelt = Query(try Filter(parsing: "ratng = '5'"))
    for diagnostic in try photos.diagnostics(of: misspelt) { print(diagnostic) }
    // no document has a field ratng; did you mean rating?

    let foggy = try Filter(parsing: "search 'fog OR mist' and year < 1930")
    for photo in try photos.find(Query(foggy, sort: [.bestFirst], limit: 10)) { print(photo.id) }

    let count = try photos.count(where: Filter(parsing: "rating >= 4"))
    let cameras = try photos.facets("exif.model", where: Filter(parsing: "rating >= 4"), limit: 5)
    let years = try photos.summarize(Aggregation(by: [.datePart("taken", .year)], [.count, .average("rating")]))
    print(count, cameras.count, years.count)
}

func first(_ file: [UInt8]) throws {
    let store = try DocumentStore.open(at: "photos.store", schema: Schema(json: file))
    let photos = try store.collection("photos")
    try photos.put(["id": "IMG_0231", "rating": 5, "caption": "Fog over the old bridge"])

    let best = try photos.find("rating >= 4", sort: "-taken", limit: 20)
    let hits = try photos.search("\"old bridge\"")
    guard best.count == 1, hits.count == 1 else { fatalError("the photo is not found") }
    try store.close()
}

func searches(_ photos: DocumentCollection) throws {
    let box = photos.searchBox("red car in the snow")
    for hit in try photos.search(box) { print(hit.document.id) }
    for note in box.notes { print(note) }

    let one: [IndexDefinition] = [
        .text("text", on: "title", "caption", "keywords[]")
    ]
    let several: [IndexDefinition] = [
        .text(
            "text", on: .field("title", weight: 3, analyzer: .language(.english)),
            .field("caption", analyzer: .language(.english)), .field("shelf", analyzer: .keyword),
            .field("file", analyzer: .ngrams))
    ]
    let byDocument: [IndexDefinition] = [
        .text(
            "text", on: .field("caption", analyzer: .language(.english)), language: "lang", among: [.english, .german])
    ]
    for (number, indexes) in [one, several, byDocument].enumerated() {
        let schema = Schema(version: 1, collections: [CollectionDefinition("photos", indexes: indexes)])
        try DocumentStore.open(at: "text-\(number).store", schema: schema).close()
    }
}

func pictures(_ photos: DocumentCollection) throws {
    if let lisbon = GeoPoint(latitude: 38.72, longitude: -9.14) {
        for neighbor in try photos.nearest(.location("gps"), to: lisbon, within: 5000, limit: 10) {
            print(neighbor.document.id, Int(neighbor.meters))
        }
    }

    let weekdays = try photos.facets(by: [.datePart("taken", .weekday)], countsMissing: true)[0]
    let months = try photos.timeline("taken", by: .month, where: Filter(parsing: "rating >= 4"))
    for entry in months.entries { print(entry.period, entry.count) }
    let bursts = try photos.duplicates(by: [.value("taken"), .value("exif.model")])
    print(weekdays.missingCount, bursts.count)

    try store.albums.put(Album("best", of: "photos", where: "rating >= 4", sort: "-taken"))
    try store.albums.add(["2019-07-14-0031", "scan-0001"], to: "wall", of: "photos")
    let fogOnTheWall = try store.albums.find("wall", where: Filter(parsing: "keywords has fog"))
    print(fogOnTheWall.map(\.id))
}

func vectors() throws {
    let schema = Schema(
        version: 1,
        collections: [
            CollectionDefinition(
                "photos",
                indexes: [
                    .vector("embedding", on: "embedding", dimensions: 512), .text("text", on: "title", "caption"),
                ])
        ])
    let store = try DocumentStore.open(at: "vectors.store", schema: schema)
    let photos = try store.collection("photos")
    for number in 0..<20 {
        let embedding = (0..<512).map { DocumentValue.int(Int64($0 * number % 17 + 1)) }
        try photos.put([
            "id": .string("IMG_02\(20 + number)"), "rating": .int(Int64(number % 6)), "title": "Dog on a beach",
            "embedding": .array(embedding),
        ])
    }
    let vector = (0..<512).map { Float($0 % 17) }

    for match in try photos.nearest(to: vector, in: "embedding", where: Filter("rating >= 4"), limit: 10) {
        print(match.document.id, match.similarity)
    }
    let alike = try photos.nearest(toDocument: "IMG_0231", in: "embedding", limit: 10)
    let both = try photos.search(TextQuery(parsing: "dog beach"), nearest: vector, in: "embedding")
    guard alike.count == 10, both.count == 20 else { fatalError("photos are not found") }
    try store.close()
}

func plans(_ photos: DocumentCollection) throws {
    let query = Query(try Filter(parsing: "rating = 5"), sort: [.descending("taken")], limit: 20)
    for plan in try photos.plans(query) { print(plan.estimate.microseconds, "µs:", plan) }

    let slow = try photos.find(query, options: Query.Options(hint: .scan))
    let quick = try photos.find(query, options: Query.Options(refusesScan: true))
    print(slow == quick)
}

func explanation(_ photos: DocumentCollection) throws {
    print(try photos.explain(Query(try Filter(parsing: "rating = 5"), sort: [.descending("taken")], limit: 20)))
}

func pages(_ photos: DocumentCollection) throws {
    var page = try photos.page(Query(sort: [.descending("taken")], limit: 50))
    while let next = page.next {
        page = try photos.page(Query(sort: [.descending("taken")], limit: 50), after: next)
    }
}

func live(_ photos: DocumentCollection) async throws {
    var shown: [Document] = []
    for try await update in try photos.observe(Query(try Filter(parsing: "album = Venice"), limit: 50)) {
        update.apply(to: &shown)
    }
    print("shown at last:", shown.count)
}

guard FileManager.default.changeCurrentDirectoryPath(directory.path) else { fatalError("no directory") }
try first(Array(try Data(contentsOf: demo.appending(path: "schema.json"))))
try queries(photos, typed: "Bridge", stars: 4)
try searches(photos)
try pictures(photos)
try vectors()
try plans(photos)
try explanation(photos)
try pages(photos)
// The results end when the store is closed.
async let end: Void = live(photos)
try await Task.sleep(for: .milliseconds(300))
try store.close()
try await end
