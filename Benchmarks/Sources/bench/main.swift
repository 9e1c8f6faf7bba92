// Runs the comparisons and prints one table.
//
// usage: bench [COUNT [ROUNDS]]

import Foundation

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 300_000
let rounds = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 7

let directory = FileManager.default.temporaryDirectory.appending(path: "levelkit-bench-\(getpid())")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }

func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - text.count))
    return left ? spaces + text : text + spaces
}
func number(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

print(pad("operation", 30), pad("LevelKit ns", 14, left: true), pad("C ns", 14, left: true), "  ratio (low to high)")
for comparison in try KeyValueComparisons(directory: directory.path, count: count).comparisons() {
    let result = try comparison.run(rounds: rounds)
    print(
        pad(result.name, 30), pad(number(result.oursNanoseconds, 1), 14, left: true),
        pad(number(result.peerNanoseconds, 1), 14, left: true),
        "  \(number(result.ratio.median, 2)) (\(number(result.ratio.low, 2)) to \(number(result.ratio.high, 2)))")
}
