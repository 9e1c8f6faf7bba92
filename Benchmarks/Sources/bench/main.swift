// Runs the comparisons and prints one table, or repeats one side of one comparison for a profiler.
//
// usage: bench [COUNT [ROUNDS]] [--first-round N] [--json FILE]
//        bench only NAME ours|peer COUNT REPEATS
//        bench memory COUNT

import CRawLevelDB
import Foundation
import Harness

let arguments = Array(CommandLine.arguments.dropFirst())
let directory = FileManager.default.temporaryDirectory.appending(path: "levelkit-bench-\(getpid())")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }

if arguments.first == "only" {
    guard arguments.count == 5, let count = Int(arguments[3]), let repeats = Int(arguments[4]) else {
        fatalError("usage: bench only NAME ours|peer COUNT REPEATS")
    }
    let all = try KeyValueComparisons(directory: directory.path, count: count).comparisons()
    guard let comparison = all.first(where: { $0.name == arguments[1] }) else {
        fatalError("no comparison \(arguments[1]); there are: \(all.map(\.name).joined(separator: "; "))")
    }
    let side = arguments[2] == "ours" ? comparison.ours : comparison.peer
    for _ in 0..<repeats { _ = try side() }
} else if arguments.first == "memory" {
    try ScanMemory(directory: directory.path, count: arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000_000)
        .run()
} else {
    let numbers = arguments.prefix { !$0.hasPrefix("--") }
    let count = numbers.first.flatMap { Int($0) } ?? 300_000
    let rounds = numbers.dropFirst().first.flatMap { Int($0) } ?? 7
    say("\(count) keys\n\n\(Line.header(ours: "LevelKit", peer: "C"))")
    let comparisons = try KeyValueComparisons(directory: directory.path, count: count).comparisons()
    for comparison in comparisons { try comparison.warm() }
    // Rounds of all in turns: so the spread of each tells of how the machine drifts, not of one moment.
    var costs = comparisons.map { _ in [(ours: Cost, peer: Cost)]() }
    for round in 0..<rounds {
        for position in comparisons.indices { costs[position].append(try comparisons[position].run(round)) }
    }
    let lines = zip(comparisons, costs).map { $0.line($1) }
    for line in lines { say(line.text) }
    let version = "LevelDB \(leveldb_major_version()).\(leveldb_minor_version())"
    try Measured.write(lines, of: "bench", versions: [version], arguments)
}
