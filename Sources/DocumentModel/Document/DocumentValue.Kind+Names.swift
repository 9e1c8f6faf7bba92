extension DocumentValue.Kind {
    /// The name in conditions and messages.
    package var notation: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .int: "integer"
        case .double: "double"
        case .string: "string"
        case .bytes: "bytes"
        case .date: "date"
        case .array: "array"
        case .object: "object"
        case .attachment: "attachment"
        }
    }

    /// The kind with its article, for messages.
    package var article: String {
        switch self {
        case .null: "null"
        case .bytes: "bytes"
        case .int, .array, .object, .attachment: "an \(notation)"
        case .bool, .double, .string, .date: "a \(notation)"
        }
    }
}
