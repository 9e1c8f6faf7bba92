// Runs the comparisons and prints one table, or repeats one side of one comparison for a profiler.
//
// usage: bench [COUNT [ROUNDS]]
//        bench only NAME ours|peer COUNT REPEATS
//        bench memory COUNT

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
let directory = FileManager.default.temporaryDirectory.appending(path: "levelkit-bench-\(getpid())")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }

func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - text.count))
    return left ? spaces + text : text + spaces
}
func number(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

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
    let count = arguments.first.flatMap { Int($0) } ?? 300_000
    let rounds = arguments.dropFirst().first.flatMap { Int($0) } ?? 7
    print(
        pad("operation", 30), pad("LevelKit ns", 14, left: true), pad("C ns", 14, left: true),
        "  ratio (low to high)    processor")
    for comparison in try KeyValueComparisons(directory: directory.path, count: count).comparisons() {
        let result = try comparison.run(rounds: rounds)
        print(
            pad(result.name, 30), pad(number(result.oursNanoseconds, 1), 14, left: true),
            pad(number(result.peerNanoseconds, 1), 14, left: true),
            "  \(number(result.ratio.median, 2)) (\(number(result.ratio.low, 2)) to \(number(result.ratio.high, 2)))    \(number(result.processorRatio, 2))"
        )
    }
}
