/// A path from a document to one or more of its values: `exif.model`, `keywords[]`, `people[].name`.
///
/// Steps are separated by dots. `[]` after a step means "each element", and may be repeated for arrays of arrays. A
/// name that is empty or contains `.`, `[`, `]` or `"` must be in double quotes, in which `\"` and `\\` stand for the
/// character after the backslash: `"GPS:Latitude.x".y`. Names such as `ExifIFD:ISO` need no quotes. A space is part of
/// the name.
///
/// Paths are equal if they have the same steps. Names are compared by their UTF-8 bytes; quoting makes no difference.
public struct FieldPath: Sendable, Hashable {
    /// A step of a path.
    public enum Step: Sendable {
        /// The member of an object with this name.
        case name(String)
        /// Each element of an array.
        case eachElement
    }

    /// The maximum number of steps in a path: enough for any document, and a bound for recursion along a path.
    public static let maximumStepCount = 128

    /// The steps, starting at the document. There is at least one, and the first is a name.
    public let steps: [Step]

    /// Whether the path has a `[]` step and may lead to any number of values.
    public let hasArrayStep: Bool

    /// Creates a path that consists of these names, without `[]`.
    ///
    /// - Precondition: there is at least one name and no more than ``maximumStepCount``.
    public init(names: String...) {
        precondition(!names.isEmpty, "A field path needs at least one name.")
        precondition(names.count <= Self.maximumStepCount, "A field path has at most \(Self.maximumStepCount) steps.")
        self.init(checked: names.map(Step.name))
    }

    package init(checked steps: [Step]) {
        self.steps = steps
        hasArrayStep = steps.contains(.eachElement)
    }
}

extension FieldPath.Step: Hashable {
    /// Whether both are `[]`, or are names with the same UTF-8 bytes.
    public static func == (left: FieldPath.Step, right: FieldPath.Step) -> Bool {
        switch (left, right) {
        case (.eachElement, .eachElement): true
        case (.name(let left), .name(let right)): left.hasSameBytes(as: right)
        default: false
        }
    }

    /// Feeds the name, if any, into `hasher`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .eachElement: hasher.combine(false)
        case .name(let name):
            hasher.combine(true)
            name.hashBytes(into: &hasher)
        }
    }
}

extension FieldPath: ExpressibleByStringLiteral {
    /// Creates a path from the notation of ``init(parsing:)``.
    ///
    /// - Precondition: the literal is a well-formed path.
    public init(stringLiteral text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            preconditionFailure(error.description)
        }
    }
}

extension FieldPath: CustomStringConvertible {
    /// The path in the notation of ``init(parsing:)``, with quotes only where necessary.
    public var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .eachElement: text += "[]"
            case .name(let name):
                if !text.isEmpty { text += "." }
                text += Self.notation(of: name)
            }
        }
        return text
    }

    private static func notation(of name: String) -> String {
        let isPlain = !name.isEmpty && !name.unicodeScalars.contains { FieldPathParser.isSpecial($0) }
        if isPlain { return name }
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in name.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
