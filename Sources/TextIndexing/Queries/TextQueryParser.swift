/// A recursive-descent parser for the notation of ``TextQuery``.
struct TextQueryParser {
    /// One byte per character: ASCII characters as they are, whitespace as a space, all others as zero. Most checks
    /// use these.
    private let signs: [UInt8]
    private let utf8: [UInt8]
    /// The offset in `utf8` of each character, and of the end; empty if each character is one byte.
    private let starts: [Int]
    /// The number of characters.
    private let count: Int
    /// The known field names; `nil` if fields are checked later.
    private let fields: [String]?
    private var offset = 0
    /// The number of open parentheses and fields.
    private var depth = 0
    private var size = TextQuery.Size()

    init(_ text: String, fields: [String]?) {
        utf8 = Array(text.utf8)
        // In ASCII, only CR LF makes one character of two bytes.
        if utf8.allSatisfy({ $0 < 0x80 && $0 != 0x0d }) {
            signs = utf8.map { (0x09...0x0c).contains($0) ? 0x20 : $0 }
            starts = []
        } else {
            var signs: [UInt8] = []
            var starts = [0]
            for character in text {
                signs.append(Self.sign(character))
                starts.append(starts[starts.count - 1] + character.utf8.count)
            }
            self.signs = signs
            self.starts = starts
        }
        count = signs.count
        self.fields = fields
    }

    private func character(_ place: Int) -> Character { string(place..<place + 1).first ?? " " }

    /// Returns the string of a range of characters.
    private func string(_ range: Range<Int>) -> String {
        let bytes = starts.isEmpty ? range : starts[range.lowerBound]..<starts[range.upperBound]
        return String(decoding: utf8[bytes], as: UTF8.self)
    }

    private static func sign(_ character: Character) -> UInt8 {
        let utf8 = character.utf8
        guard let first = utf8.first, first < 0x80, utf8.count == 1 else { return character.isWhitespace ? 0x20 : 0 }
        return (0x09...0x0d).contains(first) ? 0x20 : first
    }

    mutating func parse() throws -> TextQuery {
        guard utf8.count <= TextQuery.maximumByteCount else { throw TextQuery.tooLong(utf8.count) }
        let query = try alternatives()
        skipSpaces()
        guard offset == count else {
            throw fault("this ) has no matching (; remove it or put it in quotes")
        }
        guard let query else {
            throw fault("the search is empty; give at least one word that must occur")
        }
        // Operators in parentheses count as parts too.
        try query.validate()
        return query
    }

    /// `all {OR all}`; `nil` if there are only exclusions.
    private mutating func alternatives() throws -> TextQuery? {
        try enter()
        defer { depth -= 1 }
        var parts: [TextQuery] = []
        repeat {
            let start = offset
            guard let part = try all() else {
                if parts.isEmpty && !peek("OR") { return nil }
                offset = start
                throw fault("OR needs a word that must occur on both sides")
            }
            parts.append(part)
        } while take("OR")
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    /// Enters parentheses or a field.
    private mutating func enter() throws {
        depth += 1
        guard depth <= TextQuery.maximumDepth else {
            depth -= 1
            throw fault(
                "parentheses and fields are nested more than \(TextQuery.maximumDepth) deep; simplify the query")
        }
    }

    /// Words and groups, optionally joined by AND.
    private mutating func all() throws -> TextQuery? {
        var wanted: [TextQuery] = []
        var required: [TextQuery] = []
        var unwanted: [TextQuery] = []
        // Symbols without a letter or digit, such as a lone `&`, are not words and are ignored.
        var hasSigns = false
        var hasParts = false
        while true {
            let isJoined = take("AND")
            guard !isJoined || hasParts else { throw fault("AND needs a word on both sides") }
            let isExcluded = take("NOT") || take(sign: UInt8(ascii: "-"))
            let isRequired = !isExcluded && take(sign: UInt8(ascii: "+"))
            if isExcluded, peek("NOT") || peek("AND") { throw fault("NOT must be followed by a word to exclude") }
            guard !isJoined || !peek("AND"), let part = try single() else {
                if isExcluded { throw fault("NOT must be followed by a word to exclude") }
                if isJoined { throw fault("AND needs a word on both sides") }
                if isRequired { throw fault("+ must be followed by a required word") }
                break
            }
            hasParts = true
            if part == .nothing {
                hasSigns = true
            } else if isExcluded {
                unwanted.append(part)
            } else if isRequired {
                required.append(part)
            } else {
                wanted.append(part)
            }
        }
        guard !wanted.isEmpty || !required.isEmpty else {
            if unwanted.isEmpty { return hasSigns ? .nothing : nil }
            throw fault("a query cannot only exclude words; add a word that must occur")
        }
        var found = Self.all(required.isEmpty ? wanted : required)
        if !required.isEmpty, !wanted.isEmpty {
            found = .prefer(found, wanted.count == 1 ? wanted[0] : .or(wanted))
        }
        if unwanted.isEmpty { return found }
        return .except(found, unwanted.count == 1 ? unwanted[0] : .or(unwanted))
    }

    private static func all(_ parts: [TextQuery]) -> TextQuery { parts.count == 1 ? parts[0] : .and(parts) }

    /// A word, a phrase or a group; `nil` at the end, at `)` and at an operator.
    private mutating func single() throws -> TextQuery? {
        skipSpaces()
        guard offset < count, signs[offset] != UInt8(ascii: ")"), !peek("OR"), !peek("AND"), !peek("NOT") else {
            return nil
        }
        switch signs[offset] {
        case UInt8(ascii: "("):
            let start = offset
            offset += 1
            let group = try alternatives()
            skipSpaces()
            guard offset < count, signs[offset] == UInt8(ascii: ")") else {
                offset = start
                throw fault("this ( is not closed")
            }
            offset += 1
            guard let group else {
                offset = start
                throw fault("the parentheses are empty")
            }
            return try boosted(group)
        case UInt8(ascii: "\""):
            let start = offset
            guard let end = signs[(offset + 1)...].firstIndex(of: UInt8(ascii: "\"")) else {
                throw fault("this quote is not closed")
            }
            offset = end + 1
            let words = string((start + 1)..<end)
            let count = TextQuery.wordCount(of: words)
            try size.addText(words, words: count)
            if let slop = takeNumber(behind: UInt8(ascii: "~")), count > 1 {
                return try boosted(.near(words, slop: slop))
            }
            return try boosted(count == 0 ? .nothing : .phrase(words))
        default:
            if let field = takeField() {
                try enter()
                defer { depth -= 1 }
                guard let part = try single() else { throw fault("\(field): needs a word after the colon") }
                return part == .nothing ? part : .field(field, part)
            }
            let start = offset
            while offset < count, !endsWord(offset) { offset += 1 }
            return try word(start..<offset)
        }
    }

    /// Consumes a field name and its colon if something follows the colon; otherwise consumes nothing.
    private mutating func takeField() -> String? {
        var end = offset
        while end < count, isOfName(end) { end += 1 }
        guard end > offset, end + 1 < count, signs[end] == UInt8(ascii: ":") else { return nil }
        switch signs[end + 1] {
        case 0x20, UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "~"), UInt8(ascii: "^"), UInt8(ascii: ":"),
            UInt8(ascii: "/"):
            return nil
        default: break
        }
        let name = string(offset..<end)
        guard fields?.contains(name) != false else { return nil }
        offset = end + 1
        return name
    }

    /// Returns whether a character may be part of the field name that begins at ``offset``.
    private func isOfName(_ place: Int) -> Bool {
        switch signs[place] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            place > offset
        case 0: character(place).isLetter || (place > offset && character(place).isNumber)
        default: false
        }
    }

    /// A word and its optional suffixes: `*`, `~`, `^`.
    private mutating func word(_ range: Range<Int>) throws -> TextQuery {
        var range = range
        var weight: Double?
        if let sign = signs[range].lastIndex(of: UInt8(ascii: "^")), sign > range.lowerBound,
            sign + 1 < range.upperBound,
            let number = Double(string((sign + 1)..<range.upperBound))
        {
            weight = try checked(number, at: sign)
            range = range.lowerBound..<sign
        }
        var distance: Int?
        if let sign = signs[range].lastIndex(of: UInt8(ascii: "~")), sign > range.lowerBound {
            let digits = signs[(sign + 1)..<range.upperBound]
            if digits.isEmpty || (digits.count == 1 && (0x30...0x32).contains(digits[digits.startIndex])) {
                distance = digits.first.map { Int($0) - 0x30 } ?? -1
                range = range.lowerBound..<sign
            }
        }
        let isPrefix = distance == nil && range.count > 1 && signs[range.upperBound - 1] == UInt8(ascii: "*")
        if isPrefix { range = range.lowerBound..<range.upperBound - 1 }
        let word = string(range)
        let count = TextQuery.wordCount(of: word)
        guard count > 0 else { return .nothing }
        try size.addText(word, words: count)
        if isPrefix || distance != nil { try size.addExpansion() }
        var query: TextQuery
        if isPrefix {
            query = .prefix(word)
        } else if let distance {
            query = .fuzzy(word, distance: distance < 0 ? nil : distance)
        } else {
            query = .word(word)
        }
        if let weight { query = .boost(query, weight) }
        return query
    }

    private mutating func boosted(_ query: TextQuery) throws -> TextQuery {
        guard offset + 1 < count, signs[offset] == UInt8(ascii: "^") else { return query }
        var end = offset + 1
        while end < count, isOfNumber(end) { end += 1 }
        guard let number = Double(string((offset + 1)..<end)) else { return query }
        let weight = try checked(number, at: offset)
        offset = end
        return query == .nothing ? query : .boost(query, weight)
    }

    private func isOfNumber(_ place: Int) -> Bool {
        switch signs[place] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): true
        case 0: character(place).isNumber
        default: false
        }
    }

    private func checked(_ weight: Double, at place: Int) throws -> Double {
        guard weight >= 0.001, weight <= 1000 else {
            throw DocIndexError(
                .invalidQuery,
                "the search cannot be read at character \(place + 1): a weight is a number from 0.001 to 1000",
                position: place)
        }
        return weight
    }

    /// Consumes this symbol and the number after it; `nil` if there is none.
    private mutating func takeNumber(behind sign: UInt8) -> Int? {
        guard offset + 1 < count, signs[offset] == sign else { return nil }
        var end = offset + 1
        while end < count, end < offset + 3, (0x30...0x39).contains(signs[end]) { end += 1 }
        guard let number = Int(string((offset + 1)..<end)) else { return nil }
        offset = end
        return number
    }

    private mutating func skipSpaces() {
        while offset < count, signs[offset] == 0x20 { offset += 1 }
    }

    private mutating func take(sign: UInt8) -> Bool {
        skipSpaces()
        guard offset + 1 < count, signs[offset] == sign, signs[offset + 1] != 0x20 else { return false }
        offset += 1
        return true
    }

    /// Returns whether this ASCII keyword is the next word, after optional spaces.
    private func peek(_ word: StaticString) -> Bool {
        var start = offset
        while start < count, signs[start] == 0x20 { start += 1 }
        let end = start + word.utf8CodeUnitCount
        guard end <= count, end == count || endsWord(end) else { return false }
        return word.withUTF8Buffer { bytes in
            for place in 0..<bytes.count where unsafe signs[start + place] != bytes[place] { return false }
            return true
        }
    }

    /// Returns whether a character ends the word before it.
    private func endsWord(_ place: Int) -> Bool {
        switch signs[place] {
        case 0x20, UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\""): true
        default: false
        }
    }

    private mutating func take(_ word: StaticString) -> Bool {
        guard peek(word) else { return false }
        skipSpaces()
        offset += word.utf8CodeUnitCount
        return true
    }

    private func fault(_ reason: String) -> DocIndexError {
        DocIndexError(
            .invalidQuery, "the search cannot be read at character \(offset + 1): \(reason)", position: offset)
    }
}
