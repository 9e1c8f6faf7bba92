// DocIndex beside SQLite: the same records, indexes and durability, in one table.
//
// usage: docbench [--smoke] [--large] [--growth] [--many] [--rounds N] [--load-rounds N] [--first-round N] [--json FILE]
//        docbench online [COUNT]
//        docbench load ours|peer text|decoded FILE COUNT DIRECTORY
//        docbench repeat get|commit|update ours|peer DIRECTORY FILE COUNT REPEATS
//
// --smoke: a few hundred made-up records. --large: a load of a million records as well. --growth: only
// loads of several sizes. --many: only updates of many documents at once. online: single reads and writes while
// indexes are built. The last two forms are for profilers: one side of one operation.

import Foundation
import Harness

func runSuite(_ arguments: [String]) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("docbench-\(getpid())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let isSmoke = arguments.contains("--smoke")
    var suite = Suite(
        directory: directory,
        records: isSmoke ? try Records.generate(300, in: directory) : try Records.find(in: directory))
    if isSmoke {
        suite.recordCount = 300
        suite.rounds = 1
        suite.loadRounds = 1
        suite.openingRounds = 1
        suite.operationCount = 50
        suite.syncedCount = 2
        suite.growth = [200]
    }
    if arguments.contains("--large") { suite.growth.append(1_000_000) }
    if let rounds = value(of: "--rounds", in: arguments).flatMap({ Int($0) }) { suite.rounds = max(1, rounds) }
    if let rounds = value(of: "--load-rounds", in: arguments).flatMap({ Int($0) }) { suite.loadRounds = max(1, rounds) }
    say("\(suite.recordCount) \(suite.records.description)\n\n\(Line.header(ours: "DocIndex", peer: "GRDB"))")
    try suite.run(growthOnly: arguments.contains("--growth"), manyOnly: arguments.contains("--many"))
    try Measured.write(suite.lines, of: "docbench", versions: [SQLiteSide.version()], arguments)
}

func repeatOperation<S: Side>(_ type: S.Type, _ arguments: [String]) throws {
    guard let count = Int(arguments[4]), let repeats = Int(arguments[5]) else { throw BenchmarkError("no number") }
    let side = try S(directory: arguments[2])
    let texts = try LineReader(path: arguments[3], count: count).rest()
    let ids = try texts.map { try SQLiteSide.prepare($0).id }
    for round in 0..<repeats {
        switch arguments[0] {
        case "get": for id in ids { _ = try side.get(id) }
        case "commit":
            let mark = "repeat\(getpid())-\(round)-"
            let new = try LineReader(path: arguments[3], count: count, mark: mark).rest().map(S.prepare)
            for record in new { try side.commit(record) }
        case "update": for id in ids { try side.updateIndexed(id, year: 1000 + round) }
        default: throw BenchmarkError("no operation \(arguments[0])")
        }
    }
    try side.close()
}

do {
    var arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "online":
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("docbench-\(getpid())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        try OnlineBuild(records: Records.find(in: directory), count: count, directory: directory).run()
    case "load": try LoadReport.run(arguments: Array(arguments.dropFirst()))
    case "repeat":
        arguments.removeFirst()
        guard arguments.count == 6 else { throw BenchmarkError("repeat: see the head of main.swift") }
        if arguments[1] == "ours" {
            try repeatOperation(DocIndexSide.self, arguments)
        } else {
            try repeatOperation(SQLiteSide.self, arguments)
        }
    default: try runSuite(arguments)
    }
} catch {
    FileHandle.standardError.write(Data("docbench: \(error)\n".utf8))
    exit(1)
}
