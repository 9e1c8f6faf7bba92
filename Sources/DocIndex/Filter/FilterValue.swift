#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A Swift type whose values can be bound in a ``FilterText``.
///
/// A type of your own can conform by returning the value that its `Codable` conformance stores. Enumerations with raw
/// values need no conformance.
public protocol FilterValue: DocumentValueConvertible {}

extension Bool: FilterValue {}
extension Int: FilterValue {}
extension Int64: FilterValue {}
extension Double: FilterValue {}
extension String: FilterValue {}
extension DocumentDate: FilterValue {}
extension DocumentValue: FilterValue {}

extension Attachment: FilterValue {
    /// The attachment as a document value.
    public var documentValue: DocumentValue { .attachment(self) }
}

extension Int8: FilterValue {
    /// The integer as a document value.
    public var documentValue: DocumentValue { .int(Int64(self)) }
}

extension Int16: FilterValue {
    /// The integer as a document value.
    public var documentValue: DocumentValue { .int(Int64(self)) }
}

extension Int32: FilterValue {
    /// The integer as a document value.
    public var documentValue: DocumentValue { .int(Int64(self)) }
}

extension UInt8: FilterValue {
    /// The integer as a document value.
    public var documentValue: DocumentValue { .int(Int64(self)) }
}

extension UInt16: FilterValue {
    /// The integer as a document value.
    public var documentValue: DocumentValue { .int(Int64(self)) }
}

extension UInt32: FilterValue {
    /// The integer as a document value.
    public var documentValue: DocumentValue { .int(Int64(self)) }
}

extension Float: FilterValue {
    /// The number as a document value.
    public var documentValue: DocumentValue { .double(Double(self)) }
}

extension Substring: FilterValue {
    /// The string as a document value.
    public var documentValue: DocumentValue { .string(String(self)) }
}

extension DocumentID: FilterValue {
    /// The ID as a document value.
    public var documentValue: DocumentValue { value }
}

extension UUID: FilterValue {
    /// The UUID as a string in lowercase, as ``DocumentEncoder`` stores it.
    public var documentValue: DocumentValue { DocumentID(self).value }
}

extension URL: FilterValue {
    /// The URL as a string.
    public var documentValue: DocumentValue { .string(absoluteString) }
}

extension Data: FilterValue {
    /// The bytes as a document value.
    public var documentValue: DocumentValue { .bytes(Array(self)) }
}

extension Date: FilterValue {
    /// The date in UTC, rounded to milliseconds. A date that does not fit 64 bits of milliseconds becomes the first or
    /// the last one that does.
    public var documentValue: DocumentValue {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return .date(
            DocumentDate(utcMilliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)))
    }
}

extension Array: DocumentValueConvertible where Element: DocumentValueConvertible {
    /// The array as a document value.
    public var documentValue: DocumentValue { .array(map(\.documentValue)) }
}

extension Array: FilterValue where Element: FilterValue {}
