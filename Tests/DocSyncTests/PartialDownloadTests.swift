import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// A connection over which no attachment arrives any more after some bytes.
private final class EndingTransport: Transport {
    private let base: any Transport
    private let room: Mutex<Int>
    /// The number of bytes of attachments that have arrived.
    let byteCount = Mutex(0)

    init(_ base: any Transport, after room: Int) {
        self.base = base
        self.room = Mutex(room)
    }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        var response = try await base.send(request)
        guard request.method == .get, request.target.contains(".jpg") else { return response }
        guard let body = try? await response.body.collected(limit: 1 << 30) else {
            throw TransportError(.cut, peer: "the other store")
        }
        let kept = room.withLock { room in
            defer { room -= min(room, body.count) }
            return min(room, body.count)
        }
        byteCount.withLock { $0 += kept }
        let isWhole = kept == body.count
        let parts = Mutex<[[UInt8]]>([Array(body[..<kept])])
        response.body = .stream(
            ByteStream {
                if let part = parts.withLock({ $0.popLast() }) { return part }
                if isWhole { return nil }
                throw TransportError(.cut, peer: "the other store")
            })
        return response
    }
}

/// What has arrived of a large attachment is kept when a replication ends, and need not be sent again.
@Suite struct PartialDownloadTests {
    private static let size = 3_000_000

    private static func content(seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Pulls a photo until the connection ends after two thirds of it, changes what has arrived, and pulls again.
    ///
    /// - Parameter change: takes the path of what has arrived.
    /// - Returns: the number of bytes of the attachment that arrived with the second pull.
    private static func secondByteCount(_ change: @escaping @Sendable (String) throws -> Void) async throws -> Int {
        let result = Mutex(0)
        try await withSyncedStores(2) { group in
            let content = content(seed: 3)
            let original = try group.stores[1].attachments.add(content, type: "image/jpeg", name: "p.jpg")
            try group.photos(1).put(["id": "p", "original": .attachment(original)])
            let first = try await group.sync(0, with: 1) { EndingTransport($0, after: 2_000_000) }
            #expect(Array(first.leftOut.keys) == ["p"])
            #expect(try group.photos(0).count() == 0)
            let new = "\(group.directory)/0.store/attachments/new"
            let names = try FileManager.default.contentsOfDirectory(atPath: new)
            #expect(names.count == 1)
            // As another process would open it.
            try group.stores[0].close()
            try change("\(new)/\(#require(names.first))")
            group.stores[0] = try DocumentStore.open(
                at: "\(group.directory)/0.store", schema: SyncedStores.schema)
            let transport = Mutex<EndingTransport?>(nil)
            let status = try await group.sync(0, with: 1) { base in
                let ending = EndingTransport(base, after: .max)
                transport.withLock { $0 = ending }
                return ending
            }
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            #expect(try group.stores[0].attachments.bytes(of: original) == content)
            #expect(try FileManager.default.contentsOfDirectory(atPath: new) == [])
            for store in group.stores { try expectSound(store) }
            let ending = try #require(transport.withLock { $0 })
            result.withLock { $0 = ending.byteCount.withLock { $0 } }
        }
        return result.withLock { $0 }
    }

    @Test func `The next pull continues an attachment`() async throws {
        #expect(try await Self.secondByteCount { _ in } <= Self.size - 1_500_000)
    }

    @Test func `Damaged attachments are transferred again`() async throws {
        let byteCount = try await Self.secondByteCount { path in
            var kept = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
            kept[100_000] ^= 1
            try Data(kept).write(to: URL(fileURLWithPath: path))
        }
        #expect(byteCount >= Self.size)
    }

    @Test(arguments: [0, size, size + 10_000])
    func `A part may have any size`(size: Int) async throws {
        _ = try await Self.secondByteCount { path in
            try Data(Self.content(seed: 3) + [UInt8](repeating: 7, count: 10_000)).prefix(size)
                .write(to: URL(fileURLWithPath: path))
        }
    }

    @Test func `A link in the place of the part is not followed`() async throws {
        let other = try withTemporaryDirectory { $0 } + "-other"
        defer { try? FileManager.default.removeItem(atPath: other) }
        for isHard in [true, false] {
            try Data("mine".utf8).write(to: URL(fileURLWithPath: other))
            _ = try await Self.secondByteCount { path in
                try FileManager.default.removeItem(atPath: path)
                if isHard {
                    try FileManager.default.linkItem(atPath: other, toPath: path)
                } else {
                    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
                }
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == Data("mine".utf8))
        }
    }

    @Test func `Two documents with the same attachment arrive at the same time`() async throws {
        try await withSyncedStores(2) { group in
            let content = Self.content(seed: 4)
            for id in ["a", "b", "c"] {
                let original = try group.stores[1].attachments.add(content, type: "image/jpeg", name: "\(id).jpg")
                try group.photos(1).put(["id": .string(id), "original": .attachment(original)])
            }
            let status = try await group.sync(0, with: 1)
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            #expect(try group.leaves(0) == group.leaves(1))
            for store in group.stores { try expectSound(store) }
        }
    }
}
