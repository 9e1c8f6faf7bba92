internal import LevelKit

/// Where the next page of an answer begins. Opaque: what is in it may change with every release.
///
/// It names the last result by its sort keys and its row, not by a count, so it stays right while others write: no result
/// that was there the whole time is left out or comes twice. It also names the plan of the first page, which is used again
/// where it is still possible; where not, another plan goes on at the same place.
public struct ContinuationToken: Sendable, Hashable {
    /// The token as text: letters, digits, `-` and `_`.
    public let text: String

    /// A token that was kept as text. Whether it is one is found out when it is used.
    public init(_ text: String) { self.text = text }

    /// The first byte; another layout gets another number.
    private static let version: UInt8 = 1

    /// What a token says.
    struct Content {
        /// Tells queries apart.
        let query: UInt64
        /// The plan of the first page.
        let plan: String
        /// See ``SortPosition``.
        let position: [UInt8]
    }

    init(_ content: Content) {
        var bytes = [Self.version]
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: content.query >> shift))
        }
        Varint.append(UInt64(content.plan.utf8.count), to: &bytes)
        bytes += Array(content.plan.utf8)
        bytes += content.position
        Self.append(Fingerprint.of(bytes), to: &bytes)
        text = Self.base64URL(bytes)
    }

    /// - Throws: ``DocIndexError`` with `invalidQuery` for a text that is no token.
    func content() throws -> Content {
        guard let bytes = Self.bytes(base64URL: text), bytes.count > 17, bytes[0] == Self.version else {
            throw Self.damaged
        }
        var sum: [UInt8] = []
        Self.append(Fingerprint.of(bytes.dropLast(8)), to: &sum)
        var offset = 9
        let end = bytes.count - 8
        guard Array(bytes[end...]) == sum, let length = Varint.read(bytes.span, &offset),
            length <= UInt64(end - offset)
        else { throw Self.damaged }
        let query = bytes[1..<9].reduce(0) { $0 << 8 | UInt64($1) }
        let planEnd = offset + Int(length)
        return Content(
            query: query, plan: String(decoding: bytes[offset..<planEnd], as: UTF8.self),
            position: Array(bytes[planEnd..<end]))
    }

    private static var damaged: DocIndexError {
        DocIndexError(.invalidQuery, "this is no token of a page; ask for the first page")
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    // MARK: - Text (RFC 4648, section 5, without padding)

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func base64URL(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group = 0
            for offset in 0..<3 { group = group << 8 | (offset < count ? Int(bytes[start + offset]) : 0) }
            for digit in 0...count { text.append(alphabet[group >> (18 - 6 * digit) & 63]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func bytes(base64URL text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var group = 0
        var count = 0
        for character in text.utf8 {
            guard let digit = alphabet.firstIndex(of: character) else { return nil }
            group = (group << 6 | digit) & 0xff_ffff
            count += 1
            if count % 4 != 1 { bytes.append(UInt8(truncatingIfNeeded: group >> (4 - 2 * ((count - 2) % 4)))) }
        }
        return count % 4 == 1 ? nil : bytes
    }
}

/// Tells byte strings apart: FNV-1a (Fowler, Noll and Vo), 64 bits. No protection against anyone who wants it wrong.
enum Fingerprint {
    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

extension Query {
    /// Tells the condition and the order apart from others. How many results are asked for makes no difference.
    var fingerprint: UInt64 {
        var text = predicate.normalized.description
        for key in sort { text += "\u{0}\(key)" }
        return Fingerprint.of(text.utf8)
    }
}
