internal import LevelKit

/// Encoding of values in keys.
extension IndexDefinition.Component {
    /// Returns the encoding of a value; `nil` means a missing member.
    func encoded(_ value: DocumentValue?) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    /// Appends the encoding of a value, complemented in descending order.
    func append(_ value: DocumentValue?, to key: inout [UInt8]) {
        let start = key.count
        appendAscending(value, to: &key)
        if order == .descending {
            for position in start..<key.count { key[position] = ~key[position] }
        }
    }

    /// Returns the offset after the value of this component at `offset`; `nil` if the value is incomplete or invalid.
    func skip(in key: Span<UInt8>, from offset: Int) -> Int? {
        OrderedValue.skip(in: key, from: offset, isDescending: order == .descending)
    }

    private func appendAscending(_ value: DocumentValue?, to key: inout [UInt8]) {
        if let part { return append(part, of: value, to: &key) }
        guard case .string(let text) = value else { return OrderedValue.append(value, to: &key) }
        if let separator {
            key.append(OrderedValue.Kind.levels.rawValue)
            for level in Self.levels(of: text, separator: separator) { append(level: level, to: &key) }
            key.append(0)
        } else if let date = DateText.date(in: text, formats: dateFormats) {
            OrderedValue.append(date, to: &key)
        } else if collation == .natural {
            Self.appendNatural(text, to: &key)
        } else {
            OrderedValue.append(collation.folded(text), to: &key)
        }
    }

    /// Returns the date that a value represents; `nil` if it does not represent one.
    private func date(_ value: DocumentValue) -> IndexedDate? {
        switch value {
        case .string(let text): DateText.date(in: text, formats: dateFormats)
        case .date(let date): IndexedDate(date)
        default: nil
        }
    }

    private func append(_ part: DocumentDate.Part, of value: DocumentValue?, to key: inout [UInt8]) {
        guard let value, !value.isNull else { return OrderedValue.append(value, to: &key) }
        if let date = date(value) {
            OrderedValue.append(.int(date.value(of: part)), to: &key)
        } else {
            // A number that is not a date must not be mistaken for a date part.
            key.append(OrderedValue.Kind.other.rawValue)
            OrderedValue.append(value, to: &key)
        }
    }

}

// MARK: - Hierarchical keywords

extension IndexDefinition.Component {
    /// Returns the range of exactly the keys of a keyword and its descendants; `nil` if the component is not
    /// hierarchical.
    ///
    /// - Parameter prefix: The key bytes before the component.
    func subtree(of keyword: String, behind prefix: [UInt8]) -> KeyRange? {
        guard let separator else { return nil }
        let levels = levelPrefix(Self.levels(of: keyword, separator: separator), isLastWhole: true)
        // The end mark or another level follows. The range excludes `ff`, the escape of a zero byte, with which a
        // longer last level would continue.
        guard order == .descending else {
            return .range(from: prefix + levels, to: prefix + levels + [Self.levelMark + 1])
        }
        let complement = prefix + levels.map { ~$0 }
        return .range(from: complement + [~Self.levelMark], to: KeyRange.successor(ofPrefix: complement) ?? [0xff])
    }

    /// Returns the common prefix of the keys of all strings that begin with `prefix`, in ascending order. Other keys
    /// may have it too.
    ///
    /// Returns `nil` if the keys share no prefix: `prefix` may end inside a separator of several characters, and
    /// folding may change its last letter.
    func levelPrefix(ofTextsBeginningWith prefix: String) -> [UInt8]? {
        guard let separator, separator.unicodeScalars.count == 1, collation == .binary else { return nil }
        return levelPrefix(Self.levels(of: prefix, separator: separator), isLastWhole: false)
    }

    private func levelPrefix(_ levels: [String], isLastWhole: Bool) -> [UInt8] {
        var key = [OrderedValue.Kind.levels.rawValue]
        for level in levels { append(level: level, to: &key) }
        // Without its terminator, the last level may continue.
        if !isLastWhole { key.removeLast() }
        return key
    }

    private func append(level: String, to key: inout [UInt8]) {
        key.append(Self.levelMark)
        for byte in collation.folded(level).utf8 { OrderedValue.appendEscaped(byte, to: &key) }
        key.append(0)
    }

    private static var levelMark: UInt8 { OrderedValue.levelMark }

    /// Splits a keyword into levels, which may be empty. Returns a single level if the separator is empty.
    static func levels(of text: String, separator: String) -> [String] {
        let bytes = Array(text.utf8)
        let separator = Array(separator.utf8)
        guard !separator.isEmpty else { return [text] }
        var levels: [String] = []
        var start = 0
        var offset = 0
        while offset + separator.count <= bytes.count {
            if bytes[offset..<offset + separator.count].elementsEqual(separator) {
                levels.append(String(decoding: bytes[start..<offset], as: UTF8.self))
                offset += separator.count
                start = offset
            } else {
                offset += 1
            }
        }
        return levels + [String(decoding: bytes[start...], as: UTF8.self)]
    }
}

// MARK: - Natural order

extension IndexDefinition.Component {
    /// Appends the string without case. A run of digits becomes `30`, the number of digits without leading zeros, and
    /// those digits. The original string follows as a tie-breaker.
    ///
    /// No other byte of UTF-8 lies between `30` and `39`, so runs of digits keep their position relative to other
    /// characters.
    private static func appendNatural(_ text: String, to key: inout [UInt8]) {
        key.append(OrderedValue.Kind.naturalString.rawValue)
        let folded = Array(TextFolding.withoutCase(text).utf8)
        var offset = 0
        while offset < folded.count {
            let end = folded[offset...].firstIndex { !(0x30...0x39).contains($0) } ?? folded.count
            if end == offset {
                OrderedValue.appendEscaped(folded[offset], to: &key)
                offset += 1
                continue
            }
            let digits = folded[offset..<end].drop { $0 == 0x30 }
            key.append(0x30)
            appendCount(digits.count, to: &key)
            key.append(contentsOf: digits)
            offset = end
        }
        key.append(0)
        for byte in text.utf8 { OrderedValue.appendEscaped(byte, to: &key) }
        key.append(0)
    }

    /// Returns the spans of keys, in ascending order, that contain all strings that begin with `prefix`. Each span
    /// extends from the keys with its first prefix through those with its last. Other keys may be included.
    ///
    /// Each number of digits needs a separate span: `IMG_12` is also a prefix of `IMG_120` to `IMG_129`, of `IMG_1200`
    /// to `IMG_1299`, and so on.
    ///
    /// Returns `nil` if the component does not have natural order, or the prefix does not help: characters outside
    /// ASCII may combine with what precedes them, and a combining mark may follow a letter at the end.
    func naturalSpans(ofTextsBeginningWith prefix: String) -> [(first: [UInt8], last: [UInt8])]? {
        guard collation == .natural, separator == nil, part == nil, dateFormats.isEmpty else { return nil }
        var known = Array(prefix.utf8.prefix { $0 < 0x80 })
        while let last = known.last, Self.isComposed(last) { known.removeLast() }
        guard !known.isEmpty else { return nil }
        let digitCount = known.reversed().prefix { (0x30...0x39).contains($0) }.count
        var base: [UInt8] = []
        Self.appendNatural(String(decoding: known.dropLast(digitCount), as: UTF8.self), to: &base)
        // Remove both terminators and the original string, keeping the kind and the folded part.
        base.removeLast(known.count - digitCount + Self.zeroCount(known) + 2)
        guard digitCount > 0 else { return [(base, base)] }
        base.append(0x30)
        let digits = known.suffix(digitCount).drop { $0 == 0x30 }
        // Leading zeros are not part of the key.
        guard !digits.isEmpty else { return [(base, base)] }
        func number(ofDigits count: Int) -> [UInt8] {
            var key = base
            Self.appendCount(count, to: &key)
            return key
        }
        let spans = (0..<Self.numberSpanCount).map { number(ofDigits: digits.count + $0) + digits }
        return spans.map { ($0, $0) } + [(number(ofDigits: digits.count + Self.numberSpanCount), base)]
    }

    /// The number of different digit counts that get separate spans.
    private static let numberSpanCount = 6

    private static func zeroCount(_ bytes: [UInt8]) -> Int { bytes.count { $0 == 0 } }

    /// Returns whether an ASCII character may combine with a mark into another character: letters, and signs that have
    /// negated forms.
    private static func isComposed(_ byte: UInt8) -> Bool {
        (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || (0x3c...0x3e).contains(byte)
    }

    /// Appends a count in order-preserving bytes without zeros.
    private static func appendCount(_ count: Int, to key: inout [UInt8]) {
        var rest = count
        while rest >= 254 {
            key.append(0xff)
            rest -= 254
        }
        key.append(UInt8(rest) + 1)
    }
}
