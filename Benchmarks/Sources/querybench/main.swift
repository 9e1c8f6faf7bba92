// Queries of DocIndex beside SQLite: the same records, indexes and questions, in one table.
//
// usage: querybench [--smoke] [--count N] [--rounds N] [--first-round N] [--only PART] [--json FILE] [--stores DIRECTORY] [--ours SECONDS]
//        querybench --acceptance [--count N] [--rounds N] [--only NUMBER] [--stores DIRECTORY]
//        querybench --calibrate | --cancel [--count N] [--stores DIRECTORY]
//        querybench --vectors COUNT [--stores DIRECTORY]
//
// --smoke: a thousand made-up records. --count: so many records; those of the catalogue come again under other ids.
// --only: the questions with this in their name. --stores: where stores are kept for the next run. --ours: asks DocIndex
// alone for so long, for profilers. --acceptance: the thirty questions of a photo catalogue. --calibrate: what the parts of a
// plan cost, for the table of the planner. --cancel: how long a full scan goes on after it was cancelled. --vectors: the time
// and the recall of searches in so many vectors of 512 numbers, in new stores.

import DocIndex
import Foundation
import Harness

func run(_ arguments: [String]) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("querybench-\(getpid())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let isSmoke = arguments.contains("--smoke")
    if arguments.contains("--vectors") {
        let count = isSmoke ? 500 : value(of: "--vectors", in: arguments).flatMap { Int($0) } ?? 100_000
        let place = value(of: "--stores", in: arguments) ?? directory
        return try VectorSearches(directory: place, count: count, queryCount: isSmoke ? 3 : 50).run()
    }
    let records = isSmoke ? try Records.generate(4000, in: directory) : try Records.find(in: directory)
    let count = isSmoke ? 4000 : value(of: "--count", in: arguments).flatMap { Int($0) } ?? 118_357
    let place = value(of: "--stores", in: arguments) ?? directory
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    if arguments.contains("--acceptance") {
        var acceptance = Acceptance(directory: place, records: records, count: count)
        acceptance.only = value(of: "--only", in: arguments).flatMap { Int($0) }
        return try acceptance.run(rounds: value(of: "--rounds", in: arguments).flatMap { Int($0) } ?? 5)
    }
    let store = try QueryStore(directory: place + "/ours")
    let tables = try QueryTables(directory: place + "/peer")
    if try store.pictures.count() != count {
        let oursLines = try LineReader(path: records.path, count: count)
        try store.load(texts: oursLines.next)
        let peerLines = try LineReader(path: records.path, count: count)
        try tables.load(texts: peerLines.next)
    }
    say("\(count) \(records.description)")
    if arguments.contains("--calibrate") { return try Calibration(store, store.database).run() }
    if arguments.contains("--cancel") { return try cancel(store) }
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
        say("\n\(Line.header(ours: "DocIndex", peer: "GRDB"))")
        try comparisons.run(questions)
    }
    try Measured.write(comparisons.lines, of: "querybench", arguments)
    try store.close()
    try tables.close()
}

/// Cancels full scans at some moments, and prints how long they went on.
func cancel(_ store: QueryStore) throws {
    let pictures = store.pictures
    let query = Query(try DocIndex.Filter(parsing: "title matches /x{3}y{3}/"))
    let whole = try Cost { _ = try pictures.find(query) }.elapsed / 1e6
    var delays: [Double] = []
    for part in 1...9 {
        let ended = DispatchSemaphore(value: 0)
        let task = Task.detached {
            defer { ended.signal() }
            return try pictures.find(query).count
        }
        usleep(UInt32(whole * 1000 * Double(part) / 20))
        let delay = Cost {
            task.cancel()
            ended.wait()
        }
        delays.append(delay.elapsed / 1e6)
    }
    delays.sort()
    say(
        String(
            format: "full scan: %.0f ms; ended after its cancellation: median %.2f ms, longest %.2f ms", whole,
            delays[delays.count / 2], delays[delays.count - 1]))
}

do {
    try run(Array(CommandLine.arguments.dropFirst()))
} catch {
    FileHandle.standardError.write(Data("querybench: \(error)\n".utf8))
    exit(1)
}
