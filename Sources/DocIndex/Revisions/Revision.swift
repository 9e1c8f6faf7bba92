extension Document {
    /// The identity of one version of a document among replicas, such as `3-917fa2381192822767f010b95b45325b`.
    ///
    /// A revision consists of a generation, which counts the edits that led to it, and an ID. Replicas that make the
    /// same edit of the same version make the same revision. Source: the replication protocol of Apache CouchDB.
    public struct Revision: Sendable, Hashable {
        /// The number of this revision on its path, at least 1. The first version of a document has 1.
        package let generation: Int
        /// What distinguishes the revisions of one generation.
        package let id: RevisionID

        /// Creates a revision.
        ///
        /// - Returns: `nil` unless the generation is in `1...maximumGeneration`.
        package init?(generation: Int, id: RevisionID) {
            guard (1...Self.maximumGeneration).contains(generation) else { return nil }
            self.generation = generation
            self.id = id
        }

        /// The largest generation, 2⁵³ - 1: the largest number that every reader of JSON reads exactly.
        package static let maximumGeneration = 1 << 53 - 1

        /// Creates a revision of a generation that is known to be valid.
        init(valid generation: Int, _ id: RevisionID) {
            self.generation = generation
            self.id = id
        }
    }
}

package typealias Revision = Document.Revision

extension Document.Revision: Comparable {
    /// Orders revisions by generation, then by the bytes of their IDs.
    public static func < (a: Document.Revision, b: Document.Revision) -> Bool {
        a.generation == b.generation ? a.id < b.id : a.generation < b.generation
    }
}

extension Document.Revision: LosslessStringConvertible {
    /// Reads the form `generation-id`.
    ///
    /// - Returns: `nil` for another form, for example a generation with a sign or with a leading zero.
    public init?(_ description: String) {
        guard let hyphen = description.utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let digits = description.utf8[..<hyphen]
        guard let first = digits.first, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(first),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let generation = Int(Substring(digits)),
            let id = RevisionID(String(description[description.utf8.index(after: hyphen)...]))
        else { return nil }
        self.init(generation: generation, id: id)
    }

    /// The form `generation-id`.
    public var description: String { "\(generation)-\(id)" }
}

/// The part of a revision after its generation.
///
/// The usual form is 16 bytes, which are written as 32 hexadecimal digits. Another text, which only some peers make, is
/// kept as it is.
package struct RevisionID: Sendable, Hashable {
    private enum Form: Hashable {
        case bytes(high: UInt64, low: UInt64)
        case text(String)
    }

    private let form: Form

    private init(form: Form) { self.form = form }

    /// The largest size of an ID in UTF-8, in bytes.
    package static let maximumByteCount = 1024

    /// Creates an ID from 16 bytes; `nil` for another count.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
        }
        self.init(form: .bytes(high: high, low: low))
    }

    static let zero = RevisionID(form: .bytes(high: 0, low: 0))

    /// The number of bytes of the usual form.
    static let byteCount = 16

    /// The 16 bytes; `nil` if the ID is another text.
    var bytes: [UInt8]? {
        guard case .bytes(let high, let low) = form else { return nil }
        return Self.bytes(high) + Self.bytes(low)
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}

extension RevisionID: LosslessStringConvertible {
    /// Reads an ID. Hexadecimal digits may be of either case.
    ///
    /// - Returns: `nil` for an empty text, for one above ``maximumByteCount``, and for one with control characters.
    package init?(_ description: String) {
        guard !description.isEmpty, description.utf8.count <= Self.maximumByteCount,
            description.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
        else { return nil }
        let digits = description.utf8
        if digits.count == 2 * Self.byteCount, digits.allSatisfy(Self.isHexDigit),
            let high = UInt64(description.prefix(Self.byteCount), radix: 16),
            let low = UInt64(description.suffix(Self.byteCount), radix: 16)
        {
            self.init(form: .bytes(high: high, low: low))
        } else {
            self.init(form: .text(description))
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The text, or 32 hexadecimal digits in lowercase.
    package var description: String {
        switch form {
        case .text(let text): text
        case .bytes(let high, let low): Self.digits(high) + Self.digits(low)
        }
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: byteCount - digits.utf8.count) + digits
    }
}

extension RevisionID: Comparable {
    /// Orders IDs as bytes: those of the usual form as 16 bytes and not as digits, and other texts as UTF-8.
    package static func < (a: RevisionID, b: RevisionID) -> Bool {
        switch (a.form, b.form) {
        case (.bytes(let highA, let lowA), .bytes(let highB, let lowB)):
            highA == highB ? lowA < lowB : highA < highB
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.bytes, .text(let b)): (a.bytes ?? []).lexicographicallyPrecedes(b.utf8)
        case (.text(let a), .bytes): a.utf8.lexicographicallyPrecedes(b.bytes ?? [])
        }
    }
}
