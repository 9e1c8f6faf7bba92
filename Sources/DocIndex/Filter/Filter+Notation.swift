/// Conditions as text.
extension Filter: CustomStringConvertible {
    /// The condition in a notation that ``init(parsing:)`` can parse. Parts deeper than ``maximumDepth`` are omitted.
    public var description: String { notation(within: Self.maximumDepth) }

    private func notation(within depth: Int) -> String {
        let condition = unwrapped
        switch condition {
        case .and(let parts): return Self.joined(parts.content, by: " AND ", ifEmpty: "()", within: depth)
        case .or(let parts): return Self.joined(parts.content, by: " OR ", ifEmpty: "NOT ()", within: depth)
        case .not(let part): return Self.negated(part.content.unwrapped, within: depth)
        case .anyElement(let path, let part):
            return Self.element("\(path.notation) ANY", part.content, within: depth)
        case .anyKey(let path, let part):
            return Self.element("\(path.notation) ANY KEY", part.content, within: depth)
        default: return condition.ownNotation
        }
    }

    /// The notation of a condition without nested conditions. Kept out of the recursion, to keep its stack frames
    /// small.
    private var ownNotation: String {
        switch self {
        case .all: "()"
        case .compare(let path, let comparison, let value):
            "\(path.notation) \(comparison.rawValue) \(value.notation)"
        case .collates(let path, let comparison, let value):
            "\(path.notation) COLLATES \(comparison.rawValue) \(value.notation)"
        case .isIn(let path, let values):
            "\(path.notation) IN (\(values.map(\.notation).joined(separator: ", ")))"
        case .folded(let path, let collation, let condition):
            "\(collation.rawValue)(\(path.notation)) \(condition.notation)"
        case .hasPrefix(let path, let text): "\(path.notation) ^= \(text.quotedNotation)"
        case .contains(let path, let text): "\(path.notation) *= \(text.quotedNotation)"
        case .hasMatch(let path, let pattern): "\(path.notation) MATCHES \(pattern)"
        case .isBelow(let path, let keyword, let separator):
            "\(path.notation) BELOW \(keyword.quotedNotation) BY \(separator.quotedNotation)"
        case .hasKind(let path, let kinds):
            "\(path.notation) IS (\(kinds.map(\.notation).sorted().joined(separator: ", ")))"
        case .hasCount(let path, let count): "\(path.notation) SIZE \(count)"
        case .isCongruent(let path, let divisor, let remainder): "\(path.notation) MOD \(divisor), \(remainder)"
        case .isDated(let path, let span): "\(path.notation) DURING \(span)"
        case .hasDatePart(let path, let part, let ranges):
            "\(part.rawValue)(\(path.notation)) IN (\(ranges.map(Self.notation).joined(separator: ", ")))"
        case .exists(let path): "\(path.notation) EXISTS"
        case .isWithin(let field, let box):
            "\(field.notation) WITHIN \(box.south), \(box.west), \(box.north), \(box.east)"
        case .search(let condition): "SEARCH \(condition.isBox ? "BOX " : "")\(condition.text.quotedNotation)"
        case .isNear(let field, let center, let meters):
            "\(field.notation) NEAR \(center.latitude), \(center.longitude), \(meters)m"
        case .and, .or, .not, .anyElement, .anyKey: "…"
        }
    }

    /// The condition without AND and OR around a single part.
    private var unwrapped: Filter {
        var condition = self
        while true {
            switch condition {
            case .and(let parts) where parts.content.count == 1, .or(let parts) where parts.content.count == 1:
                condition = parts.content[0]
            case .and(let parts) where parts.content.isEmpty: return .all
            default: return condition
            }
        }
    }

    private static func negated(_ part: Filter, within depth: Int) -> String {
        switch part {
        case .all: return "NOT ()"
        case .exists(let path): return "\(path.notation) MISSING"
        default: return depth == 0 ? "…" : "NOT (" + part.notation(within: depth - 1) + ")"
        }
    }

    private static func element(_ beginning: String, _ part: Filter, within depth: Int) -> String {
        depth == 0 ? "…" : "\(beginning) (\(part.notation(within: depth - 1)))"
    }

    private static func joined(
        _ parts: [Filter], by word: String, ifEmpty: String, within depth: Int
    ) -> String {
        if parts.isEmpty { return ifEmpty }
        if depth == 0 { return "…" }
        var texts: [String] = []
        texts.reserveCapacity(parts.count)
        for part in parts {
            let text = part.notation(within: depth - 1)
            texts.append(part.needsParentheses ? "(" + text + ")" : text)
        }
        return texts.joined(separator: word)
    }

    private var needsParentheses: Bool {
        switch unwrapped {
        case .and: true
        case .or(let inner): !inner.content.isEmpty
        default: false
        }
    }

    private static func notation(_ range: ClosedRange<Int64>) -> String {
        range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)"
    }
}

extension Filter.DateSpan: CustomStringConvertible {
    /// Both bounds in ISO 8601, separated by `..`; a missing bound is omitted.
    public var description: String {
        let ends = [lower, upper].map { $0.map { DocumentDate(milliseconds: $0).iso8601 } ?? "" }
        return "\(ends[0])..\(ends[1])"
    }

    /// Parses a ``description``.
    init?(notation: String) {
        guard let dots = notation.range(of: "..") else { return nil }
        let ends = [notation[..<dots.lowerBound], notation[dots.upperBound...]]
        let dates = ends.map { DocumentDate(iso8601: String($0)) }
        for (text, date) in zip(ends, dates) where !text.isEmpty && date == nil { return nil }
        self.init(from: dates[0]?.milliseconds, to: dates[1]?.milliseconds)
    }
}

extension GeoField {
    var notation: String { paths.map(\.notation).joined(separator: ",") }
}

extension FieldPath {
    /// The path in the notation of conditions: as in ``init(parsing:)``, with quotes around everything that is not a
    /// plain word, and `@` for the element itself.
    var notation: String {
        var text = ""
        for (position, step) in steps.enumerated() {
            switch step {
            case .eachElement: text += position == 0 ? "@[]" : "[]"
            case .name(let name):
                if position > 0 { text += "." }
                text +=
                    Self.isPlainWord(name) && (steps.count > 1 || !FilterParser.isKeyword(name))
                    ? name : name.quotedNotation
            }
        }
        return steps.isEmpty ? "@" : text
    }

    private static func isPlainWord(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x2d, 0x3a: true
                default: false
                }
            }
    }
}

extension String {
    /// The string in double quotes.
    var quotedNotation: String {
        var text = String.UnicodeScalarView()
        text.append("\"")
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.append("\\") }
            text.append(scalar)
        }
        text.append("\"")
        return String(text)
    }

    /// Returns the range of the first occurrence of a string, compared by Unicode scalars.
    fileprivate func range(of part: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].unicodeScalars.starts(with: part.unicodeScalars) {
                return start..<unicodeScalars.index(start, offsetBy: part.unicodeScalars.count)
            }
            start = unicodeScalars.index(after: start)
        }
        return nil
    }
}

extension DocumentValue {
    /// The value in the notation of conditions.
    var notation: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): "\(number)"
        case .double(let number) where number.isFinite: "\(number)"
        // Without the `json` prefix, a string in the form of a date would be compared as a date.
        case .string(let text) where Filter.DateSpan(comparing: self) == nil: text.quotedNotation
        default: "json \(description.quotedNotation)"
        }
    }
}

extension DocumentValue.Kind {
    /// Returns the kinds denoted by a name; `nil` if the name is unknown.
    static func named(_ name: String) -> Set<DocumentValue.Kind>? {
        switch name.lowercased() {
        case "number": [.int, .double]
        case "text": [.string]
        case "bool": [.bool]
        default: allCases.first { $0.notation == name.lowercased() }.map { [$0] }
        }
    }
}
