// Queries of DocIndex beside SQLite: the same records, indexes and questions, in one table.
//
// usage: querybench [--smoke] [--count N] [--rounds N] [--only PART] [--json FILE]
//
// --smoke: a thousand made-up records. --count: so many records; those of the catalogue come again under other ids.
// --only: the questions with this in their name.

import Foundation
import Harness

func run(_ arguments: [String]) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("querybench-\(getpid())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let isSmoke = arguments.contains("--smoke")
    let records = isSmoke ? try Records.generate(4000, in: directory) : try Records.find(in: directory)
    let count = isSmoke ? 4000 : value(of: "--count", in: arguments).flatMap { Int($0) } ?? 118_357
    let store = try QueryStore(directory: directory + "/ours")
    let tables = try QueryTables(directory: directory + "/peer")
    let oursLines = try LineReader(path: records.path, count: count)
    let ours = try Cost { try store.load(texts: oursLines.next) }
    let peerLines = try LineReader(path: records.path, count: count)
    let peer = try Cost { try tables.load(texts: peerLines.next) }
    say("\(count) \(records.description); loaded in \(Int(ours.elapsed / 1e6)) ms and \(Int(peer.elapsed / 1e6)) ms")
    var comparisons = Comparisons()
    comparisons.only = value(of: "--only", in: arguments)
    if isSmoke {
        comparisons.rounds = 1
        comparisons.roundNanoseconds = 1e5
    }
    if let rounds = value(of: "--rounds", in: arguments).flatMap({ Int($0) }) { comparisons.rounds = max(1, rounds) }
    let values = try AskedValues(path: records.path, recordCount: count, count: isSmoke ? 4 : 20)
    say("\n\(Line.header)")
    try comparisons.run(try Questions(store: store, tables: tables, values: values).all())
    if let path = value(of: "--json", in: arguments) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(comparisons.lines).write(to: URL(fileURLWithPath: path))
    }
    try store.close()
    try tables.close()
}

do {
    try run(Array(CommandLine.arguments.dropFirst()))
} catch {
    FileHandle.standardError.write(Data("querybench: \(error)\n".utf8))
    exit(1)
}
