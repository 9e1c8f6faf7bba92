// A list of birds: names are found while they are typed, read in pages, kept as saved searches, and followed live.
//
// usage: bird-list [STORE]     STORE is kept; without it, the program uses a temporary directory.

import DocIndex
import Foundation

struct Bird: Codable, Identifiable {
    var id: String
    var name: String
    var family: String
    /// The year of the first sighting; `nil` before it.
    var seen: Int?
}

/// A search that the user has named.
struct SavedSearch: Codable, Identifiable {
    var id: String
    var query: Query
}

let names = """
    owls: Barn Owl, Tawny Owl, Little Owl, Long-eared Owl, Short-eared Owl, Snowy Owl, Eagle Owl, Boreal Owl
    tits: Great Tit, Blue Tit, Coal Tit, Marsh Tit, Willow Tit, Crested Tit, Long-tailed Tit, Bearded Tit
    woodpeckers: Great Spotted Woodpecker, Green Woodpecker, Black Woodpecker, Grey-headed Woodpecker, Wryneck
    thrushes: Blackbird, Song Thrush, Mistle Thrush, Redwing, Fieldfare, Ring Ouzel, Robin, Nightingale, Bluethroat
    finches: Chaffinch, Brambling, Greenfinch, Goldfinch, Siskin, Linnet, Redpoll, Bullfinch, Hawfinch, Crossbill
    herons: Grey Heron, Purple Heron, Great Egret, Little Egret, Night Heron, Bittern, Little Bittern
    waders: Lapwing, Golden Plover, Dunlin, Knot, Ruff, Snipe, Great Snipe, Woodcock, Curlew, Whimbrel, Redshank
    gulls: Black-headed Gull, Common Gull, Herring Gull, Great Black-backed Gull, Little Gull, Kittiwake
    hawks: Goshawk, Sparrowhawk, Buzzard, Honey Buzzard, Red Kite, Black Kite, Marsh Harrier, Hen Harrier
    crows: Raven, Carrion Crow, Hooded Crow, Rook, Jackdaw, Magpie, Jay, Nutcracker, Chough
    """

let schema = Schema(collections: [
    CollectionDefinition(
        "birds",
        indexes: [
            .value("name", on: .field("name", collation: .caseInsensitive)),
            .value("family and name", on: "family", "name"),
            .value("seen", on: "seen", sparse: true),
            .text("words", on: "name", "family"),
        ]),
    CollectionDefinition("searches"),
])

func heading(_ text: String) { print("\n\(text)") }

/// Stores the birds of the list that the store does not have yet, in one commit.
func addBirds(to birds: TypedCollection<Bird>) throws -> Int {
    try birds.store.write { transaction in
        var count = 0
        for line in names.split(separator: "\n") {
            let parts = line.split(separator: ": ")
            for name in parts[1].split(separator: ", ").map(String.init) {
                let id = name.lowercased().replacing(" ", with: "-")
                if try transaction.get(id, in: birds) != nil { continue }
                try transaction.put(Bird(id: id, name: name, family: String(parts[0])), in: birds)
                count += 1
            }
        }
        return count
    }
}

/// Shows what a search field would show after each letter: the words that the letters begin, and the birds.
func showTyping(_ letters: String, in birds: TypedCollection<Bird>) throws {
    for end in letters.indices.dropFirst() {
        let typed = String(letters[..<end])
        let words = try birds.documents.completions(of: typed, limit: 3).map(\.word)
        let hits = try birds.search("\(typed)*", limit: 3).map(\.value.name)
        print("  \(typed)  words: \(words.joined(separator: ", ")); birds: \(hits.joined(separator: ", "))")
    }
}

/// Prints all results of a query, a page at a time.
func printPages(of query: Query, in birds: TypedCollection<Bird>) throws {
    var page = try birds.page(query)
    while true {
        print("  " + page.values.map(\.name).joined(separator: ", "))
        guard let next = page.next else { return }
        page = try birds.page(query, after: next)
    }
}

/// Prints the birds of a family, and again after each change of them. An update that changes nothing prints nothing, so
/// each update here sets another year.
func follow(_ family: String, in birds: TypedCollection<Bird>) async throws {
    var results = try birds.observe("family = \(family) and seen exists", sort: "seen,name").makeAsyncIterator()
    func printNext() async throws {
        guard let seen = try await results.next() else { return }
        print("  " + (seen.isEmpty ? "none yet" : seen.map { "\($0.name) \($0.seen ?? 0)" }.joined(separator: ", ")))
    }
    try await printNext()
    try await birds.asynchronous.update("barn-owl") { $0.seen = ($0.seen ?? 2020) + 1 }
    try await printNext()
    try await birds.asynchronous.update("snowy-owl") { $0.seen = ($0.seen ?? 2018) + 1 }
    try await printNext()
    try await birds.asynchronous.update("barn-owl") { $0.seen = nil }
    try await printNext()
}

let path = CommandLine.arguments.dropFirst().first
let directory = FileManager.default.temporaryDirectory.appending(path: "bird-list-\(UUID().uuidString)")
defer { if path == nil { try? FileManager.default.removeItem(at: directory) } }
let store = try await AsyncDocumentStore.open(at: path ?? directory.path, schema: schema).store
let birds = try store.collection("birds", of: Bird.self)
let searches = try store.collection("searches", of: SavedSearch.self)

print("added \(try addBirds(to: birds)) birds; the list has \(try birds.count())")

heading("Typing:")
try showTyping("woodp", in: birds)

let beginning = "Great"
heading("Names that begin with \(beginning):")
for bird in try birds.find("name ^= \(beginning)", sort: "name") { print("  \(bird.name), one of the \(bird.family)") }

heading("Finches and thrushes in pages of eight:")
let families = ["finches", "thrushes"]
try printPages(of: Query("family in \(families)", sort: "family,name", limit: 8), in: birds)

heading("Saved searches:")
try searches.put(SavedSearch(id: "small ones", query: Query("name *= Little", sort: "name")))
try searches.put(SavedSearch(id: "at night", query: Query("search 'owl OR night*'", sort: "-@score", limit: 3)))
for search in try searches.find(sort: "id") {
    print("  \(search.id): " + (try birds.find(search.query).map(\.name).joined(separator: ", ")))
}

heading("Owls seen, live:")
try await follow("owls", in: birds)

heading("Families:")
for facet in try birds.facets("family", limit: 3) { print("  \(facet.value): \(facet.count)") }
try store.close()
