// What the history of a collection costs: the same documents, put with and without it.
//
// usage: historybench [COUNT [ROUNDS]]
//
// Each round puts COUNT documents, then new versions of them all, each in a commit of its own, into two new stores; which
// goes first alternates. 10,000 documents and 5 rounds by default.

import DocIndex
import Foundation
import Harness

/// A new store, and what its puts cost.
struct Side {
    let store: DocumentStore
    let photos: DocumentCollection

    init(_ directory: String, history: CollectionDefinition.History?) throws {
        let indexes: [IndexDefinition] = [.value("year", on: "year"), .value("keywords", on: "keywords[]")]
        let schema = Schema(collections: [CollectionDefinition("photos", history: history, indexes: indexes)])
        try? FileManager.default.removeItem(atPath: directory)
        store = try DocumentStore.open(at: directory, schema: schema)
        photos = try store.collection("photos")
    }

    func put(_ documents: [DocumentObject]) throws -> Cost { try Cost { for one in documents { try photos.put(one) } } }
}

func run(count: Int, rounds: Int) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("historybench-\(getpid())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let records = try Records.find(in: directory, madeUp: count)
    var documents: [DocumentObject] = []
    for line in try String(contentsOfFile: records.path, encoding: .utf8).split(separator: "\n").prefix(count) {
        if case .object(let object) = try DocumentValue(json: String(line)) { documents.append(object) }
    }
    let changed = documents.map { document in
        var document = document
        document["year"] = 1000
        return document
    }
    say("\(documents.count) \(records.description)\n\n\(Line.header(ours: "history", peer: "none"))")
    var (inserts, updates) = ([(ours: Cost, peer: Cost)](), [(ours: Cost, peer: Cost)]())
    var (with, without) = ([Double](), [Double]())
    for round in 0..<rounds {
        let kept = try Side(directory + "/with", history: .init(versions: 20))
        let plain = try Side(directory + "/without", history: nil)
        inserts.append(
            try inTurn(round) {
                try kept.put(documents)
            } peer: {
                try plain.put(documents)
            })
        updates.append(
            try inTurn(round) {
                try kept.put(changed)
            } peer: {
                try plain.put(changed)
            })
        try kept.store.close()
        try plain.store.close()
        with.append(byteCount(of: directory + "/with") / 1e6)
        without.append(byteCount(of: directory + "/without") / 1e6)
    }
    let divisor = Double(documents.count) * 1e3
    say(Line("put, new document", unit: "µs", peerName: "none", divisor: divisor, rounds: inserts).text)
    say(Line("put, new version", unit: "µs", peerName: "none", divisor: divisor, rounds: updates).text)
    say(Line("size on disk", unit: "MB", peerName: "none", ours: with, peer: without).text)
}

do {
    let numbers = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
    guard numbers.allSatisfy({ $0 > 0 }), numbers.count <= 2 else {
        FileHandle.standardError.write(Data("usage: historybench [COUNT [ROUNDS]]\n".utf8))
        exit(64)
    }
    try run(count: numbers.first ?? 10_000, rounds: numbers.dropFirst().first ?? 5)
} catch {
    FileHandle.standardError.write(Data("historybench: \(error)\n".utf8))
    exit(1)
}
