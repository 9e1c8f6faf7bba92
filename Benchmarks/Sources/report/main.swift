// Puts what the programs measured into one table, and the tables of two runs beside each other.
//
// usage: report table OUT.json PART.json…
//        report compare FIRST.json SECOND.json
//
// table: prints the lines of the parts as one table and writes them into one file, with the machine; of parts of one program, the
// rounds are put together, in the order of the first. compare: says of each
// line whether the two runs agree: the ratio of one lies within the spread of the other. Fails where one does not.

import Foundation
import Harness

/// All that one run measured.
struct Run: Codable {
    var machine: String
    /// What was measured: names with versions; `nil` in files of earlier versions.
    var versions: [String]?
    var parts: [Measured]
}

func read<T: Decodable>(_ type: T.Type, _ path: String) throws -> T {
    try JSONDecoder().decode(type, from: Data(contentsOf: URL(fileURLWithPath: path)))
}

/// Processor, number of cores, system.
func machine() -> String {
    let processors = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let model = processors.split(separator: "\n").first { $0.hasPrefix("model name") }?
        .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    let info = ProcessInfo.processInfo
    return "\(model ?? "unknown processor"), \(info.processorCount) cores, \(info.operatingSystemVersionString)"
}

/// The version of Swift, and of GRDB as it was built in, where they are known.
func builtWith() -> [String] {
    var versions: [String] = []
    let compiler = Process()
    let output = Pipe()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = [ProcessInfo.processInfo.environment["SWIFT"] ?? "swift", "--version"]
    compiler.standardOutput = output
    compiler.standardError = FileHandle.nullDevice
    if (try? compiler.run()) != nil {
        let text = String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        compiler.waitUntilExit()
        if let version = text.firstMatch(of: /Swift version (\S+)/)?.output.1 { versions.append("Swift \(version)") }
    }
    /// What the package manager resolved; the benchmarks are started in their own directory.
    struct Resolved: Decodable {
        struct Pin: Decodable {
            struct State: Decodable { var version: String? }
            var identity: String
            var state: State
        }
        var pins: [Pin]
    }
    if let resolved = try? read(Resolved.self, "Package.resolved"),
        let version = resolved.pins.first(where: { $0.identity == "grdb.swift" })?.state.version
    {
        versions.append("GRDB \(version)")
    }
    return versions
}

func table(_ out: String, _ paths: [String]) throws {
    var parts: [Measured] = []
    for part in try paths.map({ try read(Measured.self, $0) }) {
        if let position = parts.firstIndex(where: { $0.program == part.program }) {
            parts[position].add(part)
        } else {
            parts.append(part)
        }
    }
    var versions = builtWith()
    for version in parts.flatMap({ $0.versions ?? [] }) where !versions.contains(version) { versions.append(version) }
    let run = Run(machine: machine(), versions: versions, parts: parts)
    say(run.machine)
    say(versions.joined(separator: ", "))
    say("\n" + Line.pad("", 57) + Line.header(ours: "ours", peer: "peer").dropFirst(57))
    for part in run.parts {
        var peer: String?
        for line in part.lines {
            if line.peerName != peer {
                say("\n\(part.program), beside \(line.peerName)")
                peer = line.peerName
            }
            say(line.text)
        }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(run).write(to: URL(fileURLWithPath: out))
    say("\nas JSON: \(out)")
}

func compare(_ first: String, _ second: String) throws -> Bool {
    let (first, second) = (try read(Run.self, first), try read(Run.self, second))
    var (agreed, differing, once, alone) = (0, 0, 0, 0)
    func text(_ line: Line) -> String {
        Line.pad(String(format: "%.2f (%.2f to %.2f)", line.ratio, line.low, line.high), 24)
    }
    for part in first.parts {
        let others = second.parts.first { $0.program == part.program }?.lines ?? []
        for line in part.lines {
            let name = Line.pad("\(part.program): \(line.operation), \(line.peerName)", 76)
            guard let other = others.first(where: line.isAlike)
            else {
                alone += 1
                say(name + "in the first run alone")
                continue
            }
            if line.rounds.count < 2 || other.rounds.count < 2 {
                once += 1
                continue
            }
            // As exact as they are printed.
            let close = 0.005
            let isWithin = { (ratio: Double, line: Line) in (line.low - close...line.high + close).contains(ratio) }
            if isWithin(line.ratio, other) || isWithin(other.ratio, line) {
                agreed += 1
            } else {
                differing += 1
                say(name + text(line) + text(other))
            }
        }
    }
    say(
        "\(agreed) ratios agree within the spread, \(differing) do not; \(once) were measured once and are not compared"
            + (alone > 0 ? "; \(alone) have no partner" : ""))
    return differing == 0 && alone == 0
}

let arguments = CommandLine.arguments
do {
    switch arguments.dropFirst().first {
    case "table" where arguments.count > 3: try table(arguments[2], Array(arguments[3...]))
    case "compare" where arguments.count == 4: exit(try compare(arguments[2], arguments[3]) ? 0 : 1)
    default:
        FileHandle.standardError.write(
            Data("usage: report table OUT.json PART.json… | compare FIRST.json SECOND.json\n".utf8))
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("report: \(error)\n".utf8))
    exit(1)
}
