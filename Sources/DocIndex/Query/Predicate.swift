/// A condition on a document.
///
/// Comparisons hold only between values of one kind: `year < 1950` is true of no text and of no document without a
/// year. Integers and doubles are one kind and are compared by value. A path with `[]` asks whether any element
/// satisfies the condition. Texts are compared by their UTF-8 bytes.
public indirect enum Predicate: Sendable, Hashable {
    /// True of every document.
    case all
    /// The value at a path stands in a relation to a constant.
    case compare(FieldPath, Comparison, DocumentValue)
    /// The value at a path is one of several.
    case isIn(FieldPath, [DocumentValue])
    /// The text at a path begins with another.
    case hasPrefix(FieldPath, String)
    /// The text at a path contains another.
    case contains(FieldPath, String)
    /// There is a value at a path, `null` included.
    case exists(FieldPath)
    /// All of these hold.
    case and([Predicate])
    /// At least one of these holds.
    case or([Predicate])
    /// This does not hold.
    case not(Predicate)

    /// The relation of a value to a constant.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// The same value.
        case equal = "="
        /// A smaller value of the same kind.
        case less = "<"
        /// A smaller value of the same kind, or the same.
        case lessOrEqual = "<="
        /// A larger value of the same kind.
        case greater = ">"
        /// A larger value of the same kind, or the same.
        case greaterOrEqual = ">="
    }

    /// The condition that a value lies between two others, both included.
    public static func between(_ path: FieldPath, _ lower: DocumentValue, _ upper: DocumentValue) -> Predicate {
        .and([.compare(path, .greaterOrEqual, lower), .compare(path, .lessOrEqual, upper)])
    }

    /// Whether the condition holds for a document.
    public func matches(_ document: DocumentObject) -> Bool {
        switch self {
        case .all: true
        case .compare(let path, let comparison, let constant):
            path.anyElement(in: document) { comparison.holds($0, constant) }
        case .isIn(let path, let constants):
            path.anyElement(in: document) { value in constants.contains { Comparison.equal.holds(value, $0) } }
        case .hasPrefix(let path, let prefix):
            path.anyElement(in: document) { $0.stringValue?.utf8.starts(with: prefix.utf8) ?? false }
        case .contains(let path, let part):
            path.anyElement(in: document) { $0.stringValue.map { $0.hasBytes(part) } ?? false }
        case .exists(let path): path.anyElement(in: document) { _ in true }
        case .and(let parts): parts.allSatisfy { $0.matches(document) }
        case .or(let parts): parts.contains { $0.matches(document) }
        case .not(let part): !part.matches(document)
        }
    }
}

extension Predicate.Comparison {
    /// Whether `value` stands in this relation to `constant`.
    func holds(_ value: DocumentValue, _ constant: DocumentValue) -> Bool {
        guard let order = ValueOrder.compare(value, constant) else { return false }
        return switch self {
        case .equal: order == 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}

extension String {
    /// Whether the UTF-8 of `part` occurs in the UTF-8 of this text.
    fileprivate func hasBytes(_ part: String) -> Bool {
        let text = utf8Span.span
        let part = part.utf8Span.span
        guard part.count <= text.count else { return false }
        if part.isEmpty { return true }
        for start in 0...(text.count - part.count) where text[start] == part[0] {
            var length = 1
            while length < part.count, text[start + length] == part[length] { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}

/// The order of values of one kind.
enum ValueOrder {
    /// Negative, zero or positive; `nil` for values of different kinds, or of a kind that has no order and differs.
    static func compare(_ a: DocumentValue, _ b: DocumentValue) -> Int? {
        switch (a, b) {
        case (.int(let a), .int(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.double(let a), .double(let b)): compare(a, b)
        case (.int(let a), .double(let b)): compare(a, b)
        case (.double(let a), .int(let b)): compare(b, a).map { -$0 }
        case (.string(let a), .string(let b)): compare(a.utf8Span.span, b.utf8Span.span)
        case (.bytes(let a), .bytes(let b)): compare(a.span, b.span)
        case (.date(let a), .date(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.bool(let a), .bool(let b)): (a ? 1 : 0) - (b ? 1 : 0)
        case (.null, .null): 0
        case (.array, .array), (.object, .object): a == b ? 0 : nil
        default: nil
        }
    }

    private static func compare(_ a: Double, _ b: Double) -> Int? {
        if a.isNaN || b.isNaN { return a.isNaN && b.isNaN ? 0 : nil }
        return a < b ? -1 : a > b ? 1 : 0
    }

    /// Exact: an integer beyond 2^53 is not rounded to a double first.
    private static func compare(_ a: Int64, _ b: Double) -> Int? {
        if b.isNaN { return nil }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let floor = b.rounded(.down)
        let whole = Int64(floor)
        if a != whole { return a < whole ? -1 : 1 }
        return floor < b ? -1 : 0
    }

    private static func compare(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
        let common = min(a.count, b.count)
        for index in 0..<common where a[index] != b[index] { return Int(a[index]) - Int(b[index]) }
        return a.count - b.count
    }
}
