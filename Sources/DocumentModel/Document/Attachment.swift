/// A value of a document that stands for a file, such as a photo: its content is stored once, under its digest, and not
/// in the document.
///
/// ```swift
/// let original = try store.attachments.add(contentsOf: "IMG_0001.jpg")
/// try photos.put(["id": "IMG_0001", "original": .attachment(original)])
/// ```
///
/// Paths lead into an attachment: `original.type`, `original.bytes`, `original.name` and `original.sha256` are members
/// as in an object, and can be used in conditions, indexes and facets. In JSON it is
/// `{"$attachment":{"sha256":"…","bytes":2048,"type":"image/jpeg","name":"IMG_0001.jpg"}}`.
public struct Attachment: Sendable, Hashable {
    /// The digest of the content, under which it is stored.
    public let digest: Digest
    /// The size of the content in bytes.
    public let byteCount: Int64
    /// The media type, such as `image/jpeg`; see RFC 2046. Never empty.
    public let type: String
    /// The file name; `nil` if it is not known. Never empty.
    public let name: String?

    /// The media type of content about which nothing is known.
    public static let unknownType = "application/octet-stream"

    /// The maximum length of the type and of the name, in UTF-8 bytes.
    public static let maximumNameByteCount = 1024

    /// Creates a reference to content. To store the content, use `DocumentStore.attachments`, which returns a
    /// reference.
    ///
    /// - Parameters:
    ///   - digest: the digest of the content.
    ///   - byteCount: the size of the content in bytes.
    ///   - type: the media type.
    ///   - name: the file name; `nil` if it is not known.
    /// - Returns: `nil` if the size is negative, or the type or the name is empty or longer than
    ///   ``maximumNameByteCount``.
    public init?(digest: Digest, byteCount: Int64, type: String = unknownType, name: String? = nil) {
        guard byteCount >= 0, Self.isValid(type), name.map(Self.isValid) ?? true else { return nil }
        self.digest = digest
        self.byteCount = byteCount
        self.type = type
        self.name = name
    }

    /// Returns whether a string can be a type or a name.
    package static func isValid(_ text: String) -> Bool { 1...maximumNameByteCount ~= text.utf8.count }

    /// Whether both would be stored as the same bytes: strings are compared by their UTF-8 bytes.
    public static func == (left: Attachment, right: Attachment) -> Bool {
        left.digest == right.digest && left.byteCount == right.byteCount && left.type.hasSameBytes(as: right.type)
            && (left.name ?? "").hasSameBytes(as: right.name ?? "")
    }

    /// Feeds the digest, the size, and the bytes of the texts into `hasher`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
        hasher.combine(byteCount)
        type.hashBytes(into: &hasher)
        (name ?? "").hashBytes(into: &hasher)
    }
}

extension Attachment {
    /// The SHA-256 digest of the content of an attachment (FIPS 180-4).
    public struct Digest: Sendable, Hashable, Comparable, LosslessStringConvertible {
        private let words: (UInt64, UInt64, UInt64, UInt64)

        /// The size of a digest in bytes.
        public static let byteCount = 32

        /// Creates a digest from its 32 bytes; `nil` for any other number of bytes.
        public init?(_ bytes: Span<UInt8>) {
            guard bytes.count == Self.byteCount else { return nil }
            func word(_ first: Int) -> UInt64 {
                (first..<first + 8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
            }
            words = (word(0), word(8), word(16), word(24))
        }

        /// Creates a digest from 64 hexadecimal digits, in lowercase; `nil` for any other text.
        public init?(_ description: String) {
            let utf8 = description.utf8Span.span
            guard utf8.count == 2 * Self.byteCount else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Self.byteCount)
            for position in stride(from: 0, to: utf8.count, by: 2) {
                guard let high = Self.value(of: utf8[position]), let low = Self.value(of: utf8[position + 1]) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            }
            self.init(bytes.span)
        }

        private static func value(of digit: UInt8) -> UInt8? {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }

        /// The 32 bytes.
        public var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Self.byteCount)
            for word in [words.0, words.1, words.2, words.3] {
                for shift in stride(from: UInt64(56), through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: word >> shift))
                }
            }
            return bytes
        }

        /// The 64 hexadecimal digits, in lowercase.
        public var description: String {
            let digits = Array("0123456789abcdef".utf8)
            return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }

        /// Whether both have the same bytes.
        public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

        /// The order of the bytes.
        public static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }

        /// Feeds the digest into `hasher`.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(words.0)
            hasher.combine(words.1)
            hasher.combine(words.2)
            hasher.combine(words.3)
        }
    }
}
