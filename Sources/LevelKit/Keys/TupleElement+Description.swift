#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Tuple.Element: CustomStringConvertible {
    /// A description for people, such as `"users"`, `42`, `1.5f`, `bytes 00ff` or `(nil, true)`.
    public var description: String {
        switch self {
        case .null: "nil"
        case .bytes(let value): "bytes \(hexadecimal(value))"
        case .string(let value): value.debugDescription
        case .tuple(let value): value.description
        case .int(let value): value.description
        case .bigInteger(let value): value.description
        case .float(let value): "\(value)f"
        case .double(let value): value.description
        case .bool(let value): value.description
        case .uuid(let value): "UUID \(value.uuidString)"
        case .versionstamp(let value): value.description
        case .descending(let value): "descending \(value)"
        }
    }
}

extension Tuple: CustomStringConvertible {
    /// A description for people, such as `("users", 42, nil)`.
    public var description: String { "(\(elements.map(\.description).joined(separator: ", ")))" }
}
