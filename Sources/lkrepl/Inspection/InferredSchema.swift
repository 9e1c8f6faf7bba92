import DocIndex

/// Infers a JSON Schema (draft 2020-12) that all given values satisfy.
///
/// Memory is proportional to the number of distinct paths.
struct InferredSchema {
    /// The number of values.
    private(set) var count = 0

    private var types: Set<SchemaType> = []
    /// The members of all objects, in order of first occurrence.
    private var members: [(name: String, shape: InferredSchema)] = []
    private var positions: [[UInt8]: Int] = [:]
    private var objectCount = 0
    /// The schema of array elements: none or one. An array, since a struct cannot contain itself.
    private var elements: [InferredSchema] = []

    /// The types of values, in the order of the result.
    private enum SchemaType: String, CaseIterable {
        case null, boolean, integer, number, string, date, bytes, array, object
    }

    /// Adds one value. An attachment is described by its members, as an object.
    mutating func add(_ value: DocumentValue) {
        count += 1
        types.insert(Self.type(of: value))
        switch value {
        case .object(let object): addMembers(of: object)
        case .attachment: value.memberObject.map { addMembers(of: $0) }
        case .array(let values):
            if elements.isEmpty { elements = [InferredSchema()] }
            for value in values { elements[0].add(value) }
        default: break
        }
    }

    private mutating func addMembers(of object: DocumentObject) {
        objectCount += 1
        for member in object { add(member) }
    }

    private mutating func add(_ member: DocumentObject.Member) {
        let name = Array(member.name.utf8)
        let position = positions[name] ?? members.count
        if position == members.count {
            positions[name] = position
            members.append((member.name, InferredSchema()))
        }
        members[position].shape.add(member.value)
    }

    private static func type(of value: DocumentValue) -> SchemaType {
        switch value {
        case .null: .null
        case .bool: .boolean
        case .int: .integer
        case .double: .number
        case .string: .string
        case .date: .date
        case .bytes: .bytes
        case .array: .array
        case .object, .attachment: .object
        }
    }

    /// The schema of a whole document, with title and dialect.
    func jsonSchema(title: String) -> DocumentValue {
        var schema: DocumentObject = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": .string(title),
        ]
        for member in object { schema[member.name] = member.value }
        return .object(schema)
    }

    private var object: DocumentObject {
        var schema = DocumentObject()
        let alternatives = types
        // Every integer is a number.
        let kinds = SchemaType.allCases.filter {
            alternatives.contains($0) && !($0 == .integer && alternatives.contains(.number))
        }
        var names: [String] = []
        for kind in kinds {
            let name = kind == .date || kind == .bytes ? "string" : kind.rawValue
            if !names.contains(name) { names.append(name) }
        }
        if names.count == 1 { schema["type"] = .string(names[0]) }
        if names.count > 1 { schema["type"] = .array(names.map { .string($0) }) }
        // Formats apply only if all strings are of the same kind.
        let texts = kinds.filter { [.string, .date, .bytes].contains($0) }
        if texts == [.date] { schema["format"] = "date-time" }
        if texts == [.bytes] { schema["contentEncoding"] = "base64" }
        if let element = elements.first, element.count > 0 { schema["items"] = .object(element.object) }
        guard objectCount > 0 else { return schema }
        var properties = DocumentObject()
        for member in members { properties[member.name] = .object(member.shape.object) }
        schema["properties"] = .object(properties)
        let required = members.filter { $0.shape.count == objectCount }.map { DocumentValue.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        return schema
    }
}
