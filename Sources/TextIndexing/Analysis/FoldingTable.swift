internal import Synchronization

/// The replacement of each Unicode scalar by one set of folding rules.
///
/// The replacements are derived from Unicode's normalization forms, case folding and character names, so they follow
/// the Unicode versions that ``TextFolding/version`` identifies.
final class FoldingTable: Sendable {
    /// The differences that a table removes. All tables also remove differences of compatibility, such as width,
    /// ligatures and superscripts, and invisible characters.
    struct Rules: OptionSet {
        let rawValue: Int
        /// Upper and lower case.
        static let letterCase = Rules(rawValue: 1)
        /// Accents, vowel points, strokes through letters, and letters such as `æ`.
        static let accents = Rules(rawValue: 2)
        /// The text is split into words: symbols that stand for words are set apart by spaces, fractions have a slash, and
        /// a zero-width non-joiner after an Arabic letter is kept, because it may separate words.
        static let words = Rules(rawValue: 4)
    }

    private let rules: Rules
    private let blocks = FoldingTable.ranges.map { _ in Cell() }

    /// The replacements in a range of scalars. A block is built when a string first contains a scalar of its range.
    private struct Block {
        let start: UInt32
        /// For each scalar, its replacement, or ``expansion`` plus the index of a longer one.
        let entries: [UInt32]
        let expansions: [[Unicode.Scalar]]
        /// The scalars that ``prepared(_:_:)`` changes.
        let preparedScalars: Set<UInt32>
    }

    private final class Cell: Sendable {
        let block = Mutex<Block?>(nil)
    }

    /// The ranges of scalars with a block. Other replacements are rarely needed, and made each time.
    private static let ranges: [ClosedRange<UInt32>] = [
        0x80...0x24f, 0x250...0x58f, 0x590...0x8ff, 0x900...0x10ff, 0x1100...0x1cff, 0x1d00...0x1fff, 0x2000...0x2fff,
        0x3000...0x33ff, 0xf900...0xffff,
    ]
    /// Added to an entry of a scalar that may combine with the scalar before it.
    private static let combines: UInt32 = 1 << 31
    private static let expansion: UInt32 = 1 << 30

    init(_ rules: Rules) { self.rules = rules }

    /// Returns the block with a scalar; `nil` if there is none.
    private func block(of value: UInt32) -> Block? {
        guard let index = Self.ranges.firstIndex(where: { $0.contains(value) }) else { return nil }
        return blocks[index].block.withLock { known in
            if let known { return known }
            let block = makeBlock(Self.ranges[index])
            known = block
            return block
        }
    }

    private func makeBlock(_ range: ClosedRange<UInt32>) -> Block {
        var expansions: [[Unicode.Scalar]] = []
        var preparedScalars: Set<UInt32> = []
        var entries: [UInt32] = []
        let scalars = range.map { Unicode.Scalar($0) ?? "\u{fffd}" }
        Self.forEachReplacement(of: scalars, rules, noting: { preparedScalars.insert($0.value) }) {
            scalar, replacement in
            let mark = Self.mayCombine(scalar, rules) ? Self.combines : 0
            if replacement.count == 1, let only = replacement.first {
                entries.append(only.value | mark)
            } else {
                expansions.append(Array(replacement))
                entries.append((Self.expansion + UInt32(expansions.count - 1)) | mark)
            }
        }
        return Block(
            start: range.lowerBound, entries: entries, expansions: expansions, preparedScalars: preparedScalars)
    }

    // MARK: - Folding

    /// Returns the folded form of a string.
    ///
    /// - Complexity: O(*n*).
    func fold(_ text: String) -> String {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count)
        if append(text.unicodeScalars, to: &folded, isComposed: false) {
            return String(decoding: folded, as: UTF8.self)
        }
        // Scalars that combine are composed first.
        var prepared = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.value < 0x80 || Self.isUnchanged(scalar.value)
                || block(of: scalar.value).map({ !$0.preparedScalars.contains(scalar.value) }) ?? false
            {
                prepared.append(scalar)
            } else {
                prepared += Self.prepared(scalar, rules)
            }
        }
        let composed = TextForms.composed(TextForms.compatible(String(prepared)))
        folded.removeAll(keepingCapacity: true)
        _ = append(composed.unicodeScalars, to: &folded, isComposed: true)
        return TextForms.composed(String(decoding: folded, as: UTF8.self))
    }

    /// Appends the replacements of scalars as UTF-8.
    ///
    /// - Returns: `false` if a scalar may combine with the one before it, unless the text is composed.
    private func append(
        _ scalars: String.UnicodeScalarView, to folded: inout [UInt8], isComposed: Bool
    ) -> Bool {
        var last: UInt32 = 0
        // Whether a space is before the last marks, which normalization puts in order.
        var isAfterSpace = false
        func append(_ value: UInt32, isMark: Bool = false) {
            last = value
            if !isMark { isAfterSpace = value == 0x20 }
            if value < 0x80 {
                folded.append(UInt8(truncatingIfNeeded: value))
            } else if let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar) {
                folded.append(contentsOf: bytes)
            }
        }
        let foldsCase = rules.contains(.letterCase)
        var block: Block?
        for scalar in scalars {
            let value = scalar.value
            if value < 0x80 {
                append(foldsCase && (0x41...0x5a).contains(value) ? value | 0x20 : value)
                continue
            }
            if Self.isUnchanged(value) {
                append(value)
                continue
            }
            if block.map({ value < $0.start || value - $0.start >= $0.entries.count }) ?? true {
                block = self.block(of: value)
            }
            guard let block else {
                if !isComposed, Self.mayCombine(scalar, rules) { return false }
                Self.forEachReplacement(of: [scalar], rules) { for scalar in $1 { append(scalar.value) } }
                continue
            }
            var (entry, isMark) = (block.entries[Int(value - block.start)], false)
            if value == 0x200c || value == 0x200d {
                if keepsJoiner(value, after: last) { append(value) }
                continue
            }
            if entry & Self.combines != 0 {
                if !isComposed { return false }
                // An accent on a space is a space, like a spacing accent. Another mark may stand between them.
                if isAfterSpace, Self.isRemoved(scalar, after: 0xffff) || value == 0x3099 || value == 0x309a {
                    continue
                }
                entry &= ~Self.combines
                isMark = scalar.properties.canonicalCombiningClass != .notReordered
            }
            if entry < Self.expansion {
                append(entry, isMark: isMark)
            } else {
                for scalar in block.expansions[Int(entry - Self.expansion)] { append(scalar.value, isMark: isMark) }
            }
        }
        return true
    }

    /// Returns whether a zero-width joiner or non-joiner is kept: within an emoji, or between Arabic letters.
    private func keepsJoiner(_ value: UInt32, after last: UInt32) -> Bool {
        if value == 0x200d { return (0x2190...0x3299).contains(last) || last >= 0x1f000 }
        return rules.contains(.words) && TextFolding.isArabicLetter(last)
    }

    /// Ideographs, Hangul syllables, and the blocks of emoji. Their scalars are replaced by themselves.
    private static func isUnchanged(_ value: UInt32) -> Bool {
        switch value {
        case 0x3400...0x9fff, 0xac00...0xd7a3, 0x1f300...0x1fafa, 0x20000...0x2f7ff: true
        default: false
        }
    }

    // MARK: - Replacements

    /// Whether a scalar may combine with the one before it, or change places with it.
    private static func mayCombine(_ scalar: Unicode.Scalar, _ rules: Rules) -> Bool {
        switch scalar.value {
        case 0..<0x80: return false
        // Vowels and final consonants of Korean, and the forms that are compatible with them; voiced sound marks.
        case 0x1160...0x11ff, 0x3131...0x318e, 0xd7b0...0xd7ff, 0xff9e...0xff9f, 0xffa0...0xffdc: return true
        default: break
        }
        let category = scalar.properties.generalCategory
        guard category == .nonspacingMark || category == .spacingMark || category == .enclosingMark else {
            return false
        }
        if scalar.properties.isVariationSelector { return false }
        return !rules.contains(.accents) || !isRemoved(scalar, after: 0xffff) || isHamza(scalar)
    }

    /// Returns what takes the place of a scalar before normalization: nothing for most invisible characters, a space
    /// for a spacing accent, and spaces around symbols for words.
    private static func prepared(_ scalar: Unicode.Scalar, _ rules: Rules) -> [Unicode.Scalar] {
        if isInvisible(scalar) { return scalar.value == 0x200b && rules.contains(.words) ? [" "] : [] }
        let compatible = TextForms.composed(TextForms.compatible(String(scalar))).unicodeScalars
        if isSpace(scalar, compatible: Array(compatible)[...]) { return [" "] }
        return rules.contains(.words) && isSymbol(scalar, compatible: Array(compatible)[...])
            ? [" ", scalar, " "] : [scalar]
    }

    /// A number for the properties of a scalar that the rules use.
    static func categoryCode(_ scalar: Unicode.Scalar) -> UInt8 {
        let code: UInt8 =
            switch scalar.properties.generalCategory {
            case .nonspacingMark: 1
            case .spacingMark, .enclosingMark: 2
            case .otherSymbol: 3
            default: 0
            }
        return isInvisible(scalar) ? code + 4 : code
    }

    /// Invisible characters, except joiners, which depend on what precedes them, and tags, which are parts of flags.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x80, 0x200c, 0x200d, 0xe0020...0xe007f: false
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether a scalar is compatible with an accent on a space.
    private static func isSpace(_ scalar: Unicode.Scalar, compatible: ArraySlice<Unicode.Scalar>) -> Bool {
        compatible.count > 1 && compatible.first == " " && compatible.dropFirst().allSatisfy(isMark)
    }

    /// Whether a scalar is compatible with a word or a fraction, which would merge with its neighbors: `2㎏`, `3½`.
    private static func isSymbol(_ scalar: Unicode.Scalar, compatible: ArraySlice<Unicode.Scalar>) -> Bool {
        guard compatible.first != scalar else { return false }
        // Notes of music are not words.
        return scalar.properties.generalCategory == .otherSymbol && !(0x1d100...0x1d1ff).contains(scalar.value)
            || compatible.contains("\u{2044}")
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .nonspacingMark
    }

    /// Calls `body` with each scalar and its replacement. All are processed together, because each call of utf8proc
    /// allocates memory.
    ///
    /// - Parameter note: Receives the scalars that ``prepared(_:_:)`` changes.
    private static func forEachReplacement(
        of scalars: [Unicode.Scalar], _ rules: Rules, noting note: (Unicode.Scalar) -> Void = { _ in },
        _ body: (Unicode.Scalar, ArraySlice<Unicode.Scalar>) -> Void
    ) {
        // No rule changes line feeds or combines anything with them.
        var flat: [Unicode.Scalar] = []
        for scalar in scalars {
            if scalar == "\n" || isInvisible(scalar) {
                note(scalar)
                if scalar.value == 0x200b, rules.contains(.words) { flat.append(" ") }
            } else {
                flat.append(scalar)
            }
            flat.append("\n")
        }
        let compatible = mapped(flat) { TextForms.composed(TextForms.compatible($0)) }
        flat.removeAll(keepingCapacity: true)
        forEachPart(of: compatible) { index, part in
            let scalar = scalars[index]
            if part.first == scalar {
                flat += part
            } else if isSpace(scalar, compatible: part) {
                note(scalar)
                flat.append(" ")
            } else if rules.contains(.words), isSymbol(scalar, compatible: part), !part.isEmpty {
                note(scalar)
                flat.append(" ")
                flat += part
                flat.append(" ")
            } else {
                flat += part
            }
            flat.append("\n")
        }
        if rules.contains(.words) {
            for index in flat.indices where flat[index] == "\u{2044}" { flat[index] = "/" }
        }
        if rules.contains(.accents) {
            let composed = flat
            let decomposed = mapped(flat) { TextForms.decomposed($0) }
            flat.removeAll(keepingCapacity: true)
            var start = 0
            forEachPart(of: decomposed) { _, part in
                var end = start
                while composed[end] != "\n" { end += 1 }
                appendWithoutAccents(composed[start..<end], decomposed: part, to: &flat)
                flat.append("\n")
                start = end + 1
            }
        }
        // Case comes last: the iota below a Greek letter is an accent, but a letter in upper case.
        if rules.contains(.letterCase) { flat = mapped(flat) { TextForms.caseFolded($0) } }
        forEachPart(of: mapped(flat) { TextForms.composed($0) }) { body(scalars[$0], $1) }
    }

    private static func mapped(_ scalars: [Unicode.Scalar], _ change: (String) -> String) -> [Unicode.Scalar] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * scalars.count)
        for scalar in scalars {
            if scalar.value < 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            } else if let code = UTF8.encode(scalar) {
                bytes.append(contentsOf: code)
            }
        }
        return Array(change(String(decoding: bytes, as: UTF8.self)).unicodeScalars)
    }

    /// Calls `body` with each part that ends with a line feed.
    private static func forEachPart(
        of scalars: [Unicode.Scalar], _ body: (_ index: Int, ArraySlice<Unicode.Scalar>) -> Void
    ) {
        var (index, start) = (0, 0)
        for end in scalars.indices where scalars[end] == "\n" {
            body(index, scalars[start..<end])
            index += 1
            start = end + 1
        }
    }

    private static func appendWithoutAccents(
        _ scalars: ArraySlice<Unicode.Scalar>, decomposed: ArraySlice<Unicode.Scalar>, to result: inout [Unicode.Scalar]
    ) {
        guard let first = decomposed.first, first.value >= 0x80 || decomposed.count > 1 else {
            result += scalars
            return
        }
        // Marks are separate letters in other scripts than Latin, Greek and Cyrillic; their letters stay composed.
        let isDecomposed =
            first.value < 0x510 || decomposed.dropFirst().contains { isRemoved($0, after: 0xffff) && !isHamza($0) }
        var base: UInt32 = 0xffff
        for scalar in isDecomposed ? decomposed : scalars where !isRemoved(scalar, after: base) {
            if scalar.value < 0x300 || !isMark(scalar) { base = scalar.value }
            appendPlain(scalar, to: &result)
        }
    }

    /// Whether folding accents removes a mark. Vowel points and the stroke that elongates Arabic words (tatweel) are
    /// rarely typed.
    private static func isRemoved(_ scalar: Unicode.Scalar, after base: UInt32) -> Bool {
        switch scalar.value {
        case 0..<0x300: false
        case 0x300...0x36f, 0x483...0x489, 0x1ab0...0x1aff, 0x1dc0...0x1dff, 0x20d0...0x20f0, 0xfe20...0xfe2f: true
        case 0x591...0x5bd, 0x5bf, 0x5c1...0x5c2, 0x5c4...0x5c5, 0x5c7, 0x610...0x61a, 0x640, 0x64b...0x65f, 0x670,
            0x6d6...0x6dc, 0x6df...0x6e4, 0x6e7...0x6e8, 0x6ea...0x6ed, 0x8d3...0x8ff:
            true
        default: base < 0x510 && isMark(scalar)
        }
    }

    /// The marks that combine with Arabic letters.
    private static func isHamza(_ scalar: Unicode.Scalar) -> Bool { (0x653...0x655).contains(scalar.value) }

    /// Appends the letters that people type for a letter with a stroke, a hook or another change that Unicode does not
    /// decompose. The character's name tells them: LATIN SMALL LETTER L WITH STROKE.
    private static func appendPlain(_ scalar: Unicode.Scalar, to result: inout [Unicode.Scalar]) {
        switch scalar.value {
        // The forms of alef.
        case 0x622, 0x623, 0x625, 0x671: result.append("\u{627}")
        case 0xc0...0x2af, 0x1d00...0x1dbf, 0x1e00...0x1eff, 0x2c60...0x2c7f, 0xa720...0xa7ff, 0xab30...0xab6f:
            guard let name = scalar.properties.name, let letters = letters(named: name) else {
                return result.append(scalar)
            }
            result += letters.unicodeScalars
        default: result.append(scalar)
        }
    }

    private static func letters(named name: String) -> String? {
        let words = name.split(separator: " ", maxSplits: 4)
        guard words.count > 3, words[0] == "LATIN", words[2] == "LETTER" || words[2] == "LIGATURE" else { return nil }
        let letters: Substring
        switch words[3] {
        case "AA", "AE", "AO", "AU", "AV", "AY", "OE", "OO", "TZ", "VY":
            guard words.count == 4 else { return nil }
            letters = words[3]
        case "DOTLESS" where words.count == 5: letters = words[4]
        case "ETH", "AFRICAN": letters = "D"
        // LATIN CAPITAL LETTER SMALL Q WITH HOOK TAIL
        case "SMALL": letters = "Q"
        case "THORN": letters = "TH"
        case "ENG": letters = "N"
        case "KRA": letters = "Q"
        default:
            guard words.count == 5, words[3].utf8.count == 1, words[4].hasPrefix("WITH ") else { return nil }
            letters = words[3]
        }
        return words[1] == "SMALL" ? letters.lowercased() : String(letters)
    }
}
