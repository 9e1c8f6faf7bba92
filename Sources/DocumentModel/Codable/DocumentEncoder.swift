/// Encodes values of `Encodable` types as documents.
///
/// | Swift | document |
/// |---|---|
/// | `Bool`, `String` | the same |
/// | integers | int |
/// | `Float`, `Double` | double |
/// | `Date` | date in UTC, rounded to milliseconds |
/// | `Data` | bytes |
/// | `UUID` | string, in lowercase as in RFC 9562 and in ``DocumentID`` |
/// | `URL` | string |
/// | ``DocumentValue``, ``DocumentObject``, ``DocumentDate``, ``Attachment``, ``DocumentID`` | unchanged |
/// | `nil`, if it is encoded at all | null |
///
/// Members are stored in the order in which they are encoded. In synthesized code, this is the order of declaration.
///
/// ```swift
/// struct Photo: Codable { var id: String; var rating: Int?; var taken: Date }
/// try collection.put(DocumentEncoder().encodeObject(photo))
/// ```
public struct DocumentEncoder: Sendable {
    /// The `userInfo` passed to `encode(to:)` of the types.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates an encoder.
    public init() {}

    /// Encodes a value as a document value.
    ///
    /// - Throws: `EncodingError.invalidValue` with the coding path for integers outside the range of `Int64` and dates
    ///   that do not fit 64 bits of milliseconds, and what the types throw.
    /// - Complexity: O(*n*) in the size of the value.
    public func encode(_ value: some Encodable) throws -> DocumentValue {
        try EncodingNode.encoded(value, at: .root, stored: nil, mode: EncodingMode(userInfo: userInfo))
    }

    /// Encodes a value as an object that a collection can store.
    ///
    /// - Throws: `EncodingError.invalidValue` if the value does not encode as an object; the errors of ``encode(_:)``.
    /// - Complexity: O(*n*) in the size of the value.
    public func encodeObject(_ value: some Encodable) throws -> DocumentObject {
        try object(encode(value), of: value)
    }

    /// Returns a stored document with `value` saved over it. Members that the type of `value` does not know are kept.
    ///
    /// At every depth of objects:
    /// - an encoded member replaces the stored one in place, or is appended;
    /// - a stored member that is not encoded is removed if the type knows its name. Examples are an optional that is
    ///   `nil`, or the other cases of an enumeration. A type knows the names from which its coding keys can be created,
    ///   and the names that it tries to encode. A type whose keys can be created from any name, such as a dictionary,
    ///   knows all names;
    /// - every other stored member is kept.
    ///
    /// Arrays are replaced as a whole, including the objects in them. A stored value that is equivalent to the new one
    /// is kept: an int that equals a double, and a date, in any zone, at the same instant as a `Date`.
    ///
    /// - Throws: the errors of ``encodeObject(_:)``.
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
                    codingPath: [], debugDescription: "The value is not encoded as an object.")
            )
        }
        return object
    }
}

/// The path from the root to a value, stored as links. An array would have to be copied for every container.
final class CodingLink {
    let parent: CodingLink?
    let key: (any CodingKey)?

    private init(parent: CodingLink?, key: (any CodingKey)?) {
        self.parent = parent
        self.key = key
    }

    /// The path of the root.
    static var root: CodingLink { CodingLink(parent: nil, key: nil) }

    func appending(_ key: any CodingKey) -> CodingLink { CodingLink(parent: self, key: key) }

    /// Returns the keys from the root, followed by `last`.
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

/// The key of an array element, and of the value that a class stores for its superclass.
enum PlainKey: CodingKey {
    case name(String)
    case index(Int)

    init(stringValue: String) { self = .name(stringValue) }

    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .name(let name): name
        // Created on demand, because most element keys are never requested.
        case .index(let index): "Index \(index)"
        }
    }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    static let `super` = PlainKey(stringValue: "super")
}

/// The settings shared by all parts of a value.
struct EncodingMode {
    let userInfo: [CodingUserInfoKey: any Sendable]
}
