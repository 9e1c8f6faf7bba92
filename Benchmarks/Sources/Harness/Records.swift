import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Where the records come from: a file of JSON Lines, each of which begins with a text named `id`.
package struct Records {
    package let path: String
    package let description: String

    /// The catalogue of real records if it is there, else made-up ones, as a file in a directory.
    package static func find(in directory: String, madeUp count: Int = 118_357) throws -> Records {
        let place =
            ProcessInfo.processInfo.environment["LEVELKIT_DATA"]
            ?? URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../shared/data").standardized.path
        let catalogue = place + "/catalog.jsonl.gz"
        guard FileManager.default.fileExists(atPath: catalogue) else {
            return try generate(count, in: directory)
        }
        let path = directory + "/records.jsonl"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let gzip = Process()
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-dc", catalogue]
        gzip.standardOutput = FileHandle(forWritingAtPath: path)
        try gzip.run()
        gzip.waitUntilExit()
        guard gzip.terminationStatus == 0 else { throw BenchmarkError("gzip could not read \(catalogue)") }
        return Records(path: path, description: "real records of \(catalogue)")
    }

    /// Records like those of the catalogue: words by Zipf's law, two kinds with fields of their own, fields that are
    /// often missing. Every run makes the same.
    package static func generate(_ count: Int, in directory: String) throws -> Records {
        var random = SplitMix64(state: 2026)
        let words = ZipfWords(count: 20_000)
        var text: [UInt8] = []
        let path = directory + "/generated.jsonl"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        guard let file = FileHandle(forWritingAtPath: path) else { throw BenchmarkError("cannot write \(path)") }
        for number in 0..<count {
            let isPhoto = random.next() % 5 < 2
            var line = "{\"id\": \"made-\(number)\", \"source\": \"\(isPhoto ? "streets" : "works")\""
            line += ", \"title\": \"\(words.sentence(4 + Int(random.next() % 8), &random))\""
            if isPhoto { line += ", \"caption\": \"\(words.sentence(10 + Int(random.next() % 40), &random))\"" }
            if !isPhoto { line += ", \"creator\": \"Creator \(words.rank(&random) % 3500)\"" }
            if random.next() % 16 > 0 { line += ", \"year\": \(1700 + random.next() % 300)" }
            if random.next() % 12 > 0 {
                let keywords = (0..<(2 + random.next() % 14)).map { _ in "\"\(words.sentence(2, &random))\"" }
                line += ", \"keywords\": [\(keywords.joined(separator: ", "))]"
            }
            line += ", \"width\": \(100 + random.next() % 2000), \"height\": \(100 + random.next() % 2000)"
            if isPhoto {
                let (lat, lon) = (random.next() % 1_000_000, random.next() % 1_000_000)
                line += ", \"gps\": {\"lat\": 40.\(lat), \"lon\": -73.\(lon)}"
            } else {
                line += ", \"acquired\": \(1850 + random.next() % 170)"
            }
            text += "\(line), \"kind\": \"\(isPhoto ? "photograph" : "on paper, unique")\"}\n".utf8
            if text.count > 1 << 20 || number == count - 1 {
                try file.write(contentsOf: text)
                text = []
            }
        }
        try file.close()
        return Records(path: path, description: "made-up records")
    }
}

/// Words whose frequency falls with their rank.
private struct ZipfWords {
    private let cumulative: [Double]

    init(count: Int) {
        var sum = 0.0
        cumulative = (1...count).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
    }

    func rank(_ random: inout SplitMix64) -> Int {
        let target = Double(random.next() >> 11) / Double(1 << 53) * (cumulative.last ?? 1)
        var (lower, upper) = (0, cumulative.count - 1)
        while lower < upper {
            let middle = (lower + upper) / 2
            if cumulative[middle] < target { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }

    func sentence(_ count: Int, _ random: inout SplitMix64) -> String {
        (0..<count).map { _ in
            var rank = rank(&random)
            var word = ""
            repeat {
                word += ["ka", "lo", "mi", "ner", "tu", "sha", "bro", "dis", "ve", "an"][rank % 10]
                rank /= 10
            } while rank > 0
            return word
        }.joined(separator: " ")
    }
}

/// Random numbers with a seed (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
package struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// Reads a number of lines of a file; begins again at its end, with another id in each line.
package final class LineReader {
    private let file: UnsafeMutablePointer<FILE>
    private var line: UnsafeMutablePointer<CChar>?
    private var capacity = 0
    private var remaining: Int
    private var prefix: [UInt8] = []
    private var round = 0

    /// What each line begins with.
    private static let start = Array("{\"id\": \"".utf8)

    /// - Parameter mark: what each id begins with.
    package init(path: String, count: Int, mark: String = "") throws {
        guard let file = fopen(path, "r") else { throw BenchmarkError("cannot read \(path)") }
        self.file = file
        remaining = count
        prefix = Array(mark.utf8)
    }

    deinit {
        free(line)
        fclose(file)
    }

    package func next() -> [UInt8]? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        var byteCount = getline(&line, &capacity, file)
        if byteCount < 0 {
            rewind(file)
            round += 1
            prefix = Array("again\(round)-".utf8)
            byteCount = getline(&line, &capacity, file)
        }
        guard let line, byteCount > Self.start.count else { return nil }
        // Without the end of the line.
        let bytes = UnsafeRawBufferPointer(start: line, count: byteCount - 1)
        if prefix.isEmpty { return Array(bytes) }
        var text: [UInt8] = []
        text.reserveCapacity(byteCount + prefix.count)
        text += bytes[..<Self.start.count]
        text += prefix
        text += bytes[Self.start.count...]
        return text
    }

    /// All lines that are left.
    package func rest() -> [[UInt8]] {
        var lines: [[UInt8]] = []
        while let line = next() { lines.append(line) }
        return lines
    }
}

/// Something that keeps a benchmark from going on.
package struct BenchmarkError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
