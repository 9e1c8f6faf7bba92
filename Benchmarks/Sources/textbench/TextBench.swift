import DocIndex
import Foundation
import Harness
import LevelKit
import Synchronization

/// Measures the text index: building, size, the ten best documents by kind of query, updates of one document at a time.
///
/// usage: textbench --records DIRECTORY [COUNT]
///        textbench RECORDS.jsonl DIRECTORY QUERIES [COPIES]
///        textbench --ask DIRECTORY QUERIES [ROUNDS]
///        textbench --answer DIRECTORY
///        textbench --boxes DIRECTORY
///        textbench --update DIRECTORY COUNT
///        textbench --load RECORDS.jsonl DIRECTORY
///        textbench --build DIRECTORY [ROUNDS]
///        textbench --retrieve FOLDER DIRECTORY
///        textbench --smoke
///
/// `--records` puts the records that the benchmarks are about there, as `records.jsonl`: those of the catalogue where it is, and else
/// made-up ones, so many. `QUERIES` is written: a line for each query with its kind, the words, how many documents match, and the microseconds it took,
/// with tabs between. `text-peers` asks SQLite and tantivy the same, and compares. `COPIES` loads the records that many times
/// under other ids: nine make a million of the sample catalogue. `--ask` asks the queries of an earlier run of its store again,
/// after everything became one segment: for profilers, and for two builds beside each other. `--answer` reads a query from
/// each line and answers with the fewest microseconds of ten tries, or of those that fit into 20 ms, so that others can take turns
/// with it query by query. `--boxes` reads what people type, and answers with the microseconds of a search for all words, for any of
/// the words, of a search box, and of its words while the last one is typed. `--update` changes documents of such a store, and counts closing it and opening it again, `--load` loads one without the index, `--build` builds its index anew. `--smoke` measures made-up records: does it run?
@main
struct TextBench {
    static let fields: [FieldPath] = ["title", "caption", "medium", "credit", "keywords[]"]
    static let schema = Schema(collections: [CollectionDefinition("photos")])
    static let indexed = Schema(collections: [
        CollectionDefinition("photos", indexes: [IndexDefinition("text", kind: .text, fields: fields)])
    ])

    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.dropFirst().first == "--smoke" { return try smoke() }
        if arguments.count >= 3, arguments[1] == "--records" {
            let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 118_357
            let records = try Records.find(in: arguments[2], madeUp: count)
            print("text: \(records.description)")
            let path = arguments[2] + "/records.jsonl"
            if records.path != path {
                try? FileManager.default.removeItem(atPath: path)
                try FileManager.default.moveItem(atPath: records.path, toPath: path)
            }
            return
        }
        if arguments.count >= 3, arguments[1] == "--build" {
            for _ in 0..<(arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1) {
                let store = try DocumentStore.open(at: arguments[2], schema: schema)
                try build(store, ContinuousClock())
                try store.close()
            }
            return
        }
        if arguments.count == 4, arguments[1] == "--load" {
            let store = try DocumentStore.open(at: arguments[3], schema: schema)
            _ = try load(
                Data(contentsOf: URL(fileURLWithPath: arguments[2])).split(separator: 0x0a), copies: 1, into: store)
            try store.close()
            let database = try Database.open(at: arguments[3])
            try database.compact()
            return try database.close()
        }
        if arguments.count == 3, arguments[1] == "--answer" { return try answer(arguments[2]) }
        if arguments.count == 3, arguments[1] == "--boxes" { return try answerBoxes(arguments[2]) }
        if arguments.count == 4, arguments[1] == "--retrieve" {
            return try Retrieval.run(folder: arguments[2], directory: arguments[3])
        }
        guard arguments.count >= 4 else {
            print(
                "usage: textbench --records DIRECTORY [COUNT]; textbench RECORDS.jsonl DIRECTORY QUERIES [COPIES]; textbench --ask DIRECTORY QUERIES [ROUNDS]; textbench --answer DIRECTORY; textbench --boxes DIRECTORY; "
                    + "textbench --update DIRECTORY COUNT; textbench --load RECORDS.jsonl DIRECTORY; textbench --build DIRECTORY [ROUNDS]; textbench --retrieve FOLDER DIRECTORY; textbench --smoke"
            )
            exit(64)
        }
        if arguments[1] == "--update" {
            let store = try DocumentStore.open(at: arguments[2])
            let photos = try store.collection("photos")
            let clock = ContinuousClock()
            let count = min(Int(arguments[3]) ?? 20_000, try photos.count())
            let before = writtenByteCount()
            var whole = Duration.zero
            _ = try updates(store, photos, clock, count, "again") { whole = $0 }
            let found = try photos.count(matching: try TextQuery(parsing: "again7"))
            guard found == (count + 992) / 1000 else { fatalError("an update is not found: \(found)") }
            // What commits leave for later, of LevelDB's log and of pending words, is done when the store is opened again.
            whole += try clock.measure {
                try store.close()
                try DocumentStore.open(at: arguments[2]).close()
            }
            let (bytes, updates) = (Double(writtenByteCount() - before), Double(max(1, count)))
            print(
                "for each update, closing and opening included: \(String(format: "%.2f", seconds(whole) * 1e6 / updates)) us, "
                    + "\(String(format: "%.0f", bytes / updates)) bytes written; compactions of LevelDB included")
            return
        }
        if arguments[1] == "--ask" {
            return try ask(arguments[2], arguments[3], rounds: arguments.count > 4 ? Int(arguments[4]) ?? 5 : 5)
        }
        let lines = try Data(contentsOf: URL(fileURLWithPath: arguments[1])).split(separator: 0x0a)
        try run(
            lines, directory: arguments[2], queries: arguments[3],
            copies: arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1, updateCount: 20_000)
    }

    /// Asks queries that are written down of a store that is there, each also with its ten documents; also prints the
    /// memory of the store.
    static func ask(_ directory: String, _ path: String, rounds: Int) throws {
        let before = memory("RssAnon")
        let store = try DocumentStore.open(at: directory)
        let opened = memory("RssAnon")
        try store.optimizeTextIndexes()
        let photos = try store.collection("photos")
        var times: [String: [Double]] = [:]
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: "\t")
            guard parts.count == 4 else { continue }
            times[String(parts[0]), default: []].append(try fewestMicroseconds(photos, String(parts[1]), tries: rounds))
            _ = try photos.search(String(parts[1]), limit: 10)
        }
        report(times, matches: [:])
        let blocks = DocumentStore.Options().database.cacheByteCount >> 20
        print(
            "memory without mapped files: \((opened - min(before, opened)) >> 10) KiB after opening, "
                + "\((memory("RssAnon") - before) >> 20) MiB after the searches, with \(blocks) MiB for blocks")
        try store.close()
    }

    /// Answers each line of standard input with a line, until it ends.
    static func answer(_ directory: String) throws {
        let store = try DocumentStore.open(at: directory)
        try store.optimizeTextIndexes()
        let photos = try store.collection("photos")
        while let line = readLine() {
            print(try fewestMicroseconds(photos, line, tries: 10, milliseconds: 20))
            fflush(nil)
        }
        try store.close()
    }

    /// Answers each line of standard input as a search box and as a search for any of the words.
    static func answerBoxes(_ directory: String) throws {
        let store = try DocumentStore.open(at: directory)
        try store.optimizeTextIndexes()
        let photos = try store.collection("photos")
        func microseconds(_ text: String, _ query: @escaping (String) throws -> TextQuery) throws -> String {
            let time = try fewestMicroseconds(photos, text, tries: 10, milliseconds: 200, query: query)
            return String(format: "%.1f", time)
        }
        while let line = readLine() {
            func words(_ text: String) -> [TextQuery] { text.split(separator: " ").map { .word(String($0)) } }
            let all = try microseconds(line) { .and(words($0)) }
            let any = try microseconds(line) { .or(words($0)) }
            let box = try microseconds(line) { TextQuery(searchBox: $0) }
            let typing = try microseconds(line) { TextQuery(searchBox: $0, isTyping: true) }
            print(
                "\(all)\t\(any)\t\(box)\t\(typing)\t\(try photos.count(matching: TextQuery(searchBox: line)))\t\(line)")
            fflush(nil)
        }
        try store.close()
    }

    /// How long the ten best take, the query parsed each time, as the peers do.
    private static func fewestMicroseconds(
        _ photos: DocumentCollection, _ text: String, tries: Int, milliseconds: Int = 1 << 30,
        query: (String) throws -> TextQuery = { try TextQuery(parsing: $0) }
    ) throws -> Double {
        let clock = ContinuousClock()
        let started = clock.now
        var best = Double.infinity
        for number in 0..<max(1, tries) {
            if number > 0, clock.now - started > .milliseconds(milliseconds) { break }
            let time = try clock.measure { _ = try photos.rank(query(text), limit: 10) }
            best = min(best, seconds(time))
        }
        return best * 1e6
    }

    static func report(_ times: [String: [Double]], matches: [String: Int]) {
        for (kind, times) in times.sorted(by: { $0.key < $1.key }) {
            let sorted = times.sorted()
            let mean = sorted.reduce(0, +) / Double(sorted.count)
            print(
                "query \(kind): \(sorted.count), median \(Int(sorted[sorted.count / 2])) us, mean \(Int(mean)) us, "
                    + "max \(Int(sorted.last ?? 0)) us"
                    + (matches[kind].map { ", mean matches \($0 / sorted.count)" } ?? ""))
        }
    }

    /// Made-up records: words by about Zipf's law.
    static func smoke() throws {
        var state: UInt64 = 1
        func number(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        func word(_ number: Int) -> String {
            var letters = ""
            var rest = number + 26
            while rest > 0 {
                letters.append(Character(Unicode.Scalar(UInt8(97 + rest % 26))))
                rest /= 26
            }
            return letters
        }
        let lines = (0..<3000).map { id in
            let words = (0..<12).map { _ in word(number(1 + number(9000))) }
            return Data(
                #"{"id":"r\#(id)","title":"\#(words[..<3].joined(separator: " "))","caption":"\#(words[3...].joined(separator: " "))"}"#
                    .utf8)[...]
        }
        let directory = NSTemporaryDirectory() + "textbench-smoke-\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try run(lines, directory: directory + "/store", queries: directory + "/queries", copies: 1, updateCount: 500)
    }

    static func run(
        _ lines: [Data.SubSequence], directory: String, queries path: String, copies: Int, updateCount: Int
    ) throws {
        let clock = ContinuousClock()
        let store = try DocumentStore.open(at: directory, schema: schema)
        var count = 0
        let load = try clock.measure { count = try self.load(lines, copies: copies, into: store) }
        print("documents \(count), loaded without the index in \(seconds(load)) s")
        let plain = try updates(store, try store.collection("photos"), clock, min(updateCount, 5000), "plain")
        try build(store, clock)
        try store.close()
        let database = try Database.open(at: directory)
        try database.compact()
        try database.close()
        let reopened = try DocumentStore.open(at: directory)
        let photos = try reopened.collection("photos")
        print("index size \(try photos.indexSizes().map { "\($0.name) \($0.byteCount) bytes" })")

        let queries = try makeQueries(lines)
        var times: [String: [Double]] = [:]
        var matches: [String: Int] = [:]
        var report: [String] = []
        for query in queries {
            let parsed = try TextQuery(parsing: query.text)
            let matchCount = try photos.count(matching: parsed)
            let total = try photos.count(matching: parsed, upTo: .max - 1)
            let best10 = try photos.rank(parsed, limit: 10)
            // What is timed must be right: the best ten are those of all, and both ways to count agree.
            let all = try photos.rank(parsed, limit: nil)
            guard total.count == matchCount, all.count == matchCount,
                zip(best10, all).allSatisfy({ $0.row == $1.row && $0.score == $1.score }),
                best10.count == min(10, all.count)
            else { fatalError("\(query.text): the answers contradict each other") }
            let best = try fewestMicroseconds(photos, query.text, tries: 5)
            times[query.kind, default: []].append(best)
            matches[query.kind, default: 0] += matchCount
            report.append("\(query.kind)\t\(query.text)\t\(matchCount)\t\(Int(best.rounded()))")
        }
        try report.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        Self.report(times, matches: matches)
        let written = try updates(reopened, photos, clock, updateCount, "fresh")
        let recordByteCount = lines.reduce(0) { $0 + $1.count } / max(1, lines.count)
        func ratio(_ bytes: Double, _ count: Int) -> String { String(format: "%.1f", bytes / Double(max(1, count))) }
        print(
            "written for each update: \(Int(written)) bytes, \(Int(plain)) of them without the index; "
                + "compactions of LevelDB included. A record has \(recordByteCount) bytes: "
                + "\(ratio(written, recordByteCount)) times as much is written for the document and its index, "
                + "\(ratio(written - plain, recordByteCount)) times for the index alone")
        let found = try photos.count(matching: try TextQuery(parsing: "fresh7"))
        let updated = min(updateCount, try photos.count())
        guard found == (updated + 992) / 1000 else { fatalError("an update is not found: \(found)") }
        for failure in reopened.textIndexFailures { fatalError("\(failure)") }
        try reopened.close()
    }

    /// - Returns: how many documents were loaded.
    static func load(_ lines: [Data.SubSequence], copies: Int, into store: DocumentStore) throws -> Int {
        try store.load(into: "photos") { writer in
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

    /// Builds the index of a store that has none.
    static func build(_ store: DocumentStore, _ clock: ContinuousClock) throws {
        // What a build cannot be quicker than, for it begins with documents as they are stored.
        let readStarted = processorTime()
        let read = try clock.measure { try store.collection("photos").forEach { _ in } }
        print("all documents read in \(seconds(read)) s (processor \(processorTime() - readStarted) s)")
        forgetPeakMemory()
        let before = memory("RssAnon")
        let sampler = MemorySampler()
        let started = processorTime()
        let build = try clock.measure { _ = try store.apply(indexed) }
        let built = processorTime()
        let optimize = try clock.measure { try store.optimizeTextIndexes() }
        print(
            "index built from stored documents in \(seconds(build)) s (processor \(built - started) s), made one segment "
                + "in \(seconds(optimize)) s (processor \(processorTime() - built) s), "
                + "peak memory \(memory("VmHWM") >> 20) MiB, without mapped files \(sampler.stop() >> 20) MiB, "
                + "of which \(before >> 20) MiB were taken before")
    }

    /// - Parameter took: gets the time of all updates.
    /// - Returns: the bytes that were written for each update.
    static func updates(
        _ store: DocumentStore, _ photos: DocumentCollection, _ clock: ContinuousClock, _ count: Int, _ word: String,
        took: (Duration) -> Void = { _ in }
    ) throws -> Double {
        var ids: [DocumentID] = []
        try photos.forEach { document in
            if ids.count < count { ids.append(document.id) }
        }
        var times: [Double] = []
        let written = writtenByteCount()
        let started = processorTime()
        let all = try clock.measure {
            for (number, id) in ids.enumerated() {
                let time = try clock.measure {
                    try photos.update(id) { document in
                        let old: String = if case .string(let title)? = document["title"] { title } else { "" }
                        document["title"] = .string("\(old) \(word)\(number % 1000)")
                    }
                }
                times.append(seconds(time) * 1e6)
            }
        }
        took(all)
        times.sort()
        print(
            "updates (\(word)) \(ids.count): mean \(Int(seconds(all) * 1e6 / Double(ids.count))) us "
                + "(processor \(Int((processorTime() - started) * 1e6 / Double(ids.count))) us), "
                + "median \(Int(times[times.count / 2])) us, 99 % \(Int(times[times.count * 99 / 100])) us, "
                + "max \(Int(times.last ?? 0)) us")
        return Double(writtenByteCount() - written) / Double(ids.count)
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

    /// Bytes that the process gave to the system to write, so far; 0 where that is not known.
    static func writtenByteCount() -> Int {
        let counters = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = counters.split(separator: "\n").first { $0.hasPrefix("wchar") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }

    /// Seconds of all processors that the process used.
    static func processorTime() -> Double { Double(Foundation.clock()) / Double(CLOCKS_PER_SEC) }

    /// Lets the peak begin anew.
    static func forgetPeakMemory() {
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }

    /// A number of bytes from what the system says of the process; 0 where that is not known.
    static func memory(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) << 10
    }
}

/// Looks every hundredth of a second how much memory the process has taken, mapped files aside: those belong to the system,
/// which takes them back when it needs room.
final class MemorySampler: Sendable {
    private let state = Mutex((peak: 0, isOver: false))

    init() {
        Thread.detachNewThread { [self] in
            while state.withLock({ !$0.isOver }) {
                let bytes = TextBench.memory("RssAnon")
                state.withLock { $0.peak = max($0.peak, bytes) }
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    /// The most that was seen.
    func stop() -> Int {
        state.withLock {
            $0.isOver = true
            return $0.peak
        }
    }
}
