import DocIndex
import Foundation
import Harness
import Synchronization

/// How long single reads take while a store that is in use gains an index and changes another: two threads read, one
/// writes, and the schema is applied on a fourth.
///
/// There is no peer: SQLite's `CREATE INDEX` holds the writers for as long as it takes.
struct OnlineBuild {
    let records: Records
    let count: Int
    let directory: String

    private static let collection = "records"
    private static let old = schema(byYear: .value("byYear", on: "year"), others: [])
    private static let new = schema(
        byYear: .value("byYear", on: "year", "creator"), others: [.value("keywords", on: "keywords[]", sparse: true)])

    private static func schema(byYear: IndexDefinition, others: [IndexDefinition]) -> Schema {
        Schema(collections: [CollectionDefinition(collection, indexes: [byYear] + others)])
    }

    func run() throws {
        let store = try DocumentStore.open(at: directory + "/online", schema: Self.old)
        let texts = try LineReader(path: records.path, count: count).rest()
        let documents = try texts.map(DocIndexSide.prepare)
        for start in stride(from: 0, to: documents.count, by: 1000) {
            try store.write { transaction in
                for content in documents[start..<min(start + 1000, documents.count)] {
                    try transaction.put(content, in: Self.collection)
                }
            }
        }
        let ids = try texts.map { DocumentID.string(try SQLiteSide.prepare($0).id) }
        let collection = try store.collection(Self.collection)
        let times = Times()
        let isEnding = Atomic(false)
        let threads = (0..<3).map { thread in
            let end = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                defer { end.signal() }
                var random = SplitMix64(state: UInt64(thread))
                while !isEnding.load(ordering: .relaxed) {
                    let id = ids[Int(random.next() % UInt64(ids.count))]
                    do {
                        switch thread {
                        case 0: try times.measure(.get) { _ = try collection.document(id) }
                        case 1:
                            let year = Int64(1700 + random.next() % 300)
                            try times.measure(.find) {
                                _ = try collection.find(Query(.compare("year", .equal, .int(year)), limit: 20))
                            }
                        default:
                            try times.measure(.write) {
                                try collection.update(id) { $0["checked"] = .int(Int64(random.next() % 1000)) }
                            }
                        }
                    } catch {
                        times.fail(error)
                    }
                }
            }
            return end
        }
        Thread.sleep(forTimeInterval: 2)
        times.begin(.during)
        let duration = try ContinuousClock().measure { try store.apply(Self.new) }
        times.begin(.after)
        isEnding.store(true, ordering: .relaxed)
        for end in threads { end.wait() }
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        say("an index added and one changed over \(count) documents in \(String(format: "%.2f", seconds)) s\n")
        say(times.description)
        guard
            try collection.count(where: .compare("year", .equal, .int(1900)))
                == documents.count(where: { $0["year"] == .int(1900) })
        else { throw BenchmarkError("the changed index does not answer as the documents do") }
        try store.close()
    }
}

/// The times of single operations by kind and phase, kept by threads at once.
private final class Times: Sendable {
    enum Kind: Int, CaseIterable { case get, find, write }
    enum Phase: Int, CaseIterable { case before, during, after }

    private struct State {
        var phase = Phase.before
        var milliseconds: [Kind: [Phase: [Double]]] = [:]
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    func begin(_ phase: Phase) { state.withLock { $0.phase = phase } }

    func fail(_ error: any Error) { state.withLock { $0.failure = $0.failure ?? error } }

    func measure(_ kind: Kind, _ body: () throws -> Void) throws {
        let phase = state.withLock(\.phase)
        let duration = try ContinuousClock().measure(body)
        let milliseconds = Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
        state.withLock { $0.milliseconds[kind, default: [:]][phase, default: []].append(milliseconds) }
    }

    var description: String {
        state.withLock { state in
            var text = "operation   phase     count   median ms   99.9 % ms   longest ms   over 50 ms\n"
            for kind in Kind.allCases {
                for phase in [Phase.before, .during] {
                    let sorted = (state.milliseconds[kind]?[phase] ?? []).sorted()
                    guard !sorted.isEmpty else { continue }
                    let numbers = [
                        sorted[sorted.count / 2], sorted[min(sorted.count - 1, sorted.count * 999 / 1000)],
                        sorted[sorted.count - 1],
                    ].map { String(format: "%11.3f", $0) }.joined(separator: " ")
                    let name = "\(kind)".padding(toLength: 12, withPad: " ", startingAt: 0)
                    let when = "\(phase)".padding(toLength: 8, withPad: " ", startingAt: 0)
                    let slow = sorted.count { $0 > 50 }
                    text +=
                        "\(name)\(when)\(String(format: "%7d", sorted.count)) \(numbers) \(String(format: "%12d", slow))\n"
                }
            }
            if let failure = state.failure { text += "an operation failed: \(failure)\n" }
            return text
        }
    }
}
