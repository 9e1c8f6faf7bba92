import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// Counts the bytes of the bodies of requests and responses.
private final class MeasuringTransport: Transport {
    private let base: any Transport
    let byteCount = Mutex(0)

    init(_ base: any Transport) { self.base = base }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        byteCount.withLock { $0 += Int(request.body.byteCount ?? 0) }
        let response = try await base.send(request)
        byteCount.withLock { $0 += Int(response.body.byteCount ?? 0) }
        return response
    }
}

/// A peer of which a client sent the text `t.txt` compressed. Like CouchDB, it states the length and the digest of the
/// compressed content, and returns either form.
private struct PackingTransport: Transport {
    let base: any Transport
    let byteCount: Int
    let packed: [UInt8]
    let digest: String

    /// - Parameter isRight: whether the stated digest is that of what is returned.
    init(base: any Transport, _ content: [UInt8], isRight: Bool) {
        self.base = base
        byteCount = content.count
        packed = Self.packed(content)
        var md5 = MD5Hash()
        md5.update(isRight ? packed : content)
        digest = "md5-" + Base64.text(of: md5.digest)
    }

    /// A gzip stream without compression (RFC 1951, section 3.2.4).
    private static func packed(_ content: [UInt8]) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
            unsafe withUnsafeBytes(of: value.littleEndian) { unsafe Array($0) }
        }
        var packed: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
        for start in stride(from: 0, to: content.count, by: 50_000) {
            let block = content[start..<min(start + 50_000, content.count)]
            packed.append(block.endIndex == content.count ? 1 : 0)
            packed += bytes(UInt16(block.count)) + bytes(~UInt16(block.count)) + block
        }
        var checksum = GzipReader.CRC32()
        checksum.update(content)
        return packed + bytes(checksum.value) + bytes(UInt32(content.count))
    }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        var response = try await base.send(request)
        guard let body = try? await response.body.collected(limit: 1 << 30) else {
            throw TransportError(.cut, peer: "the other store")
        }
        response.fields["Content-Length"] = nil
        guard request.target.contains("/t.txt") else {
            let text = String(decoding: body, as: UTF8.self).replacing(
                "\"length\":\(byteCount)", with: "\"length\":\(packed.count),\"digest\":\"\(digest)\"")
            response.body = .bytes(Array(text.utf8))
            return response
        }
        response.fields["Accept-Ranges"] = "none"
        let isPacked = request.fields["Accept-Encoding"] == "gzip"
        response.fields["Content-Encoding"] = isPacked ? "gzip" : nil
        let parts = Mutex([isPacked ? packed : body])
        response.body = .stream(ByteStream { parts.withLock { $0.popLast() } })
        return response
    }
}

struct AttachmentReplicationTests {
    private func content(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private func photo(
        _ id: String, _ store: DocumentStore, sizes: [Int], seed: UInt64 = 1, title: String = "fog"
    ) throws -> DocumentObject {
        var photo: DocumentObject = ["id": .string(id), "title": .string(title)]
        for (number, size) in sizes.enumerated() {
            let added = try store.attachments.add(
                content(size, seed: seed + UInt64(number)), type: "image/jpeg", name: "\(id)-\(number).jpg")
            photo["file\(number)"] = .attachment(added)
        }
        return photo
    }

    @Test(arguments: [true, false])
    func `Documents bring their attachments, small and large`(isPull: Bool) async throws {
        try await withSyncedStores(2) { group in
            let source = isPull ? 1 : 0
            let store = group.stores[source]
            try group.photos(source).put(photo("a", store, sizes: [10, 3000]))
            try group.photos(source).put(photo("b", store, sizes: [700_000, 5]))
            try group.photos(source).put(photo("c", store, sizes: [0, 2_000_000], seed: 9))
            try group.photos(source).put(["id": "d", "title": "none"])
            let status = try await group.sync(0, with: 1)
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            #expect(try group.leaves(0) == group.leaves(1))
            for id in ["a", "b", "c"] as [DocumentID] {
                let document = try #require(try group.photos(1 - source).document(id)?.content)
                for case .attachment(let attachment) in document.map(\.value) {
                    #expect(
                        try group.stores[1 - source].attachments.bytes(of: attachment)
                            == store.attachments.bytes(of: attachment))
                }
            }
            for store in group.stores { try expectSound(store) }
        }
    }

    @Test(arguments: [true, false])
    func `Names that differ only in their Unicode form are different attachments`(isPull: Bool) async throws {
        try await withSyncedStores(2) { group in
            let source = isPull ? 1 : 0
            let store = group.stores[source]
            var document: DocumentObject = ["id": "a"]
            for (number, name) in ["u\u{308}.jpg", "\u{fc}.jpg"].enumerated() {
                let added = try store.attachments.add(
                    content(100, seed: UInt64(number)), type: "image/jpeg", name: name)
                document["file\(number)"] = .attachment(added)
            }
            try group.photos(source).put(document)
            let status = try await group.sync(0, with: 1)
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            #expect(try group.leaves(0) == group.leaves(1))
            #expect(try group.photos(1 - source).document("a")?.content == document)
        }
    }

    @Test(arguments: [true, false])
    func `A new title does not transfer the photo again`(isPull: Bool) async throws {
        try await withSyncedStores(2) { group in
            let (source, target) = isPull ? (1, 0) : (0, 1)
            try group.photos(source).put(photo("a", group.stores[source], sizes: [1_000_000]))
            try await group.sync(0, with: 1)
            var document = try #require(try group.photos(source).document("a")?.content)
            document["title"] = "Fog over the bay"
            try group.photos(source).put(document)
            var meter: MeasuringTransport?
            let status = try await group.sync(0, with: 1) { base in
                let measuring = MeasuringTransport(base)
                meter = measuring
                return measuring
            }
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            #expect(try group.photos(target).document("a")?.content["title"] == "Fog over the bay")
            #expect(try #require(meter).byteCount.withLock { $0 } < 10_000)
            // The other side edits what it got.
            var other = try #require(try group.photos(target).document("a")?.content)
            other["title"] = "Fog"
            try group.photos(target).put(other)
            let back = try await group.sync(0, with: 1) { base in
                let measuring = MeasuringTransport(base)
                meter = measuring
                return measuring
            }
            #expect(back.leftOut.isEmpty, "\(back.leftOut)")
            #expect(try #require(meter).byteCount.withLock { $0 } < 10_000)
            #expect(try group.leaves(0) == group.leaves(1))
            for store in group.stores { try expectSound(store) }
        }
    }

    @Test func `An attachment continues where a connection broke`() async throws {
        try await withSyncedStores(2) { group in
            for n in 0..<5 {
                try group.photos(1).put(photo("p\(n)", group.stores[1], sizes: [1_500_000], seed: UInt64(n)))
            }
            var random = TestRun.random(stream: 7)
            let seed = random.next()
            // With so many cuts, one request in 300 fails six times in a row.
            let status = try await group.sync(0, with: 1, attemptLimit: nil) { base in
                CuttingTransport(base, probability: 0.15, SplitMix64(seed: seed))
            }
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            #expect(try group.leaves(0) == group.leaves(1))
            for store in group.stores { try expectSound(store) }
        }
    }

    @Test func `Attachments that another program added come, stay and go back under their names`() async throws {
        try await withSyncedStores(2) { group in
            let server = try SyncServer(group.stores[1], options: SyncServer.Options(collections: ["photos"]))
            let text =
                #"{"new_edits":false,"docs":[{"_id":"x","_rev":"1-abc","_attachments":{"a note.txt":{"content_type":"text/plain","data":"aGVsbG8="}},"n":1}]}"#
            let response = await server.respond(
                to: SyncRequest(.post, "/photos/_bulk_docs", body: .bytes(Array(text.utf8))))
            #expect(response.status == 201)
            #expect(try await response.body.collected(limit: 1000) == Array("[]\n".utf8))
            try await group.sync(0, with: 1)
            #expect(try group.leaves(0) == group.leaves(1))
            var document = try #require(try group.photos(0).document("x")?.content)
            document["n"] = 2
            try group.photos(0).put(document)
            let status = try await group.sync(0, with: 1)
            #expect(status.leftOut.isEmpty, "\(status.leftOut)")
            let content = await server.respond(to: SyncRequest(.get, "/photos/x/a%20note.txt"))
            #expect(content.status == 200)
            #expect(try await content.body.collected(limit: 1000) == Array("hello".utf8))
            #expect(try group.photos(1).document("x")?.content["n"] == 2)
            for store in group.stores { try expectSound(store) }
        }
    }

    @Test(arguments: [true, false])
    func `A text whose compressed length is stated comes if its digest is right`(isRight: Bool) async throws {
        try await withSyncedStores(2) { group in
            let text = Array(repeating: Array("fog over the bridge\n".utf8), count: 40_000).flatMap(\.self)
            let added = try group.stores[1].attachments.add(text, type: "text/plain", name: "t.txt")
            try group.photos(1).put(["id": "a", "_attachments": ["t.txt": .attachment(added)]])
            let status = try await group.sync(0, with: 1) { PackingTransport(base: $0, text, isRight: isRight) }
            #expect(status.leftOut.keys.sorted() == (isRight ? [] : ["a"]), "\(status.leftOut)")
            if isRight { #expect(try group.leaves(0) == group.leaves(1)) }
            try expectSound(group.stores[0])
        }
    }

    /// A peer that refuses a document with attachments by a status that usually concerns the credentials.
    private struct UnauthorizedTransport: Transport {
        let base: any Transport

        func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
            guard request.method == .put, request.target.contains("/refused") else {
                return try await base.send(request)
            }
            return .json(["error": "unauthorized", "reason": "by a rule"], status: 401)
        }
    }

    @Test func `A document that a rule refuses as unauthorized is named, and the others are pushed`() async throws {
        try await withSyncedStores(2) { group in
            for id in ["a", "refused", "z"] {
                try group.photos(0).put(photo(id, group.stores[0], sizes: [500_000]))
            }
            let status = try await group.sync(0, with: 1) { UnauthorizedTransport(base: $0) }
            #expect(status.leftOut.keys.sorted() == ["refused"], "\(status.leftOut)")
            #expect(status.leftOut["refused"]?.code == .refused)
            #expect(try group.photos(1).count() == 2)
        }
    }

    @Test func `A document whose attachment is missing is named, and the others come`() async throws {
        try await withSyncedStores(2) { group in
            try group.photos(1).put(photo("a", group.stores[1], sizes: [500_000]))
            try group.photos(1).put(photo("b", group.stores[1], sizes: [400_000], seed: 5))
            guard case .attachment(let lost)? = try group.photos(1).document("a")?.content["file0"] else { return }
            let path = "\(group.directory)/1.store/attachments/\(String("\(lost.digest)".prefix(2)))/\(lost.digest)"
            try TestFiles.remove(path)
            let status = try await group.sync(0, with: 1)
            #expect(status.leftOut.keys.sorted() == ["a"])
            #expect(try group.photos(0).count() == 1)
            try expectSound(group.stores[0])
        }
    }
}
