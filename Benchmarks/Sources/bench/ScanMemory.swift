import Foundation
import LevelKit

/// Memory of the process while a long scan goes on. The cursor holds one block at a time, so it must not grow.
struct ScanMemory {
    let directory: String
    let count: Int

    func run() throws {
        var options = DatabaseOptions.bulkLoad
        options.cacheByteCount = 8 << 20
        let database = try Database.open(at: directory + "/scan", options: options)
        for start in stride(from: 0, to: count, by: 10_000) {
            try database.write { batch in
                for number in start..<min(start + 10_000, count) {
                    var key = Array("photo/".utf8)
                    TupleEncoder.append(Int64(number), to: &key)
                    try batch.put(Array("value of \(number)".utf8), forKey: key)
                }
            }
        }
        try database.compact()
        let before = Self.anonymousKilobytes()
        var largest = before
        var seen = 0
        var cursor = try database.cursor(in: .all, cache: .bypass)
        while try cursor.advance() {
            seen += 1
            if seen % 100_000 == 0 { largest = max(largest, Self.anonymousKilobytes()) }
        }
        print("scan of \(seen) entries: \(before) kB before, at most \(largest) kB during it, mapped files not counted")
    }

    /// Memory that is not a mapped file: LevelDB maps its tables, and the system drops those pages as it likes.
    private static func anonymousKilobytes() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") })
        else { return 0 }
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
