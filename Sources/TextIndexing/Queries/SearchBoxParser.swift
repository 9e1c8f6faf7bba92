/// A parser for the input of a ``SearchBox``. It accepts everything.
struct SearchBoxParser {
    private(set) var parts: [SearchBox.Part] = []
    private(set) var excluded: [TextQuery] = []
    private(set) var notes: [SearchBox.Note] = []
    /// The words as typed, if there are two to eight and no operators.
    private(set) var phrase: String?

    private let characters: [Character]
    private let isTyping: Bool
    private let reader: SearchBoxWord
    private var offset = 0
    private var words: [String] = []
    private var hasOperators = false

    /// The maximum nesting depth of parentheses.
    private static let depthLimit = 16
    /// The number of words allowed between those of NEAR without a number, as in FTS5.
    private static let nearSlop = 10
    /// Each kind of note is interesting only a few times.
    private static let noteLimit = 16

    init(_ text: String, fields: [String]?, isTyping: Bool) {
        let limit = TextQuery.maximumByteCount
        if text.utf8.count > limit {
            characters = Array(String(decoding: text.utf8.prefix(limit / 2), as: UTF8.self))
            notes = [.tooLong]
        } else {
            characters = Array(text)
        }
        self.isTyping = isTyping
        reader = SearchBoxWord(fields: fields)
    }

    mutating func parse() {
        let all = sequence(depth: 0)
        parts = all.parts
        excluded = all.excluded
        if !hasOperators, (2...8).contains(words.count) { phrase = words.joined(separator: " ") }
    }

    mutating func note(_ note: SearchBox.Note) {
        if notes.count < Self.noteLimit, !notes.contains(note) { notes.append(note) }
    }

    // MARK: - Sequences

    /// Words and operators up to a closing parenthesis or the end.
    private struct Sequence {
        var parts: [SearchBox.Part] = []
        var excluded: [TextQuery] = []
        /// The operator before the next word, as typed.
        var join: (kind: Join, text: String)?
        var sign: (isExcluded: Bool, text: String)?
        /// Whether the latest word can be joined with the next one.
        var canJoin = false

        enum Join { case and, or, near(Int) }

        /// The sequence in parentheses, in place of a word; `nil` if it has no words.
        var group: TextQuery? {
            if parts.isEmpty { return nil }
            let wanted = parts.count == 1 ? parts[0].query : .and(parts.map(\.query))
            if excluded.isEmpty { return wanted }
            return .except(wanted, excluded.count == 1 ? excluded[0] : .or(excluded))
        }
    }

    private mutating func sequence(depth: Int) -> Sequence {
        var sequence = Sequence()
        while let token = next() {
            switch token {
            case .open:
                hasOperators = true
                if depth == Self.depthLimit {
                    note(.tooDeep)
                    continue
                }
                let inner = self.sequence(depth: depth + 1)
                guard let group = inner.group else {
                    if !inner.excluded.isEmpty { add(.nothing, to: &sequence, excluding: inner.excluded) }
                    continue
                }
                add(group, to: &sequence)
            case .close:
                hasOperators = true
                if depth > 0 {
                    endOperators(&sequence)
                    return sequence
                }
            case .join(let kind, let text):
                hasOperators = true
                if sequence.canJoin, sequence.join == nil, sequence.sign == nil {
                    sequence.join = (kind, text)
                } else {
                    note(.operatorWithoutWord(text))
                }
            case .sign(let isExcluded, let text):
                hasOperators = true
                if let before = sequence.sign { note(.operatorWithoutWord(before.text)) }
                sequence.sign = (isExcluded, text)
            case .phrase(let text, let slop):
                hasOperators = true
                noteWildcards(in: text)
                if let query = phrase(text, slop: slop) { add(query, to: &sequence, isRequired: true) }
            case .near(let text, let slop):
                hasOperators = true
                if let query = phrase(text, slop: slop) { add(query, to: &sequence, isRequired: true) }
            case .group(let field, let text, let isPhrase):
                hasOperators = true
                if isPhrase { noteWildcards(in: text) }
                if let query = isPhrase ? phrase(text, slop: nil) : group(text) {
                    add(.field(field, query), to: &sequence, isRequired: true)
                }
            case .leftOut(let found):
                hasOperators = true
                note(found)
            case .word(let text, let isLast):
                take(text, isUnfinished: isLast && isTyping, into: &sequence)
            }
        }
        endOperators(&sequence)
        return sequence
    }

    private mutating func endOperators(_ sequence: inout Sequence) {
        if let join = sequence.join { note(.operatorWithoutWord(join.text)) }
        if let sign = sequence.sign { note(.operatorWithoutWord(sign.text)) }
    }

    private mutating func take(_ text: String, isUnfinished: Bool, into sequence: inout Sequence) {
        let read = reader.read(text)
        for found in read.notes { note(found) }
        if read.hasOperators { hasOperators = true }
        for query in read.queries {
            if case .word(let word) = query { words.append(word) }
            let isUnfinished = isUnfinished && query == read.queries.last && !read.hasOperators
            add(query, to: &sequence, isRequired: read.isRequired, isUnfinished: isUnfinished)
        }
    }

    /// Returns the query for the words in the parentheses after a field.
    private mutating func group(_ text: String) -> TextQuery? {
        var parser = SearchBoxParser(text, fields: [], isTyping: false)
        let inner = parser.sequence(depth: Self.depthLimit)
        for found in parser.notes {
            if case .unknownField(let name) = found, reader.field(name) != nil {
                note(.nestedField(name))
            } else {
                note(found)
            }
        }
        return inner.group
    }

    /// Notes wildcards in quotes, which stand for any word in some search engines.
    private mutating func noteWildcards(in phrase: String) {
        let words = phrase.split(whereSeparator: \.isWhitespace)
        let plain = words.filter { $0 != "*" }
        if plain.count == words.count { return }
        note(.unsupported("* in quotes", searched: plain.isEmpty ? nil : "\"\(plain.joined(separator: " "))\""))
    }

    private func phrase(_ text: String, slop: Int?) -> TextQuery? {
        let count = TextQuery.wordCount(of: text)
        if count == 0 { return nil }
        if let slop, count > 1 { return .near(text, slop: slop) }
        return .phrase(text)
    }

    private mutating func add(
        _ query: TextQuery, to sequence: inout Sequence, isRequired: Bool = false, isUnfinished: Bool = false,
        excluding more: [TextQuery] = []
    ) {
        defer {
            sequence.join = nil
            sequence.sign = nil
        }
        if sequence.sign?.isExcluded == true || !more.isEmpty {
            if sequence.join != nil, case .or = sequence.join?.kind { note(.operatorWithoutWord("OR")) }
            sequence.excluded += more.isEmpty ? [query] : more
            sequence.canJoin = false
            return
        }
        var part = SearchBox.Part(
            query: query, isRequired: isRequired || sequence.sign != nil, isUnfinished: isUnfinished)
        sequence.canJoin = true
        guard let join = sequence.join, let before = sequence.parts.last else { return sequence.parts.append(part) }
        switch join.kind {
        case .or:
            // Adjacent alternatives form one.
            var alternatives = [before.query]
            if case .or(let known) = before.query { alternatives = known.content }
            part = SearchBox.Part(
                query: .or(alternatives + [query]), isRequired: before.isRequired && part.isRequired,
                isUnfinished: false)
            sequence.parts[sequence.parts.count - 1] = part
        case .and:
            sequence.parts[sequence.parts.count - 1] = SearchBox.Part(
                query: before.query, isRequired: true, isUnfinished: before.isUnfinished)
            sequence.parts.append(SearchBox.Part(query: query, isRequired: true, isUnfinished: isUnfinished))
        case .near(let slop):
            guard case .word(let first) = before.query, case .word(let second) = query else {
                note(.operatorWithoutWord(join.text))
                return sequence.parts.append(part)
            }
            sequence.parts[sequence.parts.count - 1] = SearchBox.Part(
                query: .near(first + " " + second, slop: slop), isRequired: true, isUnfinished: false)
        }
    }

    // MARK: - Tokens

    private enum Token {
        case open, close
        case join(Sequence.Join, String)
        case sign(isExcluded: Bool, String)
        case phrase(String, slop: Int?)
        case near(String, slop: Int)
        case group(field: String, String, isPhrase: Bool)
        /// A word, and whether nothing follows it.
        case word(String, isLast: Bool)
        /// An omitted part, with its note.
        case leftOut(SearchBox.Note)
    }

    private static let separators: Set<Character> = [",", ";", "/"]
    private static let quotes: Set<Character> = ["\"", "“", "”", "„", "‟", "«", "»", "＂", "〝", "〞"]

    private func character(_ place: Int) -> Character? { place < characters.count ? characters[place] : nil }

    private mutating func next() -> Token? {
        while let first = character(offset) {
            let following = character(offset + 1)
            let isSeparator = Self.separators.contains(first) && offset > 0 && characters[offset - 1].isLetter
            if first.isWhitespace || isSeparator {
                offset += 1
                continue
            }
            if Self.quotes.contains(first) { return quoted() }
            switch first {
            case "(", ")":
                offset += 1
                return first == "(" ? .open : .close
            case "|", "&":
                let start = offset
                while character(offset) == first { offset += 1 }
                let text = String(characters[start..<offset])
                if first == "|" { return .join(.or, text) }
                if text.count > 1 { return .join(.and, text) }
            case "-", "−", "!", "+":
                offset += 1
                // A lone sign, and a row of signs, are punctuation.
                if let following, !following.isWhitespace, following != ")", !"-−!+".contains(following) {
                    return .sign(isExcluded: first != "+", String(first))
                }
                while let sign = character(offset), "-−!+".contains(sign) { offset += 1 }
            default: return word()
            }
        }
        return nil
    }

    /// A quoted phrase. A quote that is not closed extends to the end, as while it is being typed.
    private mutating func quoted() -> Token? {
        let start = offset + 1
        var end = start
        while let character = character(end), !Self.quotes.contains(character) { end += 1 }
        offset = min(characters.count, end + 1)
        let text = String(characters[min(start, characters.count)..<end])
        guard character(offset) == "~" else { return .phrase(text, slop: nil) }
        var last = offset + 1
        while last < offset + 4, let digit = character(last), digit.isASCII, digit.isNumber { last += 1 }
        guard let slop = Int(String(characters[(offset + 1)..<last])) else { return .phrase(text, slop: nil) }
        offset = last
        // As in Lucene, where no word may be between them, and none elsewhere.
        return .phrase(text, slop: slop == 0 ? nil : slop)
    }

    private mutating func word() -> Token? {
        let start = offset
        if character(start) == "{", let columns = takeBraces() { return .leftOut(.unsupported(columns, searched: nil)) }
        if character(start) == "[" || character(start) == "{", let range = takeRange(from: start) {
            return .leftOut(.range(range))
        }
        while let character = character(offset) {
            if character.isWhitespace || character == "(" || character == ")" || character == "|" { break }
            if character == "&", self.character(offset + 1) == "&" { break }
            if offset > start, separatesWords(at: offset, from: start) { break }
            if character == "[" || character == "{", offset > start, characters[offset - 1] == ":",
                let range = takeRange(from: start)
            {
                return .leftOut(.range(range))
            }
            // A quote inside a word is a unit, as in 12".
            if Self.quotes.contains(character), offset > start, characters[offset - 1] == ":" { break }
            offset += 1
        }
        let text = String(characters[start..<offset])
        // A comparison, as in Lucene and web engines.
        if let colon = text.firstIndex(of: ":"), colon > text.startIndex,
            let sign = text[colon...].dropFirst().first, "<>".contains(sign)
        {
            return .leftOut(.range(text))
        }
        if reader.field(text) != nil, takeLoneColon() {
            return .leftOut(.unsupported("\(text) :", searched: nil))
        }
        switch text {
        case "AND": return .join(.and, text)
        case "OR": return .join(.or, text)
        case "NOT": return .sign(isExcluded: true, text)
        default: break
        }
        if text == "NEAR" || text == "ONEAR", let near = nearGroup() { return near }
        for name in ["NEAR", "ADJ", "AROUND", "WITHIN"] where text.hasPrefix(name) {
            let rest = text.dropFirst(name.count)
            if rest.isEmpty, name == "NEAR", character(offset) != "(" { return .join(.near(Self.nearSlop), text) }
            if rest.isEmpty, let number = takeNumber() { return .join(.near(number), "\(name)(\(number))") }
            if rest.first == "/", let number = Int(rest.dropFirst()) {
                return .join(.near(min(max(0, number), 99)), text)
            }
        }
        if text.last == ":", let next = character(offset), Self.quotes.contains(next) || next == "(",
            let field = reader.field(String(text.dropLast()))
        {
            return fieldGroup(field, isPhrase: next != "(")
        }
        return .word(text, isLast: offset == characters.count)
    }

    /// Whether a comma, a semicolon or a slash has a letter on both sides, as in `fog,ice`. A slash after a colon separates
    /// nothing, as in `http://…`, and neither does a sign in a word with a sign before it, or after an operator.
    private func separatesWords(at place: Int, from start: Int) -> Bool {
        guard Self.separators.contains(characters[place]), characters[place - 1].isLetter,
            character(place + 1)?.isLetter ?? false
        else { return false }
        if start > 0, "-−!+".contains(characters[start - 1]) { return false }
        if ["AND", "OR", "NOT"].contains(String(characters[start..<place])) { return false }
        return characters[place] != "/" || !characters[start..<place].contains(":")
    }

    /// Consumes `(a b, 3)`; `nil` if there are no parentheses.
    private mutating func nearGroup() -> Token? {
        guard character(offset) == "(" else { return nil }
        var end = offset + 1
        while let character = character(end), character != ")" { end += 1 }
        let content = String(characters[(offset + 1)..<end])
        offset = min(characters.count, end + 1)
        guard let comma = content.lastIndex(of: ","),
            let slop = Int(content[content.index(after: comma)...].filter { !$0.isWhitespace })
        else { return .near(content, slop: Self.nearSlop) }
        return .near(String(content[..<comma]), slop: min(max(0, slop), 99))
    }

    /// Consumes a colon with spaces on both sides, as FTS5 allows after the name of a field.
    private mutating func takeLoneColon() -> Bool {
        var place = offset
        while let space = character(place), space.isWhitespace { place += 1 }
        guard place > offset, character(place) == ":", character(place + 1)?.isWhitespace ?? true else { return false }
        offset = place + 1
        return true
    }

    /// Consumes the names of fields in braces with a colon, as in FTS5.
    private mutating func takeBraces() -> String? {
        guard let end = place(after: ["}"]), character(end) == ":" else { return nil }
        defer { offset = end + 1 }
        return String(characters[offset...end])
    }

    /// Consumes the rest of a range such as `year:[1900 TO 1910]`, as in Lucene.
    private mutating func takeRange(from start: Int) -> String? {
        guard let end = place(after: ["]", "}"]) else { return nil }
        let text = String(characters[start..<end])
        guard text.split(whereSeparator: \.isWhitespace).dropFirst().dropLast().contains("TO") else { return nil }
        offset = end
        return text
    }

    /// The longest range and list of fields that is looked for.
    private static let bracketLimit = 200

    /// Returns the place after the next of these characters; `nil` if it is not near.
    private func place(after closing: Set<Character>) -> Int? {
        let near = offset..<min(characters.count, offset + Self.bracketLimit)
        return near.first { closing.contains(characters[$0]) }.map { $0 + 1 }
    }

    /// Consumes a number in parentheses.
    private mutating func takeNumber() -> Int? {
        guard character(offset) == "(" else { return nil }
        var end = offset + 1
        while end < offset + 4, let digit = character(end), digit.isASCII, digit.isNumber { end += 1 }
        guard character(end) == ")", let number = Int(String(characters[(offset + 1)..<end])) else { return nil }
        offset = end + 1
        return number
    }

    /// Consumes the phrase or the words in parentheses after a field name.
    private mutating func fieldGroup(_ field: String, isPhrase: Bool) -> Token {
        let start = offset + 1
        var end = start
        while let character = character(end), isPhrase ? !Self.quotes.contains(character) : character != ")" {
            end += 1
        }
        offset = min(characters.count, end + 1)
        return .group(field: field, String(characters[min(start, end)..<end]), isPhrase: isPhrase)
    }

    // MARK: - Plain words

    /// Returns the words of a string, without any operators, within the limits.
    static func words(of text: String) -> [TextQuery] {
        let start = String(decoding: text.utf8.prefix(TextQuery.maximumByteCount / 2), as: UTF8.self)
        var words: [TextQuery] = []
        for part in start.split(whereSeparator: { !($0.isLetter || $0.isNumber) }) {
            let query = TextQuery.word(String(part))
            if TextQuery.wordCount(of: String(part)) == 1, !words.contains(query) { words.append(query) }
            if words.count == SearchBox.maximumPartCount { break }
        }
        return words
    }
}
