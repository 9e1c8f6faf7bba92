import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// A connection that breaks off each time that some bytes of answers have arrived.
private final class FragileAnswers: Transport {
    /// The chunks of an answer up to a break.
    private struct Chunks: AsyncSequence, AsyncIteratorProtocol {
        let owner: FragileAnswers
        var base: ByteStream.Iterator
        var isCut = false

        func makeAsyncIterator() -> Chunks { self }

        mutating func next() async throws -> [UInt8]? {
            if isCut { throw TransportError(.cut, peer: "the peer") }
            guard let chunk = try await base.next() else { return nil }
            let count = owner.points.withLock { $0.pass(chunk.count) }
            isCut = count < chunk.count
            return Array(chunk.prefix(count))
        }
    }

    private struct Answer: AsyncSequence, Sendable {
        let owner: FragileAnswers
        let body: ByteStream

        func makeAsyncIterator() -> Chunks { Chunks(owner: owner, base: body.makeAsyncIterator()) }
    }

    private let base: any Transport
    private let points: Mutex<BreakPoints>

    init(_ base: any Transport, breakingAfter range: Range<Int>, limit: Int = .max) {
        self.base = base
        points = Mutex(BreakPoints(after: range, limit: limit, stream: 241))
    }

    var counts: (bytes: Int, breaks: Int) { points.withLock { ($0.byteCount, $0.breakCount) } }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        var response = try await base.send(request)
        response.body = .stream(ByteStream(Answer(owner: self, body: response.body.chunks)))
        return response
    }
}

/// A pull over a connection that breaks off keeps what has arrived, and asks for less at once.
@Suite struct FragilePullTests {
    private static func fill(_ store: DocumentStore, count: Int, size: Int) throws {
        for number in 0..<count {
            let content = try store.attachments.add(
                AttachedPhotos.bytes(size, seed: UInt64(number)), type: "image/jpeg", name: "IMG_\(number).jpg")
            try store.collection("photos").put([
                "id": .string("p\(number)"), "original": .attachment(content),
                "title": .string(String(repeating: "word\(number % 97) ", count: 100)),
            ])
        }
    }

    private static func pull(breakingAfter range: Range<Int>) async throws -> (bytes: Int, breaks: Int) {
        let result = Mutex((bytes: 0, breaks: 0))
        try await withSyncedStores(2) { group in
            try fill(group.stores[1], count: 600, size: 20_000)
            let transports = Mutex<[FragileAnswers]>([])
            let status = try await group.sync(0, with: 1) { base in
                let transport = FragileAnswers(base, breakingAfter: range)
                transports.withLock { $0.append(transport) }
                return transport
            }
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            #expect(try group.leaves(0) == group.leaves(1))
            for info in try group.stores[0].attachments.list() { try group.stores[0].attachments.check(info.digest) }
            for transport in transports.withLock({ $0 }) { result.withLock { $0 = transport.counts } }
        }
        return result.withLock { $0 }
    }

    @Test func `A connection that breaks off within each megabyte costs little more than a sound one`() async throws {
        let sound = try await Self.pull(breakingAfter: 0..<0)
        #expect(sound.breaks == 0 && sound.bytes > 12_000_000)
        let fragile = try await Self.pull(breakingAfter: 300_000..<900_000)
        #expect(fragile.breaks > 10, "\(TestRun.repetition)")
        #expect(Double(fragile.bytes) < 1.1 * Double(sound.bytes), "\(fragile) \(sound); \(TestRun.repetition)")
    }

    @Test func `After a few breaks, attachments come in groups again`() async throws {
        try await withSyncedStores(2) { group in
            try Self.fill(group.stores[1], count: 200, size: 100_000)
            let transports = Mutex<(counting: CountingTransport, fragile: FragileAnswers)?>(nil)
            _ = try await group.sync(0, with: 1) { base in
                let fragile = FragileAnswers(base, breakingAfter: 200_000..<400_000, limit: 5)
                let counting = CountingTransport(fragile)
                transports.withLock { $0 = (counting, fragile) }
                return counting
            }
            #expect(try group.leaves(0) == group.leaves(1))
            let (counting, fragile) = try #require(transports.withLock { $0 })
            #expect(fragile.counts.breaks == 5)
            let aloneCount = counting.all.filter { $0.key.contains(" p") }.values.reduce(0, +)
            #expect(aloneCount < 60, "\(counting.all); \(TestRun.repetition)")
        }
    }
}
