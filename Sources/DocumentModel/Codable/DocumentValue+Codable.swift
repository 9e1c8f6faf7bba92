/// Values and objects as parts of Swift types. ``DocumentEncoder`` and ``DocumentDecoder`` pass them through unchanged.
/// Other encoders represent bytes as an array of integers, dates as strings in ISO 8601, and attachments as objects with
/// their members. They may not preserve the order of members or the kinds of numbers.
extension DocumentValue: Codable {
    /// Decodes the value with another decoder; see ``DocumentValue``.
    public init(from decoder: any Decoder) throws {
        if let node = decoder as? DecodingNode {
            self = node.value
        } else if let container = try? decoder.container(keyedBy: PlainKey.self) {
            var object = DocumentObject()
            for key in container.allKeys {
                object[key.stringValue] = try container.decode(DocumentValue.self, forKey: key)
            }
            self = .object(object)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [DocumentValue] = []
            while !container.isAtEnd { elements.append(try container.decode(DocumentValue.self)) }
            self = .array(elements)
        } else {
            self = try Self.scalar(in: decoder.singleValueContainer())
        }
    }

    private static func scalar(in container: any SingleValueDecodingContainer) throws -> DocumentValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .int(value) }
        if let value = try? container.decode(Double.self) { return .double(value) }
        return .string(try container.decode(String.self))
    }

    /// Encodes the value with another encoder.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object):
            var container = encoder.container(keyedBy: PlainKey.self)
            for member in object { try container.encode(member.value, forKey: PlainKey(stringValue: member.name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try Self.encode(value, to: encoder)
        case .int(let value): try Self.encode(value, to: encoder)
        case .double(let value): try Self.encode(value, to: encoder)
        case .string(let value): try Self.encode(value, to: encoder)
        case .bytes(let value): try Self.encode(value, to: encoder)
        case .date(let value): try Self.encode(value.iso8601, to: encoder)
        case .attachment: try attachmentValue?.encode(to: encoder)
        }
    }

    private static func encode(_ value: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension DocumentObject: Codable {
    /// Decodes the object with another decoder; see ``DocumentValue``.
    public init(from decoder: any Decoder) throws {
        let value = try DocumentValue(from: decoder)
        guard case .object(let object) = value else {
            throw DecodingError.typeMismatch(
                DocumentObject.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "Expected an object."))
        }
        self = object
    }

    /// Encodes the object with another encoder.
    public func encode(to encoder: any Encoder) throws {
        try DocumentValue.object(self).encode(to: encoder)
    }
}

extension DocumentDate: Codable {
    /// Decodes the date from a string in ISO 8601.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let date = DocumentDate(iso8601: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "Expected an ISO 8601 date.")
        }
        self = date
    }

    /// Encodes the date as a string in ISO 8601.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(iso8601)
    }
}

extension DocumentID: Codable {
    /// Decodes the ID from a string or an integer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            self = .int(number)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    /// Encodes the ID as a string or an integer.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let text): try container.encode(text)
        case .int(let number): try container.encode(number)
        }
    }
}
