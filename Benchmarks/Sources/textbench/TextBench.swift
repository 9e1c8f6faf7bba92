import DocIndex
import Foundation
import LevelKit

/// Measures the text index: building, size, the ten best documents by kind of query, updates of one document at a time.
///
/// usage: textbench RECORDS.jsonl DIRECTORY QUERIES [COPIES]
///
/// `QUERIES` is written: a line for each query with its kind, a tab, and the words. `text-peers` asks SQLite and tantivy the
/// same. `COPIES` loads the records that many times under other ids.
@main
struct TextBench {
    static let fields: [FieldPath] = ["title", "caption", "medium", "credit", "keywords[]"]
    static let schema = Schema(collections: [CollectionDefinition("photos")])
    static let indexed: Schema = {
        var definition = IndexDefinition("text", kind: .text, fields: fields)
        definition.name = "text"
        return Schema(collections: [CollectionDefinition("photos", indexes: [definition])])
    }()

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else {
            print("usage: textbench RECORDS.jsonl DIRECTORY QUERIES [COPIES]")
            exit(64)
        }
        let copies = arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1
        let lines = try Data(contentsOf: URL(fileURLWithPath: arguments[1])).split(separator: 0x0a)
        let clock = ContinuousClock()
        let store = try DocumentStore.open(at: arguments[2], schema: schema)
        var count = 0
        let load = try clock.measure {
            count = try store.load(into: "photos") { writer in
                for copy in 0..<copies {
                    for line in lines {
                        guard case .object(var object) = try DocumentValue(json: String(decoding: line, as: UTF8.self))
                        else { continue }
                        if copy > 0, case .string(let id)? = object["id"] { object["id"] = .string("\(id)-\(copy)") }
                        try writer.put(object)
                    }
                }
            }
        }
        print("documents \(count), loaded without the index in \(seconds(load)) s")
        let build = try clock.measure { _ = try store.apply(indexed) }
        let optimize = try clock.measure { try store.optimizeTextIndexes() }
        print("index built from stored documents in \(seconds(build)) s, made one segment in \(seconds(optimize)) s")
        try store.close()
        let database = try Database.open(at: arguments[2])
        try database.compact()
        try database.close()
        let reopened = try DocumentStore.open(at: arguments[2])
        let photos = try reopened.collection("photos")
        print("index size \(try photos.indexSizes().map { "\($0.name) \($0.byteCount) bytes" })")
        print("peak memory \(peakMemory() >> 20) MiB")

        let queries = try makeQueries(lines)
        try queries.map { "\($0.kind)\t\($0.text)" }.joined(separator: "\n")
            .write(toFile: arguments[3], atomically: true, encoding: .utf8)
        var times: [String: [Double]] = [:]
        var matches: [String: Int] = [:]
        for query in queries {
            let parsed = try TextQuery(parsing: query.text)
            var best = Double.infinity
            for _ in 0..<3 {
                let time = try clock.measure { _ = try photos.rank(parsed, limit: 10) }
                best = min(best, seconds(time))
            }
            times[query.kind, default: []].append(best * 1e6)
            matches[query.kind, default: 0] += try photos.searchCount(parsed)
        }
        for (kind, times) in times.sorted(by: { $0.key < $1.key }) {
            let sorted = times.sorted()
            let mean = sorted.reduce(0, +) / Double(sorted.count)
            print(
                "query \(kind): \(sorted.count), median \(Int(sorted[sorted.count / 2])) us, mean \(Int(mean)) us, "
                    + "max \(Int(sorted.last ?? 0)) us, mean matches \((matches[kind] ?? 0) / sorted.count)")
        }
        try updates(reopened, photos, clock)
        try reopened.close()
    }

    static func updates(_ store: DocumentStore, _ photos: DocumentCollection, _ clock: ContinuousClock) throws {
        var ids: [DocumentID] = []
        try photos.forEach { document in
            if ids.count < 20_000 { ids.append(document.id) }
        }
        var times: [Double] = []
        let all = try clock.measure {
            for (number, id) in ids.enumerated() {
                let time = try clock.measure {
                    try photos.update(id) { document in
                        let old: String = if case .string(let title)? = document["title"] { title } else { "" }
                        document["title"] = .string("\(old) fresh\(number % 1000)")
                    }
                }
                times.append(seconds(time) * 1e6)
            }
        }
        times.sort()
        print(
            "updates \(ids.count): mean \(Int(seconds(all) * 1e6 / Double(ids.count))) us, "
                + "median \(Int(times[times.count / 2])) us, 99 % \(Int(times[times.count * 99 / 100])) us, "
                + "max \(Int(times.last ?? 0)) us")
        let found = try photos.searchCount(try TextQuery(parsing: "fresh7"))
        print("found after the last update: \(found)")
    }

    /// The records have too few words to ask for.
    struct TooFewWords: Error {}

    struct Query {
        let kind: String
        let text: String
    }

    /// Words of the records by how many records have them, put together by chance that is the same in every run.
    static func makeQueries(_ lines: [Data.SubSequence]) throws -> [Query] {
        var counts: [String: Int] = [:]
        var pairs: [[String]] = []
        // Every hundredth of those that are looked at; of few records every one.
        let pairDistance = lines.count < 4_000 ? 4 : 400
        for (number, line) in lines.enumerated() where number % 4 == 0 {
            guard case .object(let object) = try DocumentValue(json: String(decoding: line, as: UTF8.self)) else {
                continue
            }
            var text = ""
            for name in ["title", "caption"] { if case .string(let part)? = object[name] { text += part + " " } }
            let words = text.lowercased().split { !("a"..."z").contains($0) }.map(String.init).filter { $0.count > 1 }
            for word in Set(words) { counts[word, default: 0] += 1 }
            if words.count > 4, number % pairDistance == 0 { pairs.append(Array(words[1...2])) }
        }
        let byCount = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        /// The words of these ranks; of few records, which have none there, the rarest.
        func words(ranked range: Range<Int>) -> [String] {
            let there = range.clamped(to: byCount.indices)
            return there.isEmpty ? Array(byCount.suffix(range.count)) : Array(byCount[there])
        }
        let frequent = words(ranked: 0..<60)
        let medium = words(ranked: 100..<600)
        let rare = words(ranked: 2000..<8000)
        guard frequent.count >= 40, !pairs.isEmpty else { throw TooFewWords() }
        var state: UInt64 = 7
        func pick(_ words: [String]) -> String {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return words[Int(state >> 33) % words.count]
        }
        var queries: [Query] = []
        for number in 0..<40 {
            queries.append(Query(kind: "1 frequent", text: frequent[number]))
            queries.append(Query(kind: "1 medium", text: pick(medium)))
            queries.append(Query(kind: "OR 2", text: "\(pick(frequent)) OR \(pick(medium))"))
            queries.append(
                Query(
                    kind: "OR 5",
                    text: [pick(frequent), pick(frequent), pick(medium), pick(medium), pick(rare)].joined(
                        separator: " OR ")))
            queries.append(Query(kind: "AND 2", text: "\(pick(frequent)) \(pick(medium))"))
            queries.append(Query(kind: "AND 2 frequent", text: "\(pick(frequent)) \(pick(frequent))"))
            queries.append(Query(kind: "phrase", text: "\"\(pairs[number % pairs.count].joined(separator: " "))\""))
            queries.append(Query(kind: "prefix", text: "\(pick(medium).prefix(4))*"))
            queries.append(Query(kind: "fielded", text: "title:\(pick(medium))"))
        }
        queries.append(Query(kind: "named", text: "the OR new OR york OR city"))
        queries.append(Query(kind: "named", text: "\"new york\""))
        return queries
    }

    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    /// The most memory that the process had.
    static func peakMemory() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) << 10
    }
}
