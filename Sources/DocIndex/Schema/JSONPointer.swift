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
