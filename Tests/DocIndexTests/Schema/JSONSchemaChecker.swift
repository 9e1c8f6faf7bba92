import DocIndex

/// The subset of JSON Schema (2020-12) that `docs/schema.json` uses. An unknown keyword fails every check, so that none
/// is silently ignored.
struct JSONSchemaChecker {
    let root: DocumentValue

    /// Keywords for readers, which check nothing.
    private static let annotations: Set<String> = ["$schema", "$defs", "title", "description", "default"]

    func accepts(_ value: DocumentValue) -> Bool { accepts(value, by: root) }

    private func accepts(_ value: DocumentValue, by schema: DocumentValue) -> Bool {
        guard case .object(let keywords) = schema else { return schema == .bool(true) }
        return keywords.allSatisfy { keyword in
            if Self.annotations.contains(keyword.name) { return true }
            return accepts(value, keyword: keyword.name, keyword.value, of: keywords)
        }
    }

    private func accepts(
        _ value: DocumentValue, keyword: String, _ argument: DocumentValue, of schema: DocumentObject
    ) -> Bool {
        switch keyword {
        case "$ref": return definition(argument).map { accepts(value, by: $0) } ?? false
        case "type": return argument.stringValue.map { isOf(type: $0, value) } ?? false
        case "enum": return argument.arrayValue?.contains(value) ?? false
        case "oneOf": return argument.arrayValue?.count { accepts(value, by: $0) } == 1
        case "required":
            guard let object = value.objectValue else { return true }
            return argument.arrayValue?.allSatisfy { $0.stringValue.map { object[$0] != nil } ?? false } ?? false
        case "properties":
            guard let object = value.objectValue, let properties = argument.objectValue else { return true }
            return object.allSatisfy { member in properties[member.name].map { accepts(member.value, by: $0) } ?? true }
        case "additionalProperties":
            guard let object = value.objectValue else { return true }
            let known = schema["properties"]?.objectValue
            return object.allSatisfy { known?[$0.name] != nil || accepts($0.value, by: argument) }
        case "propertyNames":
            return value.objectValue?.allSatisfy { accepts(.string($0.name), by: argument) } ?? true
        case "items": return value.arrayValue?.allSatisfy { accepts($0, by: argument) } ?? true
        case "minProperties": return value.objectValue.map { $0.count >= integer(argument) } ?? true
        case "pattern":
            guard let text = value.stringValue, let pattern = argument.stringValue else { return true }
            return (try? Regex(pattern)).map { text.firstMatch(of: $0) != nil } ?? false
        case "minItems": return value.arrayValue.map { $0.count >= integer(argument) } ?? true
        case "maxItems": return value.arrayValue.map { $0.count <= integer(argument) } ?? true
        case "minLength": return value.stringValue.map { $0.unicodeScalars.count >= integer(argument) } ?? true
        case "minimum": return value.numberValue.map { $0 >= Double(integer(argument)) } ?? true
        case "maximum": return value.numberValue.map { $0 <= Double(integer(argument)) } ?? true
        default: return false
        }
    }

    private func integer(_ value: DocumentValue) -> Int { Int(value.intValue ?? 0) }

    private func definition(_ reference: DocumentValue) -> DocumentValue? {
        let prefix = "#/$defs/"
        guard let text = reference.stringValue, text.hasPrefix(prefix) else { return nil }
        return root["$defs"]?[String(text.dropFirst(prefix.count))]
    }

    private func isOf(type: String, _ value: DocumentValue) -> Bool {
        switch (type, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("integer", .int): true
        default: false
        }
    }
}
