/// A type whose values can be written to a key as an element of a ``Tuple``: a ``KeyComponentValue`` or an optional of
/// one.
///
/// Custom types conform to ``KeyComponentValue`` instead.
public protocol KeyElementCodable: Sendable {
    /// The name of the type in the definition of a schema. Stored on disk, never change.
    static var keyTypeName: String { get }

    /// Appends the value as a tuple element.
    func appendKeyElement(to key: inout [UInt8])

    /// Reads the next element as a value.
    ///
    /// - Returns: the value, or `nil` if the element has the right kind but is not a value of the type, such as a
    ///   number that is too large.
    /// - Throws: ``TupleError`` if the element is unreadable or has a different kind.
    static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> Self?
}

extension KeyElementCodable {
    /// Appends the value as an element in a direction.
    @usableFromInline
    func append(_ direction: KeyDirection, to key: inout [UInt8]) {
        switch direction {
        case .ascending: appendKeyElement(to: &key)
        case .descending: TupleEncoder.appendDescending(to: &key) { appendKeyElement(to: &$0) }
        }
    }
}

extension Optional: KeyElementCodable where Wrapped: KeyComponentValue {
    /// The name of the wrapped type, followed by a question mark.
    public static var keyTypeName: String { Wrapped.keyTypeName + "?" }

    /// Appends the value, or a null.
    public func appendKeyElement(to key: inout [UInt8]) {
        switch self {
        case .some(let value): value.appendKeyElement(to: &key)
        case .none: TupleEncoder.appendNull(to: &key)
        }
    }

    /// Reads a value or a null.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> Wrapped?? {
        if decoder.nextKind == .null {
            try decoder.decodeNull()
            return .some(.none)
        }
        return try Wrapped.decodeKeyElement(from: &decoder).map { .some($0) }
    }
}
