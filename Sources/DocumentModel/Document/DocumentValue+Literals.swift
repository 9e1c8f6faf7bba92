extension DocumentValue: ExpressibleByNilLiteral {
    /// Creates ``null``.
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension DocumentValue: ExpressibleByBooleanLiteral {
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension DocumentValue: ExpressibleByIntegerLiteral {
    /// Creates an integer.
    public init(integerLiteral value: Int64) {
        self = .int(value)
    }
}

extension DocumentValue: ExpressibleByFloatLiteral {
    /// Creates a double, even if the literal has no fraction: `1.0` is not `1`.
    public init(floatLiteral value: Double) {
        self = .double(value)
    }
}

extension DocumentValue: ExpressibleByStringLiteral {
    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension DocumentValue: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: DocumentValue...) {
        self = .array(elements)
    }
}

extension DocumentValue: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members in the given order.
    ///
    /// - Precondition: no name occurs twice.
    public init(dictionaryLiteral elements: (String, DocumentValue)...) {
        self = .object(DocumentObject(literal: elements))
    }
}
