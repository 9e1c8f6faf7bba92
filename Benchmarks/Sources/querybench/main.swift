// Queries of DocIndex beside SQLite: the same records, indexes and questions, in one table.
//
// usage: querybench [--smoke] [--count N] [--rounds N] [--only PART] [--json FILE] [--stores DIRECTORY] [--ours SECONDS]
//
// --smoke: a thousand made-up records. --count: so many records; those of the catalogue come again under other ids.
// --only: the questions with this in their name. --stores: where stores are kept for the next run. --ours: asks DocIndex
// alone for so long, for profilers.

import Foundation
import Harness

func run(_ arguments: [String]) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("querybench-\(getpid())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let isSmoke = arguments.contains("--smoke")
    let records = isSmoke ? try Records.generate(4000, in: directory) : try Records.find(in: directory)
    let count = isSmoke ? 4000 : value(of: "--count", in: arguments).flatMap { Int($0) } ?? 118_357
    let place = value(of: "--stores", in: arguments) ?? directory
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let store = try QueryStore(directory: place + "/ours")
    let tables = try QueryTables(directory: place + "/peer")
    if try store.pictures.count() != count {
        let oursLines = try LineReader(path: records.path, count: count)
        try store.load(texts: oursLines.next)
        let peerLines = try LineReader(path: records.path, count: count)
        try tables.load(texts: peerLines.next)
    }
    say("\(count) \(records.description)")
    var comparisons = Comparisons()
    comparisons.only = value(of: "--only", in: arguments)
    if isSmoke {
        comparisons.rounds = 1
        comparisons.roundNanoseconds = 1e5
    }
    if let rounds = value(of: "--rounds", in: arguments).flatMap({ Int($0) }) { comparisons.rounds = max(1, rounds) }
    let values = try AskedValues(path: records.path, recordCount: count, count: isSmoke ? 4 : 20)
    let questions = try Questions(store: store, tables: tables, values: values).all()
    if let seconds = value(of: "--ours", in: arguments).flatMap({ Double($0) }) {
        try comparisons.askOurs(questions, seconds: seconds)
    } else {
        say("\n\(Line.header)")
        try comparisons.run(questions)
    }
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
