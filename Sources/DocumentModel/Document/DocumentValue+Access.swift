extension DocumentValue {
    /// The kind of a ``DocumentValue``, without its content.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The kind of ``DocumentValue/null``.
        case null
        /// The kind of ``DocumentValue/bool(_:)``.
        case bool
        /// The kind of ``DocumentValue/int(_:)``.
        case int
        /// The kind of ``DocumentValue/double(_:)``.
        case double
        /// The kind of ``DocumentValue/string(_:)``.
        case string
        /// The kind of ``DocumentValue/bytes(_:)``.
        case bytes
        /// The kind of ``DocumentValue/date(_:)``.
        case date
        /// The kind of ``DocumentValue/array(_:)``.
        case array
        /// The kind of ``DocumentValue/object(_:)``.
        case object
        /// The kind of ``DocumentValue/attachment(_:)``.
        case attachment
    }

    /// The kind of this value.
    public var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .string: .string
        case .bytes: .bytes
        case .date: .date
        case .array: .array
        case .object: .object
        case .attachment: .attachment
        }
    }
}

// MARK: - Content of one kind

extension DocumentValue {
    /// Whether this is ``null``. An absent member is not a value, so it is not null either.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The truth value; `nil` if the value is of a different kind.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer; `nil` for other kinds, including doubles without a fraction.
    public var intValue: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The double; `nil` for other kinds, including integers.
    public var doubleValue: Double? {
        if case .double(let value) = self { value } else { nil }
    }

    /// The number as a double, with integers rounded to the nearest double; `nil` if the value is not a number.
    public var numberValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The string; `nil` if the value is of a different kind.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The bytes; `nil` if the value is of a different kind.
    public var bytesValue: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    /// The date; `nil` for other kinds, including strings that look like a date.
    public var dateValue: DocumentDate? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The attachment; `nil` if the value is of a different kind.
    public var attachmentValue: Attachment? {
        if case .attachment(let value) = self { value } else { nil }
    }

    /// The elements; `nil` if the value is of a different kind.
    public var arrayValue: [DocumentValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members; `nil` if the value is of a different kind.
    public var objectValue: DocumentObject? {
        if case .object(let value) = self { value } else { nil }
    }
}

// MARK: - Parts

extension DocumentValue {
    /// The member `name` of an object or an attachment; `nil` if there is none or the value is of a different kind. See
    /// ``Attachment`` for the members of an attachment.
    ///
    /// Setting a value replaces or adds the member. Setting `nil` removes it.
    ///
    /// - Precondition: for setting, the value is an object.
    /// - Complexity: as ``DocumentObject/subscript(_:)-(String)``.
    public subscript(name: String) -> DocumentValue? {
        get {
            if case .object(let object) = self { object[name] } else { attachmentValue?[name] }
        }
        set {
            guard case .object(var object) = self else {
                preconditionFailure("A member can be set only in an object, not in a value of kind \(kind).")
            }
            // Releases this value's reference first, so that the object is changed in place instead of copied.
            self = .null
            object[name] = newValue
            self = .object(object)
        }
    }

    /// The element of an array at `position`; `nil` if it is out of range or the value is not an array.
    ///
    /// - Complexity: O(1).
    public subscript(position: Int) -> DocumentValue? {
        guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
        return elements[position]
    }
}
