package import DocIndex
internal import LevelKit

/// SHA-256 over content, independent of the form of the dump: for each record in order, the length of the key as a
/// varint, the key, the length of the value, and the value.
///
/// The key of a document is the tuple of its collection and its ID; its value is the compact JSON of its content. A
/// deletion has the largest varint instead of a length, and no value. Reformatting the lines of a dump does not change
/// the digest.
package struct ContentDigest {
    /// The algorithm's name in headers.
    package static let name = "sha256-kv-1"

    /// The bytes of all keys so far.
    package private(set) var keyByteCount = 0
    /// The bytes of all values so far.
    package private(set) var valueByteCount = 0

    private var hash = SHA256Hash()
    private var buffer: [UInt8] = []

    /// The number of bytes to buffer before hashing.
    private static let capacity = 64 << 10

    package init() {
        buffer.reserveCapacity(Self.capacity + 4096)
    }

    /// Adds a pair.
    package mutating func add(key: Span<UInt8>, value: Span<UInt8>) {
        keyByteCount += key.count
        valueByteCount += value.count
        append(count: UInt64(key.count))
        append(key)
        append(count: UInt64(value.count))
        append(value)
    }

    /// Adds a pair.
    package mutating func add(key: [UInt8], value: [UInt8]) {
        add(key: key.span, value: value.span)
    }

    /// Adds the deletion of a key.
    package mutating func add(deletionOf key: [UInt8]) {
        keyByteCount += key.count
        append(count: UInt64(key.count))
        append(key.span)
        append(count: .max)
    }

    /// Adds a document.
    package mutating func add(collection: String, id: DocumentID, content: DocumentObject) {
        var value: [UInt8] = []
        DocumentValue.object(content).writeJSON(to: &value, JSONWriter(notation: .dump))
        add(collection: collection, id: id, json: value.span)
    }

    /// Adds a document, given as compact JSON.
    package mutating func add(collection: String, id: DocumentID, json: Span<UInt8>) {
        add(key: Self.key(collection, id).span, value: json)
    }

    /// Adds the deletion of a document.
    package mutating func add(deletionOf id: DocumentID, in collection: String) {
        add(deletionOf: Self.key(collection, id))
    }

    /// Adds a line that is not a record: its compact JSON and a newline.
    package mutating func add(envelope object: DocumentObject) {
        var text: [UInt8] = []
        DocumentValue.object(object).writeJSON(to: &text, JSONWriter(notation: .dump))
        text.append(0x0a)
        append(text.span)
    }

    /// Adds the content of an attachment to a digest of lines that are not records, as the line of its digest and size.
    /// The digests of records cover attachments already, since documents contain their digests.
    package mutating func add(content digest: Attachment.Digest, byteCount: Int64) {
        add(envelope: ["a": .string(digest.description), "bytes": .int(byteCount)])
    }

    /// The digest of everything added so far, in hexadecimal.
    package mutating func hexadecimal() -> String {
        drain()
        return LevelKit.hexadecimal(hash.digest)
    }

    private static func key(_ collection: String, _ id: DocumentID) -> [UInt8] {
        let element: Tuple.Element =
            switch id {
            case .string(let text): .string(text)
            case .int(let number): .int(number)
            }
        return Tuple([.string(collection), element]).packed()
    }

    private mutating func append(count: UInt64) {
        Varint.append(count, to: &buffer)
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        if bytes.count >= Self.capacity {
            // Large values are hashed without copying.
            drain()
            unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
            return
        }
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
        if buffer.count >= Self.capacity { drain() }
    }

    private mutating func drain() {
        unsafe buffer.withUnsafeBytes { unsafe hash.update($0) }
        buffer.removeAll(keepingCapacity: true)
    }
}
