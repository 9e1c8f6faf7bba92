internal import LevelKit

/// From values to the bytes of a key.
extension IndexComponent {
    /// The bytes of a value; `nil` stands for a member that is absent.
    func encoded(_ value: DocumentValue?) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    /// Adds the bytes of a value; complemented where larger values come first.
    func append(_ value: DocumentValue?, to key: inout [UInt8]) {
        let start = key.count
        appendAscending(value, to: &key)
        if order == .descending {
            for position in start..<key.count { key[position] = ~key[position] }
        }
    }

    /// The offset behind the value of this component that begins at `offset`; `nil` if there is no whole value.
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
            OrderedValue.append(folded(text), to: &key)
        }
    }

    /// The date that a value stands for; `nil` if it is none.
    private func date(_ value: DocumentValue) -> IndexedDate? {
        switch value {
        case .string(let text): DateText.date(in: text, formats: dateFormats)
        case .date(let date): IndexedDate(date)
        default: nil
        }
    }

    private func append(_ part: DatePart, of value: DocumentValue?, to key: inout [UInt8]) {
        guard let value, !value.isNull else { return OrderedValue.append(value, to: &key) }
        if let date = date(value) {
            OrderedValue.append(.int(date.value(of: part)), to: &key)
        } else {
            // A number that is no date must not pass for a month.
            key.append(OrderedValue.Kind.other.rawValue)
            OrderedValue.append(value, to: &key)
        }
    }

    private func folded(_ text: String) -> String {
        switch collation {
        case .binary, .natural: text
        case .caseInsensitive: TextFolding.withoutCase(text)
        case .caseAndAccentInsensitive: TextFolding.withoutCaseAndAccents(text)
        }
    }
}

// MARK: - Hierarchical keywords

extension IndexComponent {
    /// The keys of a keyword and of everything below it, and no others; `nil` if the component has no levels.
    ///
    /// - Parameter prefix: what stands before the component.
    func subtree(of keyword: String, behind prefix: [UInt8]) -> KeyRange? {
        guard let separator else { return nil }
        let levels = levelPrefix(Self.levels(of: keyword, separator: separator), isLastWhole: true)
        // What follows is the end or another level; the escape of a zero byte, by which the last level would go on,
        // is left out.
        guard order == .descending else { return .from(prefix + levels, to: prefix + levels + [Self.levelMark + 1]) }
        let complement = prefix + levels.map { ~$0 }
        return .from(complement + [~Self.levelMark], to: KeyRange.successor(ofPrefix: complement) ?? [0xff])
    }

    /// The beginning that the keys of all texts have in common that begin with `prefix`, of a component that is
    /// ascending; other keys may have it too.
    ///
    /// `nil` where there is none: a prefix may end within a separator of several characters, and folding may change
    /// its last letter.
    func levelPrefix(ofTextsBeginningWith prefix: String) -> [UInt8]? {
        guard let separator, separator.unicodeScalars.count == 1, collation == .binary else { return nil }
        return levelPrefix(Self.levels(of: prefix, separator: separator), isLastWhole: false)
    }

    private func levelPrefix(_ levels: [String], isLastWhole: Bool) -> [UInt8] {
        var key = [OrderedValue.Kind.levels.rawValue]
        for level in levels { append(level: level, to: &key) }
        // Without its end, the last level may go on.
        if !isLastWhole { key.removeLast() }
        return key
    }

    private func append(level: String, to key: inout [UInt8]) {
        key.append(Self.levelMark)
        for byte in folded(level).utf8 { OrderedValue.appendEscaped(byte, to: &key) }
        key.append(0)
    }

    private static var levelMark: UInt8 { OrderedValue.levelMark }

    /// The levels of a keyword, empty ones included; one where there is no separator.
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

extension IndexComponent {
    /// Adds the text without case, each run of digits as `30`, the count of its digits without leading zeros, and
    /// those digits; then the text itself, which decides where the first part is the same.
    ///
    /// No other byte of UTF-8 lies between `30` and `39`, so a run of digits keeps its place among other characters.
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

    /// Where the keys of all texts lie that begin with `prefix`: from those with one beginning to those with another, in a
    /// component that is ascending; other keys lie there too.
    ///
    /// `IMG_12` is followed by 120 to 129 among the numbers of three digits, by 1200 to 1299 among those of four, and so on.
    ///
    /// `nil` if the component has no natural order, or the prefix is of no help: what stands behind ASCII may be composed with
    /// it, as may a mark behind a letter at the end.
    func naturalSpans(ofTextsBeginningWith prefix: String) -> [(first: [UInt8], last: [UInt8])]? {
        guard collation == .natural, separator == nil, part == nil, dateFormats.isEmpty else { return nil }
        var known = Array(prefix.utf8.prefix { $0 < 0x80 })
        while let last = known.last, Self.isComposed(last) { known.removeLast() }
        guard !known.isEmpty else { return nil }
        let digitCount = known.reversed().prefix { (0x30...0x39).contains($0) }.count
        var base: [UInt8] = []
        Self.appendNatural(String(decoding: known.dropLast(digitCount), as: UTF8.self), to: &base)
        // The kind and the first part without its end; behind it stand the text itself and another end.
        base.removeLast(known.count - digitCount + Self.zeroCount(known) + 2)
        guard digitCount > 0 else { return [(base, base)] }
        base.append(0x30)
        let digits = known.suffix(digitCount).drop { $0 == 0x30 }
        // Zeros at the beginning are not in the key.
        guard !digits.isEmpty else { return [(base, base)] }
        func number(ofDigits count: Int) -> [UInt8] {
            var key = base
            Self.appendCount(count, to: &key)
            return key
        }
        let spans = (0..<Self.numberSpanCount).map { number(ofDigits: digits.count + $0) + digits }
        return spans.map { ($0, $0) } + [(number(ofDigits: digits.count + Self.numberSpanCount), base)]
    }

    /// The lengths of numbers that have a span of their own.
    private static let numberSpanCount = 6

    private static func zeroCount(_ bytes: [UInt8]) -> Int { bytes.count { $0 == 0 } }

    /// Whether there are marks with which an ASCII character makes one other: letters, and signs that can be struck through.
    private static func isComposed(_ byte: UInt8) -> Bool {
        (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || (0x3c...0x3e).contains(byte)
    }

    /// Adds a count in bytes that have its order, none of them zero.
    private static func appendCount(_ count: Int, to key: inout [UInt8]) {
        var rest = count
        while rest >= 254 {
            key.append(0xff)
            rest -= 254
        }
        key.append(UInt8(rest) + 1)
    }
}
