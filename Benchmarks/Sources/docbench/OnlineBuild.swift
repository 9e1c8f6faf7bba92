import DocIndex
import Foundation
import Harness
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

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
                let queue = ProcessorQueue()
                var random = SplitMix64(state: UInt64(thread))
                while !isEnding.load(ordering: .relaxed) {
                    let id = ids[Int(random.next() % UInt64(ids.count))]
                    do {
                        switch thread {
                        case 0: try times.measure(.get, queue) { _ = try collection.document(id) }
                        case 1:
                            let year = Int64(1700 + random.next() % 300)
                            try times.measure(.find, queue) {
                                _ = try collection.find(Query(.compare("year", .equal, .int(year)), limit: 20))
                            }
                        default:
                            try times.measure(.write, queue) {
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

/// How long a thread has waited for a processor although it could have run: the fault of how many threads there are, not
/// of the store.
private struct ProcessorQueue: ~Copyable {
    private let descriptor = open("/proc/thread-self/schedstat", O_RDONLY)

    deinit { _ = close(descriptor) }

    /// Milliseconds since the thread began; always 0 where the system does not count them. Only Linux does, in the
    /// second number of `/proc/thread-self/schedstat`, in nanoseconds.
    var milliseconds: Double {
        guard descriptor >= 0 else { return 0 }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let fields = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? (Double(fields[1]) ?? 0) / 1e6 : 0
    }
}

/// The times of single operations by kind and phase, kept by threads at once.
private final class Times: Sendable {
    enum Kind: Int, CaseIterable { case get, find, write }
    enum Phase: Int, CaseIterable { case before, during, after }

    private struct Time {
        var milliseconds: Double
        /// Without the wait for a processor.
        var own: Double
    }

    private struct State {
        var phase = Phase.before
        var times: [Kind: [Phase: [Time]]] = [:]
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    func begin(_ phase: Phase) { state.withLock { $0.phase = phase } }

    func fail(_ error: any Error) { state.withLock { $0.failure = $0.failure ?? error } }

    func measure(_ kind: Kind, _ queue: borrowing ProcessorQueue, _ body: () throws -> Void) throws {
        let phase = state.withLock(\.phase)
        let waited = queue.milliseconds
        let duration = try ContinuousClock().measure(body)
        let milliseconds = Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
        let own = max(0, milliseconds - (queue.milliseconds - waited))
        state.withLock {
            $0.times[kind, default: [:]][phase, default: []].append(Time(milliseconds: milliseconds, own: own))
        }
    }

    /// In milliseconds. Behind the line: the same without the wait for one of the processors, which are fewer than the
    /// threads.
    var description: String {
        state.withLock { state in
            var text =
                "                                                                   without waiting for a processor\n"
                + "operation   phase     count    median    99.9 %   longest  over 50 |    99.9 %   longest  over 50\n"
            for kind in Kind.allCases {
                for phase in [Phase.before, .during] {
                    guard let times = state.times[kind]?[phase] else { continue }
                    let all = times.map(\.milliseconds).sorted()
                    let own = times.map(\.own).sorted()
                    text += "\(kind)".padding(toLength: 12, withPad: " ", startingAt: 0)
                    text += "\(phase)".padding(toLength: 8, withPad: " ", startingAt: 0)
                    text += String(format: "%7d%10.3f", all.count, all[all.count / 2])
                    text += Self.tail(of: all) + " |" + Self.tail(of: own) + "\n"
                }
            }
            if let failure = state.failure { text += "an operation failed: \(failure)\n" }
            return text
        }
    }

    /// What the slowest of some sorted times took, of which there is at least one.
    private static func tail(of sorted: [Double]) -> String {
        String(
            format: "%10.3f%10.3f%9d", sorted[min(sorted.count - 1, sorted.count * 999 / 1000)],
            sorted[sorted.count - 1], sorted.count { $0 > 50 })
    }
}
