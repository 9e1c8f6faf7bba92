/// Turns values of `Encodable` types into documents.
///
/// | Swift | document |
/// |---|---|
/// | `Bool`, `String` | the same |
/// | integers | int |
/// | `Float`, `Double` | double |
/// | `Date` | date in UTC, rounded to milliseconds |
/// | `Data` | bytes |
/// | `UUID` | string, in lower case as RFC 9562 writes it, and as ``DocumentID`` makes it of a UUID |
/// | `URL` | string |
/// | ``DocumentValue``, ``DocumentObject``, ``DocumentDate``, ``DocumentID`` | themselves |
/// | `nil`, where it is encoded at all | null |
///
/// Members stand in the order in which they are encoded: that of the declaration, where the compiler writes the code.
///
/// ```swift
/// struct Photo: Codable { var id: String; var rating: Int?; var taken: Date }
/// try collection.put(DocumentEncoder().encodeObject(photo))
/// ```
public struct DocumentEncoder: Sendable {
    /// What `encode(to:)` of the types finds as `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// An encoder.
    public init() {}

    /// The value as a document value.
    ///
    /// - Throws: `EncodingError.invalidValue` with the coding path for integers beyond `Int64` and dates beyond 64 bits of
    ///   milliseconds, and what the types throw.
    /// - Complexity: O(*n*) in the size of the value.
    public func encode(_ value: some Encodable) throws -> DocumentValue {
        try EncodingNode.encoded(value, at: .root, stored: nil, mode: EncodingMode(userInfo: userInfo))
    }

    /// The value as an object, such as a collection stores.
    ///
    /// - Throws: `EncodingError.invalidValue` if the value is something else, and as ``encode(_:)``.
    /// - Complexity: O(*n*) in the size of the value.
    public func encodeObject(_ value: some Encodable) throws -> DocumentObject {
        try object(encode(value), of: value)
    }

    /// A stored document as it is after `value` has been saved over it: what the type of `value` does not know stays.
    ///
    /// At every depth of objects:
    /// - a member that is encoded replaces the stored one in its place, or is added behind the others;
    /// - a stored member that is not encoded is removed if the type knows its name, such as an optional that is `nil`, or
    ///   the other cases of an enumeration. It knows a name that its coding keys can be made from, and one that it asks
    ///   to encode. Keys that can be made from every name, as those of a dictionary, are taken to know them all;
    /// - every other stored member stays as it is.
    ///
    /// Arrays are replaced as a whole, with the objects in them. A value that says the same as the stored one leaves it
    /// as it is: a double that is equal to a stored int, and a `Date` of the instant of a stored date, whatever its zone.
    ///
    /// - Throws: as ``encodeObject(_:)``.
    /// - Complexity: O(*n*) in the size of both.
    public func merge(saving value: some Encodable, over stored: DocumentObject) throws -> DocumentObject {
        let mode = EncodingMode(userInfo: userInfo)
        return try object(
            EncodingNode.encoded(value, at: .root, stored: .object(stored), mode: mode), of: value)
    }

    private func object(_ encoded: DocumentValue, of value: some Encodable) throws -> DocumentObject {
        guard case .object(let object) = encoded else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [], debugDescription: "A document is an object; this value is encoded as another kind.")
            )
        }
        return object
    }
}

/// The way from the root to a value, kept as links: an array would have to be copied for every container.
final class CodingLink {
    let parent: CodingLink?
    let key: (any CodingKey)?

    private init(parent: CodingLink?, key: (any CodingKey)?) {
        self.parent = parent
        self.key = key
    }

    /// The way to the root itself.
    static var root: CodingLink { CodingLink(parent: nil, key: nil) }

    func appending(_ key: any CodingKey) -> CodingLink { CodingLink(parent: self, key: key) }

    /// The keys from the root on, and one more.
    func path(_ last: (any CodingKey)? = nil) -> [any CodingKey] {
        var keys: [any CodingKey] = last.map { [$0] } ?? []
        var link: CodingLink? = self
        while let current = link {
            if let key = current.key { keys.append(key) }
            link = current.parent
        }
        return keys.reversed()
    }
}

/// The key of an element of an array, and of what a class leaves to its superclass.
enum PlainKey: CodingKey {
    case name(String)
    case index(Int)

    init(stringValue: String) { self = .name(stringValue) }

    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .name(let name): name
        // Made when it is asked for: most keys of elements never are.
        case .index(let index): "Index \(index)"
        }
    }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    static let `super` = PlainKey(stringValue: "super")
}

/// What is the same for all parts of one value.
struct EncodingMode {
    let userInfo: [CodingUserInfoKey: any Sendable]
}
