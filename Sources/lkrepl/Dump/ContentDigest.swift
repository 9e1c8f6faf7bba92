import Crypto
import DocIndex
import LevelKit

/// SHA-256 over content, whatever the form of the dump: for each record in order the length of the key as a varint, the
/// key, the length of the value, the value.
///
/// A document's key is the tuple of its collection and its id, its value the compact JSON of its content. Reformatting
/// the lines of a dump changes nothing.
struct ContentDigest {
    /// The name that headers carry.
    static let name = "sha256-kv-1"

    private var hash = SHA256()
    private var buffer: [UInt8] = []

    /// Adds a pair.
    mutating func add(key: [UInt8], value: [UInt8]) {
        append(count: key.count)
        buffer += key
        append(count: value.count)
        buffer += value
        if buffer.count >= 1 << 16 { drain() }
    }

    /// Adds a document.
    mutating func add(collection: String, id: DocumentID, content: DocumentObject) {
        var value: [UInt8] = []
        DocumentValue.object(content).writeJSON(to: &value, JSONWriter(isExtended: true))
        let idElement: TupleElement =
            switch id {
            case .string(let text): .string(text)
            case .int(let number): .int(number)
            }
        add(key: Tuple([.string(collection), idElement]).packed(), value: value)
    }

    /// Adds a line that is no record: its compact JSON and a newline.
    mutating func add(envelope object: DocumentObject) {
        DocumentValue.object(object).writeJSON(to: &buffer, JSONWriter(isExtended: true))
        buffer.append(0x0a)
        if buffer.count >= 1 << 16 { drain() }
    }

    /// The digest of what was added so far, in hexadecimal.
    mutating func hexadecimal() -> String {
        drain()
        let digits = Array("0123456789abcdef")
        return String(hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private mutating func append(count: Int) {
        var rest = UInt64(count)
        while rest >= 0x80 {
            buffer.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        buffer.append(UInt8(rest))
    }

    private mutating func drain() {
        unsafe buffer.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        buffer.removeAll(keepingCapacity: true)
    }
}
