/// The direction in which a component sorts.
public enum KeyDirection: String, Sendable, Hashable, CaseIterable {
    /// Small values come first, and `nil` before all others.
    case ascending
    /// Large values come first, and `nil` after all others.
    ///
    /// The component is stored as an element of ``Tuple/Element/descending(_:)``, which other implementations of the
    /// tuple encoding reject.
    case descending
}

/// A component of a ``KeySchema``: a name, a type and a direction.
public struct KeyComponent<Value: KeyElementCodable>: Sendable, Hashable {
    /// The name, for definitions and errors.
    public let name: String
    /// The direction in which values sort.
    public let direction: KeyDirection

    /// Creates a component.
    ///
    /// - Precondition: the name is not empty and consists of ASCII letters, digits, `_`, `-` and `.`.
    public init(_ name: String, _ direction: KeyDirection = .ascending) {
        SchemaName.require(name, of: "component of a key schema")
        self.name = name
        self.direction = direction
    }
}

/// A component of a ``KeySchema``, without its Swift type.
@usableFromInline
package struct KeyComponentDescription: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    package let name: String
    /// The name of the stored type; see ``KeyComponentValue``.
    package let typeName: String
    /// The direction in which values sort.
    @usableFromInline package let direction: KeyDirection

    @usableFromInline
    init<Value>(_ component: KeyComponent<Value>) {
        name = component.name
        typeName = Value.keyTypeName
        direction = component.direction
    }

    /// The component as part of a definition, such as `taken: int64 descending`.
    @usableFromInline
    package var description: String {
        "\(name): \(typeName)\(direction == .descending ? " descending" : "")"
    }
}

/// Validates the names of schemas, components and codecs, which appear unquoted in definitions.
enum SchemaName {
    /// Traps on a name that would make a definition ambiguous.
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
