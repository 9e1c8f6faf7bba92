extension DocumentValue: ExpressibleByNilLiteral {
    /// ``null``.
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension DocumentValue: ExpressibleByBooleanLiteral {
    /// A truth value.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension DocumentValue: ExpressibleByIntegerLiteral {
    /// An integer.
    public init(integerLiteral value: Int64) {
        self = .int(value)
    }
}

extension DocumentValue: ExpressibleByFloatLiteral {
    /// A double, also when the literal has no fraction: `1.0` is not `1`.
    public init(floatLiteral value: Double) {
        self = .double(value)
    }
}

extension DocumentValue: ExpressibleByStringLiteral {
    /// A string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension DocumentValue: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: DocumentValue...) {
        self = .array(elements)
    }
}

extension DocumentValue: ExpressibleByDictionaryLiteral {
    /// An object with the members in the order written.
    ///
    /// - Precondition: no name occurs twice.
    public init(dictionaryLiteral elements: (String, DocumentValue)...) {
        self = .object(DocumentObject(literal: elements))
    }
}
