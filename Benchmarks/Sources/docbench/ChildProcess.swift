import Foundation
import Harness

/// A load in a process of its own: so its peak of memory is its own, and it begins with a fresh heap.
struct LoadReport: Codable {
    let cost: Cost
    /// The largest resident set, mapped files included; 0 where the system does not tell.
    let peakByteCount: Double

    /// Starts this program again to load a store, and waits for it.
    static func ofChild(
        side: String, form: String, path: String, count: Int, directory: String
    ) throws -> LoadReport {
        let child = Process()
        child.executableURL = Bundle.main.executableURL
        child.arguments = ["load", side, form, path, String(count), directory]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        guard child.terminationStatus == 0 else { throw BenchmarkError("the load of \(side) failed") }
        return try JSONDecoder().decode(LoadReport.self, from: text)
    }

    /// What the child does.
    static func run(arguments: [String]) throws {
        guard arguments.count == 5, let count = Int(arguments[3]) else {
            throw BenchmarkError("usage: docbench load ours|peer text|decoded FILE COUNT DIRECTORY")
        }
        let report =
            arguments[0] == "ours"
            ? try load(DocIndexSide.self, arguments[1], arguments[2], count, arguments[4])
            : try load(SQLiteSide.self, arguments[1], arguments[2], count, arguments[4])
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private static func load<S: Side>(
        _ type: S.Type, _ form: String, _ path: String, _ count: Int, _ directory: String
    ) throws -> LoadReport {
        let reader = try LineReader(path: path, count: count)
        let prepared = form == "decoded" ? try reader.rest().map(S.prepare) : []
        let cost = try Cost {
            let side = try S(directory: directory)
            if form == "decoded" { try side.load(prepared: prepared) } else { try side.load { reader.next() } }
            // Until the work in the background is done as well.
            try side.close()
        }
        return LoadReport(cost: cost, peakByteCount: peakByteCount())
    }

    private static func peakByteCount() -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return 0 }
        return (Double(line.filter(\.isNumber)) ?? 0) * 1024
    }
}
