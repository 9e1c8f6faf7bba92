import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// A connection that breaks off each time that some bytes were sent.
private final class FragileTransport: Transport {
    private let base: any Transport
    private let points: Mutex<BreakPoints>

    init(_ base: any Transport, breakingAfter range: Range<Int>) {
        self.base = base
        points = Mutex(BreakPoints(after: range, stream: 240))
    }

    var sentByteCount: Int { points.withLock { $0.byteCount } }
    var breakCount: Int { points.withLock { $0.breakCount } }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        let byteCount = Int(clamping: request.body.byteCount ?? 0)
        let isCut = points.withLock { $0.pass(byteCount) < byteCount }
        if isCut { throw TransportError(.cut, peer: "the peer") }
        return try await base.send(request)
    }
}

/// A push over a connection that breaks off makes its requests smaller.
@Suite struct FragilePushTests {
    private static func push(breakingAfter range: Range<Int>) async throws -> (sent: Int, breaks: Int) {
        let result = Mutex((sent: 0, breaks: 0))
        try await withSyncedStores(2) { group in
            try group.stores[0].load(into: "photos") { writer in
                for n in 0..<8000 {
                    let title = String(repeating: "word\(n % 97) ", count: 140)
                    try writer.put(["id": .string("p\(n)"), "n": .int(Int64(n)), "title": .string(title)])
                }
            }
            var options = Replicator.Options()
            options.pulls = false
            let transports = Mutex<[FragileTransport]>([])
            try await group.replicator(0, with: 1, options: options) { base in
                let transport = FragileTransport(base, breakingAfter: range)
                transports.withLock { $0.append(transport) }
                return transport
            }.run()
            #expect(try group.leaves(1) == group.leaves(0))
            for transport in transports.withLock({ $0 }) {
                result.withLock { $0 = (transport.sentByteCount, transport.breakCount) }
            }
        }
        return result.withLock { $0 }
    }

    @Test func `A connection that breaks off within each megabyte costs little more than a sound one`() async throws {
        let sound = try await Self.push(breakingAfter: 0..<0)
        #expect(sound.breaks == 0 && sound.sent > 6_000_000)
        let fragile = try await Self.push(breakingAfter: 300_000..<900_000)
        #expect(fragile.breaks > 2, "\(TestRun.repetition)")
        #expect(Double(fragile.sent) < 1.6 * Double(sound.sent), "\(fragile) \(sound); \(TestRun.repetition)")
    }

    @Test func `The size of requests is halved down to a limit, and grows again`() {
        let size = BodySize()
        #expect(size.limit == .max)
        size.shrink(below: 1 << 20)
        #expect(size.limit == 1 << 19)
        for _ in 0..<10 { size.shrink(below: 1 << 20) }
        #expect(size.limit == BodySize.smallest)
        for _ in 0..<3 { size.grow() }
        #expect(size.limit == BodySize.smallest + 3 * BodySize.step)
    }
}
