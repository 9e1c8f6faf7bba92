extension DocIndexError {
    /// A violation in a schema and its place.
    public struct SchemaViolation: Sendable, Hashable, CustomStringConvertible {
        /// The place in the JSON form of the schema, as a JSON pointer (RFC 6901), such as
        /// `/collections/photos/indexes/year`. Empty for the schema itself.
        public let path: String
        /// A description of the violation and how to fix it.
        public let message: String

        /// The place and the message.
        public var description: String { "\(path.isEmpty ? "the schema" : path) \(message)" }
    }
}

/// A place in JSON, written as a JSON pointer (RFC 6901).
struct JSONPointer: Hashable {
    private(set) var text = ""

    static func / (pointer: JSONPointer, name: String) -> JSONPointer {
        var pointer = pointer
        pointer.text += "/"
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": pointer.text += "~0"
            case "/": pointer.text += "~1"
            default: pointer.text.unicodeScalars.append(scalar)
            }
        }
        return pointer
    }

    static func / (pointer: JSONPointer, position: Int) -> JSONPointer { pointer / String(position) }
}

extension DocIndexError {
    /// Returns the error that lists every violation of a schema.
    static func invalidSchema(_ violations: [DocIndexError.SchemaViolation]) -> DocIndexError {
        let all = violations.map(\.description).joined(separator: "; ")
        let message =
            violations.count == 1
            ? "the schema is not valid: \(all)" : "the schema is not valid, for \(violations.count) reasons: \(all)"
        return DocIndexError(.invalidSchema, message, schemaViolations: violations)
    }
}
