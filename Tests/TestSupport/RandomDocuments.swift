public import DocIndex

/// Generates irregular documents whose values come from a small pool, so that equal values meet, and that lie at the
/// edges of the value order: equal integers and doubles, zeros of both signs, NaN, dates of the same instant, strings
/// containing NUL, two encodings of é, null, arrays where a single value is usual and vice versa, and missing fields.
public struct RandomDocuments: Sendable {
    /// The random source.
    public var random: SplitMix64
    /// Whether documents contain attachments. Their bytes are ``attachmentContents``.
    public var hasAttachments = false

    /// Creates a generator that draws from a source.
    public init(_ random: SplitMix64) { self.random = random }

    /// The fields that a document may have besides its ID.
    public static let names = ["a", "b", "c", "tags", "people", "n"]

    /// Paths without `[]` that lead to a value in some of the documents.
    public static let scalarPaths: [FieldPath] = ["a", "b", "c", "n.x", "n.y", "n", "tags", "people", "absent", "id"]

    /// Paths with `[]`.
    public static let arrayPaths: [FieldPath] = [
        "tags[]", "people[].name", "people[].tags[]", "n.x[]", "a[]", "people[]",
    ]

    /// The IDs that ``id()`` draws from: strings and integers that look alike.
    public static let ids: [DocumentID] = {
        var ids: [DocumentID] = ["", "a", "a\0", "a\0b", "b", "\u{e9}", "e\u{301}", "\u{ffff}", "\u{10ffff}"]
        for number in 0..<40 { ids += [.int(Int64(number) - 5), .string("\(number)")] }
        return ids + [.int(.max), .int(.min)]
    }()

    private static let doubles: [Double] = [0.0, -0.0, 1.0, 2.5, 3.0, -1.0, .nan, .infinity, -.infinity]

    /// Numbers where rounding an integer to a double would make unequal values equal.
    private static let largeNumbers: [DocumentValue] = [
        .int(1 << 53), .double(0x1p53), .int(1 << 53 + 1), .int(.max), .int(.max - 1), .double(0x1p63), .int(.min),
        .double(-0x1p63), .double(0x1.fffffffffffffp62), .double(.leastNonzeroMagnitude), .int(-(1 << 53) - 1),
    ]

    private static let dates: [DocumentDate] = [0, -1, 1_339_171_331_000, .max, .min].flatMap { milliseconds in
        [DocumentDate(milliseconds: milliseconds), DocumentDate(utcMilliseconds: milliseconds)]
            + [-90, 120].compactMap { DocumentDate(milliseconds: milliseconds, offsetMinutes: $0) }
    }

    private static let byteStrings: [[UInt8]] = [[], [0], [0, 0xff], [1], [0xff]]

    private static let texts: [String] = [
        "", "a", "a\0", "a\0b", "ab", "b", "b\u{1}", "\u{e9}", "e\u{301}", "\u{ffff}", "\u{10ffff}", "1", "c",
        "A", "a|b", "a||b", "a|", "E\u{301}", "img_2", "IMG_02", "IMG_10", "2012:06:08 18:02:11", "2012-06-08",
        "2012-06-08T18:02:11Z", "2012-06-08T20:02:11+02:00",
    ]

    /// The contents of all attachments.
    public static let attachmentContents: [[UInt8]] = [[], Array("a".utf8), Array("b".utf8)]

    /// Attachments of ``attachmentContents``, some of which differ only in their type or name.
    public static let attachments: [Attachment] = zip(
        [
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
            "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",
        ], attachmentContents
    ).flatMap { digest, content in
        [("a", nil), ("a", "a"), ("a\0", nil), ("b", "a\0"), ("image/jpeg", "img_2"), ("a", "\u{e9}")].compactMap {
            type, name in
            Attachment.Digest(digest).flatMap {
                Attachment(digest: $0, byteCount: Int64(content.count), type: type, name: name)
            }
        }
    }

    /// Paths to members of attachments, and to members that attachments do not have.
    public static let attachmentPaths: [FieldPath] = [
        "a.type", "a.name", "b.bytes", "c.sha256", "tags[].name", "n.x.type", "people[].name.bytes", "a.other", "n.x",
    ]

    /// Arrays and objects, some equal in value but all different in their bytes.
    private static let containers: [DocumentValue] = [
        .array([]), .array([1]), .array([1.0]), .array([0.0]), .array([-0.0]), .array([0]), .array([1, 2]),
        .array([1, 2.0]), .array([.array([1])]), .array([.array([1.0])]), .array([.double(.nan)]), .array(["a"]),
        .array(["a\0"]), .array(["a", "b"]), .array([.null]), .array([.int(1 << 53 + 1)]), .array([.double(0x1p53)]),
        .object([:]), .object(["x": 1]), .object(["x": 1.0]), .object(["x": 1, "y": 2]), .object(["y": 2.0, "x": 1]),
        .object(["x": .array([1])]), .object(["x": .array([1.0])]), .object(["": .object([:])]), .object(["y": 1]),
        .array([.object(["x": 1, "y": 0.0])]), .array([.object(["y": -0.0, "x": 1.0])]),
    ]

    /// Returns an array or an object from a small pool.
    public mutating func container() -> DocumentValue { random.pick(Self.containers) }

    /// Returns a scalar: neither an array nor an object.
    public mutating func scalar() -> DocumentValue {
        switch random.number(below: 20) {
        case 0: .null
        case 1: .bool(random.once(in: 2))
        case 2...7: .int(Int64(random.number(below: 6)) - 1)
        case 8, 9: .double(random.pick(Self.doubles))
        case 10: random.pick(Self.largeNumbers)
        case 12: .date(random.pick(Self.dates))
        case 11: .bytes(random.pick(Self.byteStrings))
        case 13 where hasAttachments, 14 where hasAttachments: .attachment(random.pick(Self.attachments))
        default: .string(random.pick(Self.texts))
        }
    }

    /// Returns any value: usually a scalar, occasionally an array or object of scalars.
    public mutating func value(depth: Int = 2) -> DocumentValue {
        switch random.number(below: depth > 0 ? 12 : 8) {
        case 8: .array(elements(upTo: 4, depth: depth - 1))
        case 9: .object(["x": scalar(), "y": value(depth: depth - 1)])
        case 10, 11: container()
        default: scalar()
        }
    }

    /// Returns a document with an ID.
    public mutating func document(id: DocumentID, idField: String = "id") -> DocumentObject {
        var document = DocumentObject()
        let idComesFirst = random.once(in: 2)
        if idComesFirst { document[idField] = id.value }
        for name in Self.names where !random.once(in: 4) {
            switch name {
            case "tags": document[name] = random.once(in: 6) ? value() : .array(elements(upTo: 4, depth: 1))
            case "people": document[name] = random.once(in: 6) ? value() : .array(people())
            case "n": document[name] = random.once(in: 6) ? value() : .object(["x": value(), "y": scalar()])
            default: document[name] = value()
            }
        }
        if !idComesFirst { document[idField] = id.value }
        return document
    }

    /// Returns an ID; IDs repeat after a short time.
    public mutating func id() -> DocumentID { random.pick(Self.ids) }

    private mutating func elements(upTo limit: Int, depth: Int) -> [DocumentValue] {
        (0..<random.number(below: limit)).map { _ in value(depth: depth) }
    }

    private mutating func people() -> [DocumentValue] {
        (0..<random.number(below: 4)).map { _ in
            switch random.number(below: 5) {
            case 0: scalar()
            case 1: .object(["tags": .array(elements(upTo: 3, depth: 0))])
            case 2: .object(["name": scalar(), "tags": .array(elements(upTo: 3, depth: 0))])
            default: .object(["name": scalar()])
            }
        }
    }
}

extension RandomDocuments {
    /// Stores the contents of the attachments, so that documents can refer to them.
    public static func addAttachmentContents(to store: DocumentStore) throws {
        for content in attachmentContents { _ = try store.attachments.add(content) }
    }
}
