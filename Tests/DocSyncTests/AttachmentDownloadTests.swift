import DocSync
import Synchronization
import TestSupport
import Testing

@Suite struct AttachmentDownloadTests {
    /// Returns an attachment, and cuts responses after some bytes.
    private final class CuttingPeer: Sendable {
        let content: [UInt8]
        let hasRanges: Bool
        /// The bytes of each response until it is cut; all further ones are whole.
        let cuts: Mutex<[Int]>
        let requests = Mutex<[HeaderFields]>([])
        let tag = Mutex<String?>("\"a\"")

        init(_ content: [UInt8], cuts: [Int], hasRanges: Bool = true) {
            self.content = content
            self.cuts = Mutex(cuts)
            self.hasRanges = hasRanges
        }

        func respond(_ fields: HeaderFields) -> SyncResponse {
            requests.withLock { $0.append(fields) }
            var response = SyncResponse(status: 200)
            var rest = content[...]
            if hasRanges, let range = fields["Range"], let start = Int(range.dropFirst(6).dropLast()) {
                response.status = 206
                rest = content[start...]
                response.fields["Content-Range"] = "bytes \(start)-\(content.count - 1)/\(content.count)"
            }
            response.fields["Content-Length"] = "\(rest.count)"
            response.fields["ETag"] = tag.withLock { $0 }
            let chunks = rest.map { [$0] }
            guard let cut = cuts.withLock({ $0.isEmpty ? nil : $0.removeFirst() }), cut < chunks.count else {
                response.body = .stream(ByteStream(chunks))
                return response
            }
            let position = Mutex(0)
            response.body = .stream(
                ByteStream {
                    let next = position.withLock { position in
                        position += 1
                        return position - 1
                    }
                    guard next < cut else { throw TransportError(.cut, peer: "the peer") }
                    return chunks[next]
                })
            return response
        }
    }

    private static func read(_ peer: CuttingPeer, attemptLimit: Int = 3) async throws -> [UInt8] {
        try await within {
            let download = try await AttachmentDownload(attemptLimit: attemptLimit, wait: { _ in }) { peer.respond($0) }
            var bytes: [UInt8] = []
            for try await piece in download { bytes += piece }
            return bytes
        }
    }

    @Test func `A download interrupted at any byte is resumed, with and without range requests`() async throws {
        let content = AttachedPhotos.bytes(20, seed: 1)
        for hasRanges in [true, false] {
            for first in 0..<content.count {
                for second in [0, 1, 7] {
                    let peer = CuttingPeer(content, cuts: [first, second], hasRanges: hasRanges)
                    #expect(try await Self.read(peer) == content)
                    let ranges = peer.requests.withLock { $0.map { $0["Range"] } }
                    #expect(ranges.first == .some(nil))
                    #expect(ranges.count < 2 || ranges[1] == (first == 0 ? nil : "bytes=\(first)-"))
                }
            }
        }
    }

    @Test func `An attachment is given up after interruptions without progress, and not before`() async throws {
        let content = AttachedPhotos.bytes(10, seed: 1)
        #expect(try await Self.read(CuttingPeer(content, cuts: [1, 1, 1, 1, 1, 1])) == content)
        let peer = CuttingPeer(content, cuts: [4, 0, 0, 0])
        await #expect(throws: TransportError.self) { try await Self.read(peer) }
        #expect(peer.requests.withLock { $0.count } == 3)
        let untagged = CuttingPeer(content, cuts: [4])
        untagged.tag.withLock { $0 = nil }
        await #expect(throws: TransportError.self) { try await Self.read(untagged) }
    }

    @Test func `An attachment that was replaced is not mixed with its predecessor`() async throws {
        let peer = CuttingPeer(AttachedPhotos.bytes(10, seed: 1), cuts: [4])
        let error = await #expect(throws: MessageError.self) {
            try await within {
                let download = try await AttachmentDownload(wait: { _ in }) { peer.respond($0) }
                peer.tag.withLock { $0 = "\"b\"" }
                for try await _ in download {}
            }
        }
        #expect(error?.code == .malformed)
    }

    @Test func `An attachment that ends too early without an error is continued`() async throws {
        let content = AttachedPhotos.bytes(10, seed: 1)
        let isFirst = Mutex(true)
        let bytes = try await within {
            let download = try await AttachmentDownload(wait: { _ in }) { fields in
                let wasFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                var response = CuttingPeer(content, cuts: []).respond(fields)
                if wasFirst { response.body = .bytes(Array(content[..<6])) }
                return response
            }
            var bytes: [UInt8] = []
            for try await piece in download { bytes += piece }
            return bytes
        }
        #expect(bytes == content)
    }
}
