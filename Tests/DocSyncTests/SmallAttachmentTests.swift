import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// Changes responses.
private final class AnsweringTransport: Transport {
    typealias Answer = @Sendable (SyncRequest) async throws -> SyncResponse?

    private let base: any Transport
    private let answer: Answer

    /// - Parameter answer: answers a request itself, or returns `nil` to pass it on.
    init(_ base: any Transport, _ answer: @escaping Answer) {
        self.base = base
        self.answer = answer
    }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        do {
            if let response = try await answer(request) { return response }
        } catch {
            throw TransportError(.malformed, peer: "the test", detail: "\(error)")
        }
        return try await base.send(request)
    }
}

/// Many documents with small attachments, which are transferred several at a time.
@Suite struct SmallAttachmentTests {
    private static func fill(
        _ group: SyncedStores, _ replica: Int, count: Int, size: Int, extra: Int? = nil
    ) throws {
        let store = group.stores[replica]
        for number in 0..<count {
            let name = "IMG_\(number).jpg"
            let content = try store.attachments.add(
                AttachedPhotos.bytes(size, seed: UInt64(number)), type: "image/jpeg", name: name)
            var document: DocumentObject = ["id": .string("p\(number)"), "original": .attachment(content)]
            if let extra {
                let thumbnail = try store.attachments.add(
                    AttachedPhotos.bytes(extra, seed: UInt64(1000 + number)), type: "image/jpeg", name: "t.jpg")
                document["thumbnail"] = .attachment(thumbnail)
            }
            try group.photos(replica).put(document)
        }
    }

    private static func expectEqual(_ group: SyncedStores, count: Int) throws {
        #expect(try group.leaves(0) == group.leaves(1))
        for (replica, store) in group.stores.enumerated() {
            #expect(try group.photos(replica).count() == count)
            for info in try store.attachments.list() { try store.attachments.check(info.digest) }
            try expectSound(store)
        }
    }

    private static func isMultipart(_ request: SyncRequest) -> Bool {
        request.fields["Accept"] == "multipart/mixed"
    }

    @Test(arguments: [true, false], [(20_000, 3000), (60_000, 40_000)])
    func `Small attachments take few requests`(isPull: Bool, sizes: (Int, Int)) async throws {
        try await withSyncedStores(2) { group in
            let source = isPull ? 1 : 0
            try Self.fill(group, source, count: 60, size: sizes.0, extra: sizes.1)
            var counting: CountingTransport?
            let status = try await group.sync(0, with: 1) { base in
                let transport = CountingTransport(base)
                counting = transport
                return transport
            }
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            try Self.expectEqual(group, count: 60)
            #expect((isPull ? status.pull : status.push).attachmentByteCount == Int64(60 * (sizes.0 + sizes.1)))
            let requests = try #require(counting).all
            let groupCount = 60 * (sizes.0 + sizes.1) / (700 << 10) + 2
            #expect(requests["POST \(isPull ? "_bulk_get" : "_bulk_docs")", default: 0] <= groupCount, "\(requests)")
            #expect(requests.keys.allSatisfy { !$0.contains(" p") }, "\(requests)")
        }
    }

    @Test(arguments: [true, false])
    func `Small attachments arrive over connections that break`(isPull: Bool) async throws {
        try await withSyncedStores(2) { group in
            try Self.fill(group, isPull ? 1 : 0, count: 100, size: 40_000, extra: 500)
            var random = TestRun.random(stream: 61)
            var hasEnded = false
            for _ in 0..<100 where !hasEnded {
                let seed = random.next()
                do {
                    let status = try await group.sync(0, with: 1) { base in
                        CuttingTransport(base, probability: 0.15, SplitMix64(seed: seed))
                    }
                    #expect(status.leftOut.isEmpty, "\(status.leftOut); \(TestRun.repetition)")
                    hasEnded = true
                } catch let error as TransportError where error.code == .cut {
                    // The attempts are used up; the next run continues.
                }
            }
            #expect(hasEnded)
            try Self.expectEqual(group, count: 100)
        }
    }

    @Test func `The part of a group that arrived before an interruption is not requested again`() async throws {
        try await withSyncedStores(2) { group in
            try Self.fill(group, 1, count: 20, size: 50_000)
            let byteCount = Mutex(0)
            let cuts = Mutex(0)
            let status = try await group.sync(0, with: 1) { base in
                AnsweringTransport(base) { request in
                    guard Self.isMultipart(request) else { return nil }
                    var response = try await base.send(request)
                    let body = try await response.body.collected(limit: 1 << 24)
                    byteCount.withLock { $0 += body.count }
                    let isCut = cuts.withLock { cuts in
                        cuts += 1
                        return cuts <= 5
                    }
                    guard isCut else {
                        response.body = .bytes(body)
                        return response
                    }
                    let parts = Mutex<[[UInt8]]>([Array(body.prefix(120_000))])
                    byteCount.withLock { $0 += 120_000 - body.count }
                    response.body = .stream(
                        ByteStream {
                            guard let part = parts.withLock({ $0.popLast() }) else {
                                throw TransportError(.cut, peer: "the test")
                            }
                            return part
                        })
                    return response
                }
            }
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            let cutCount = cuts.withLock { $0 }
            let sentByteCount = byteCount.withLock { $0 }
            #expect(cutCount > 5)
            // At most the content that was being sent comes twice.
            #expect(sentByteCount < 25 * 51_000)
            try Self.expectEqual(group, count: 20)
        }
    }

    @Test(arguments: [200, 400, 405, 406, 500])
    func `A peer that does not send documents with attachments gets a request for each attachment`(
        status: Int
    ) async throws {
        try await withSyncedStores(2) { group in
            try Self.fill(group, 1, count: 30, size: 40_000)
            let count = Mutex(0)
            let result = try await group.sync(0, with: 1) { base in
                AnsweringTransport(base) { request in
                    guard Self.isMultipart(request) else { return nil }
                    count.withLock { $0 += 1 }
                    return SyncResponse(
                        status: status, fields: ["Content-Type": "application/json"],
                        body: .bytes(Array(#"{"results":[]}"#.utf8)))
                }
            }
            #expect(result.leftOut.isEmpty, "\(result.leftOut)")
            // Groups that are under way at the same time find it out each; an error of the server may be passing.
            let requestCount = count.withLock { $0 }
            #expect((1...(status == 500 ? 9 : 3)).contains(requestCount))
            try Self.expectEqual(group, count: 30)
        }
    }

    @Test func `A peer that sends the wrong documents gets a request for each attachment`() async throws {
        try await withSyncedStores(2) { group in
            try Self.fill(group, 1, count: 30, size: 40_000)
            let other = MultipartBody(
                "related",
                [
                    MultipartBody.Part(
                        ["Content-Type": "application/json"],
                        .bytes(
                            Array(
                                #"{"_id":"q","_rev":"1-aa","_attachments":{"a":{"follows":true,"length":3}}}"#.utf8))),
                    MultipartBody.Part([:], .bytes([1, 2, 3])),
                ])
            let result = try await group.sync(0, with: 1) { base in
                AnsweringTransport(base) { request in
                    guard Self.isMultipart(request) else { return nil }
                    let message = MultipartBody(
                        "mixed", [MultipartBody.Part(["Content-Type": other.contentType], other.body)])
                    return SyncResponse(
                        status: 200, fields: ["Content-Type": message.contentType], body: message.body)
                }
            }
            #expect(result.leftOut.isEmpty, "\(result.leftOut)")
            #expect(try group.leaves(0) == group.leaves(1))
            #expect(try group.photos(0).count() == 30)
            for store in group.stores { try expectSound(store) }
        }
    }

    @Test func `If a peer sends the wrong attachment, only that document is left out`() async throws {
        try await withSyncedStores(2) { group in
            try Self.fill(group, 1, count: 10, size: 40_000)
            guard case .attachment(let damaged)? = try group.photos(1).document("p4")?.content["original"] else {
                Issue.record("no attachment")
                return
            }
            let name = damaged.digest.description
            let path = "\(group.directory)/1.store/attachments/\(name.prefix(2))/\(name)"
            try TestFiles.write(AttachedPhotos.bytes(40_000, seed: 99), to: path)
            let status = try await group.sync(0, with: 1)
            #expect(status.leftOut.keys.sorted() == ["p4"], "\(status.leftOut)")
            #expect(try group.photos(0).count() == 9)
            try expectSound(group.stores[0])
            // It is asked for again by the next run, once the peer has it.
            try TestFiles.write(AttachedPhotos.bytes(40_000, seed: 4), to: path)
            let next = try await group.sync(0, with: 1)
            #expect(next.leftOut.isEmpty, "\(next.leftOut)")
            try Self.expectEqual(group, count: 10)
        }
    }

    @Test(arguments: [400, 412, 413, 500])
    func `One refused document does not keep back others in the same request`(status: Int) async throws {
        try await withSyncedStores(2) { group in
            try Self.fill(group, 0, count: 12, size: 20_000)
            let result = try await group.sync(0, with: 1) { base in
                AnsweringTransport(base) { request in
                    guard request.target.hasSuffix("_bulk_docs") else { return nil }
                    let body = try await request.body.collected(limit: 1 << 24)
                    guard String(decoding: body, as: UTF8.self).contains(#""_id":"p7""#) else { return nil }
                    return SyncResponse(
                        status: status, body: .bytes(Array(#"{"error":"refused","reason":"p7"}"#.utf8)))
                }
            }
            #expect(result.leftOut.keys.sorted() == ["p7"], "\(result.leftOut)")
            #expect(result.push.writtenCount == 11)
            #expect(result.push.attachmentByteCount == 11 * 20_000)
            #expect(try group.photos(1).count() == 11)
            for store in group.stores { try expectSound(store) }
        }
    }

    @Test func `Received attachments are stored before there are many`() async throws {
        try await withSyncedStores(1) { group in
            let store = group.stores[0]
            let unstored = UnstoredContents(ContentQueue(of: store))
            let receiver = AttachmentReceiver(into: ContentQueue(of: store), collectingIn: unstored)
            // Files, which stay open, and attachments in memory.
            for (size, count) in [(40_000, 150), (30_000, 300)] {
                for number in 0..<count {
                    let bytes = AttachedPhotos.bytes(size, seed: UInt64(size + number))
                    _ = try await receiver.add(
                        ByteStream([bytes]), of: WireAttachment("a", type: "image/jpeg", byteCount: Int64(size)))
                    let received = number + 1 + (size == 30_000 ? 150 : 0)
                    #expect(try received - store.attachments.census().count <= 70)
                }
            }
            try await unstored.store()
            #expect(try store.attachments.census().count == 450)
        }
    }
}
