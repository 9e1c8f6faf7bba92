/// Whether small or large values of a component come first.
public enum KeyDirection: String, Sendable, Hashable, CaseIterable {
    /// Small values come first, `nil` before all.
    case ascending
    /// Large values come first, `nil` after all.
    ///
    /// The component is an element of ``TupleElement/descending(_:)``, which other implementations of the tuple
    /// encoding refuse.
    case descending
}

/// One component of a ``KeySchema``: a name, a type and a direction.
public struct KeyComponent<Value: KeyElementCodable>: Sendable, Hashable {
    /// The name, for definitions and errors.
    public let name: String
    /// Which values come first.
    public let direction: KeyDirection

    /// A component.
    ///
    /// - Precondition: the name consists of ASCII letters, digits, `_`, `-` and `.`, and is not empty.
    public init(_ name: String, _ direction: KeyDirection = .ascending) {
        SchemaName.require(name, of: "component of a key schema")
        self.name = name
        self.direction = direction
    }
}

/// A component of a ``KeySchema``, without its Swift type.
public struct KeyComponentDescription: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let name: String
    /// The name of the type that is stored; see ``KeyComponentValue``.
    public let typeName: String
    /// Which values come first.
    public let direction: KeyDirection

    @usableFromInline
    init<Value>(_ component: KeyComponent<Value>) {
        name = component.name
        typeName = Value.keyTypeName
        direction = component.direction
    }

    /// The component in a definition, such as `taken: int64 descending`.
    public var description: String {
        "\(name): \(typeName)\(direction == .descending ? " descending" : "")"
    }
}

/// The names of schemas, components and codecs: program text, which goes into definitions without quotes.
enum SchemaName {
    /// Stops the program at a name that would make a definition ambiguous.
    static func require(_ name: String, of subject: String) {
        let isValid = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        precondition(
            isValid && !name.isEmpty,
            "\"\(name)\" cannot name a \(subject): use ASCII letters, digits, \"_\", \"-\" and \".\", at least one.")
    }
}
