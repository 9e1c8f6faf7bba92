#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A type whose bytes can be stored as a key or as a value without a schema: `[UInt8]`, `String` as UTF-8, `Data`, and
/// slices of them.
///
/// ```swift
/// try database.put("sunset", forKey: "photo/1")
/// let title = try database.value(forKey: "photo/1", as: String.self)
/// ```
///
/// Keys of different types are the same key if their bytes are the same. Strings are not normalized: the two Unicode
/// forms of `é` are two keys, although Swift considers the strings equal.
public protocol ByteRepresentable: Sendable {
    /// Calls `body` with the bytes, lent for the duration of the call.
    func withBytes<R, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> R) throws(Failure) -> R

    /// The bytes as an array.
    var byteArray: [UInt8] { get }

    /// Creates a value from stored bytes.
    ///
    /// - Throws: ``LevelError`` with `malformedEntry` if the bytes are not a value of this type, such as a string that
    ///   is not UTF-8.
    /// - Complexity: O(n) in the bytes.
    init(copying bytes: Span<UInt8>) throws(LevelError)
}

extension ByteRepresentable {
    /// The bytes as an array.
    ///
    /// - Complexity: O(n) in the bytes.
    @inlinable
    public var byteArray: [UInt8] { withBytes { $0.copied() } }
}

extension Span<UInt8> {
    /// Returns the bytes as an array.
    @inlinable
    public func copied() -> [UInt8] {
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Returns the bytes as a value of a different type, such as `String`.
    ///
    /// - Throws: ``LevelError`` with `malformedEntry` if the bytes are not a value of that type.
    @inlinable
    public func copied<Value: ByteRepresentable>(as type: Value.Type) throws(LevelError) -> Value {
        try Value(copying: self)
    }
}

// MARK: - Bytes

extension Array: ByteRepresentable where Element == UInt8 {
    /// Calls `body` with the bytes.
    @inlinable
    public func withBytes<R, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> R) throws(Failure) -> R {
        try body(span)
    }

    /// This array.
    @inlinable
    public var byteArray: [UInt8] { self }

    /// Copies stored bytes.
    @inlinable
    public init(copying bytes: Span<UInt8>) { self = bytes.copied() }
}

extension ArraySlice: ByteRepresentable where Element == UInt8 {
    /// Calls `body` with the bytes.
    @inlinable
    public func withBytes<R, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> R) throws(Failure) -> R {
        try body(span)
    }

    /// Copies stored bytes.
    @inlinable
    public init(copying bytes: Span<UInt8>) { self = bytes.copied()[...] }
}

extension Data: ByteRepresentable {
    /// Calls `body` with the bytes.
    @inlinable
    public func withBytes<R, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> R) throws(Failure) -> R {
        try body(span)
    }

    /// Copies stored bytes.
    @inlinable
    public init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
    }
}

// MARK: - Text

extension String: ByteRepresentable {
    /// Calls `body` with the UTF-8 bytes.
    @inlinable
    public func withBytes<R, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> R) throws(Failure) -> R {
        try body(utf8Span.span)
    }

    /// Decodes stored UTF-8.
    ///
    /// - Throws: ``LevelError`` with `malformedEntry` if the bytes are not UTF-8.
    public init(copying bytes: Span<UInt8>) throws(LevelError) {
        do throws(UTF8.ValidationError) {
            self.init(copying: try UTF8Span(validating: bytes))
        } catch {
            throw LevelError(
                .malformedEntry,
                "could not read stored bytes as a string: they are not UTF-8; read them as [UInt8] or Data",
                cause: "the bytes from position \(error.byteOffsets.lowerBound) are not UTF-8")
        }
    }
}

extension Substring: ByteRepresentable {
    /// Calls `body` with the UTF-8 bytes.
    @inlinable
    public func withBytes<R, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> R) throws(Failure) -> R {
        try body(utf8Span.span)
    }

    /// Decodes stored UTF-8.
    ///
    /// - Throws: ``LevelError`` with `malformedEntry` if the bytes are not UTF-8.
    public init(copying bytes: Span<UInt8>) throws(LevelError) {
        self = Substring(try String(copying: bytes))
    }
}
