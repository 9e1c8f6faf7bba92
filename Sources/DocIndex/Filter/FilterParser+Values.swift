/// Parsing of the elements of conditions: paths, values, dates, patterns and lists.
extension FilterParser {
    /// Parses a date part and its path, such as `month(taken)`.
    mutating func takeDatePart() -> (part: DocumentDate.Part, path: FieldPath)? {
        takeFunction { word in DocumentDate.Part.allCases.first { $0.rawValue.lowercased() == word } }
    }

    /// Parses a collation and its path, such as `ci(title)`.
    mutating func takeCollation() -> (TextCollation, FieldPath)? { takeFunction { TextCollation(rawValue: $0) } }

    /// Parses a word with a path in parentheses after it.
    ///
    /// - Parameter named: Returns the meaning of a word in lowercase; `nil` for other words.
    private mutating func takeFunction<Meaning>(named: (String) -> Meaning?) -> (Meaning, FieldPath)? {
        guard offset + 3 < tokens.count, case .word(let word) = tokens[offset].kind,
            tokens[offset + 1].kind == .open, tokens[offset + 3].kind == .close, let meaning = named(word.lowercased())
        else { return nil }
        let start = offset
        offset += 2
        guard let path = try? path() else {
            offset = start
            return nil
        }
        offset += 1
        return (meaning, path)
    }

    mutating func path() throws -> FieldPath {
        guard offset < tokens.count else { throw fault("a condition is expected here") }
        let written: String
        switch tokens[offset].kind {
        // The element itself, or elements of it.
        case .word("@"):
            offset += 1
            return .element
        case .word(let text) where text.hasPrefix("@["):
            guard let path = try? FieldPath(parsing: "element" + text.dropFirst()) else {
                throw fault("\(text) is not a valid path")
            }
            offset += 1
            return FieldPath(checked: Array(path.steps.dropFirst()))
        case .word(let text) where !Self.isKeyword(text): written = text
        // A quoted name is a single step of the path.
        case .quoted(let text): written = FieldPath(names: text).description
        case .bound(.path(let path)):
            offset += 1
            return path
        case .bound(.value):
            throw fault(
                "a bound value stands where the path of a field is expected; bind a path with \\(field: …)")
        default: throw fault("the path of a field is expected here")
        }
        do {
            let path = try FieldPath(parsing: written)
            offset += 1
            return path
        } catch {
            throw fault("\(written) is not a valid path: \(error)")
        }
    }

    /// Parses a value, or the span of time denoted by a string or a date. A string in the form of a day, with or
    /// without a time, is compared as a date; `json "\"2019-06-08\""` is compared as a string.
    mutating func literal() throws -> Literal {
        guard offset + 1 < tokens.count, case .word(let word) = tokens[offset].kind, word.lowercased() == "date" else {
            return try valueOrSpan()
        }
        if case .bound = tokens[offset + 1].kind {
            offset += 1
            throw fault("a bound date is already a date; omit the word date before it")
        }
        guard case .word(let text) = tokens[offset + 1].kind else {
            guard case .quoted(let text) = tokens[offset + 1].kind, let span = Filter.DateSpan(text) else {
                return .value(try value())
            }
            offset += 2
            return .span(span)
        }
        if let span = Filter.DateSpan(text) {
            offset += 2
            return .span(span)
        }
        // In `kind = date and …`, `date` is a string.
        if Self.isKeyword(text) || text.unicodeScalars.first?.properties.isAlphabetic == true {
            return .value(try value())
        }
        offset += 1
        throw fault("\(text) is not a date; write 2019, 2019-06, 2019-06-08 or 2019-06-08T18:02:11")
    }

    private mutating func valueOrSpan() throws -> Literal {
        if let bound = nextBound {
            let value = try value()
            // A bound string is a string, whatever it looks like. A date is compared as in the rest of the notation.
            guard case .value(.date) = bound, let span = Filter.DateSpan(comparing: value) else { return .value(value) }
            return .span(span)
        }
        let isJSON = isKeywordNext("JSON")
        let value = try value()
        return isJSON ? .value(value) : Filter.DateSpan(comparing: value).map { .span($0) } ?? .value(value)
    }

    mutating func value() throws -> DocumentValue {
        guard offset < tokens.count else { throw fault("a value is expected here") }
        switch tokens[offset].kind {
        case .bound(.value(let value)):
            offset += 1
            return value
        case .bound(.path): throw fault("a value is expected here, not a path; bind a value")
        case .word(let word) where word.hasPrefix(":"):
            guard let value = parameters[String(word.dropFirst())] else {
                throw fault("no value is bound to \(word); bind one, or put the string in quotes")
            }
            offset += 1
            return value
        case .word(let word) where word.lowercased() == "json":
            if offset + 1 < tokens.count, case .quoted(let text) = tokens[offset + 1].kind {
                offset += 1
                do throws(JSONError) {
                    let value = try DocumentValue(json: text, notation: .dump)
                    offset += 1
                    return value
                } catch {
                    throw fault("this is not valid JSON: \(error)")
                }
            }
            offset += 1
            return .string(word)
        case .word(let word) where !Self.isKeyword(word):
            offset += 1
            return Self.value(ofWord: word)
        case .quoted(let text):
            offset += 1
            return .string(text)
        default: throw fault("a value is expected here; put it in quotes if it contains special characters")
        }
    }

    /// Returns the value of a bare word: its JSON value, or else a string. A number may begin with its decimal point.
    static func value(ofWord word: String) -> DocumentValue {
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default:
            var number = word
            if word.hasPrefix(".") { number = "0" + word }
            if word.hasPrefix("-.") { number = "-0" + word.dropFirst() }
            if let parsed = try? JSONParser().parse(Array(number.utf8)), parsed.numberValue != nil { return parsed }
            return .string(word)
        }
    }

    mutating func integer() throws -> Int64 {
        let place = offset
        guard case .int(let number) = try value() else {
            offset = place
            throw fault("a whole number is expected here")
        }
        return number
    }

    /// Parses `5` or `5..8`.
    mutating func integerRange() throws -> ClosedRange<Int64> {
        guard offset < tokens.count, case .word(let word) = tokens[offset].kind, word.contains("..") else {
            let number = try integer()
            return number...number
        }
        let ends = word.split(separator: ".", omittingEmptySubsequences: true).compactMap { Int64($0) }
        guard ends.count == 2, ends[0] <= ends[1] else { throw fault("a range such as 6..8 is expected here") }
        offset += 1
        return ends[0]...ends[1]
    }

    mutating func string() throws -> String {
        guard offset < tokens.count else { throw fault("a string is expected here") }
        switch tokens[offset].kind {
        case .bound(let bound):
            guard case .value(.string(let text)) = bound else {
                throw fault("the value bound here must be a string")
            }
            offset += 1
            return text
        case .word(let word) where word.hasPrefix(":") && parameters[String(word.dropFirst())] != nil:
            guard case .string(let text) = parameters[String(word.dropFirst())] else {
                throw fault("the value of \(word) is not a string")
            }
            offset += 1
            return text
        case .word(let text) where !Self.isKeyword(text), .quoted(let text):
            offset += 1
            return text
        default: throw fault("a string is expected here; put it in quotes if it contains special characters")
        }
    }

    mutating func pattern() throws -> Filter.TextPattern {
        let source: String
        var ignoresCase = false
        if offset < tokens.count, case .pattern(let text, let flags) = tokens[offset].kind {
            guard flags.isEmpty || flags == "i" else {
                throw fault("the only flag allowed after a pattern is i")
            }
            source = text
            ignoresCase = !flags.isEmpty
            offset += 1
        } else {
            source = try string()
        }
        do {
            return try Filter.TextPattern(source, ignoresCase: ignoresCase)
        } catch let error as DocIndexError {
            offset -= 1
            throw fault(error.message)
        }
    }

    mutating func kinds() throws -> Set<DocumentValue.Kind> {
        var kinds: Set<DocumentValue.Kind> = []
        if offset < tokens.count, tokens[offset].kind == .open {
            try forEachInList { kinds.formUnion(try $0.kind()) }
        } else {
            kinds = try kind()
        }
        return kinds
    }

    mutating func kind() throws -> Set<DocumentValue.Kind> {
        guard let kinds = DocumentValue.Kind.named(try string()) else {
            offset -= 1
            throw fault("one of null, boolean, number, string, date, bytes, attachment, array, object is expected here")
        }
        return kinds
    }

    /// Returns the elements of an array that is bound in place of a list; `nil` if there is a list.
    mutating func boundList() throws -> [DocumentValue]? {
        guard let bound = nextBound else { return nil }
        guard case .value(.array(let elements)) = bound else {
            throw fault("IN needs a bound array, or a list in parentheses, here")
        }
        offset += 1
        return elements
    }

    mutating func forEachInList(_ body: (inout FilterParser) throws -> Void) throws {
        guard take(.open) else { throw fault("IN needs a list in parentheses here") }
        if take(.close) { return }
        try body(&self)
        while take(.comma) { try body(&self) }
        guard take(.close) else { throw fault("a , or ) is expected here") }
    }
}
