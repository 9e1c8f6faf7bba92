/// The words of a document in memory, for evaluating a ``TextQuery`` without an index.
///
/// Stores do not use this: their text index knows its fields and its language. Here, every string of the document is
/// searched, the members of the document are the fields, and ``SimpleAnalyzer`` splits strings into words without stemming.
struct DocumentText {
    private var words = AnalyzedDocument()
    private var names: [String] = []
    /// The positions of each term.
    private var positions: [[UInt8]: [TextPosition]] = [:]

    init(_ document: DocumentObject) {
        words.chains = AnalysisChain.chains(Array(repeating: TextAnalyzer(), count: TextPosition.fieldLimit))
        for member in document {
            // Positions can distinguish only this many fields. Further members are counted as the last field.
            if names.count < TextPosition.fieldLimit { names.append(member.name) }
            append(member.value, field: names.count - 1)
        }
        for (index, position) in words.positions.enumerated() {
            positions[Array(words.terms[index]), default: []].append(position)
        }
    }

    private mutating func append(_ value: DocumentValue, field: Int) {
        switch value {
        case .string(let text): words.append(text, field: field, weight: 1)
        case .array(let elements): for element in elements { append(element, field: field) }
        case .object(let object): for member in object { append(member.value, field: field) }
        case .attachment: value.memberObject.map { append(.object($0), field: field) }
        default: break
        }
    }

    /// Returns whether the query matches the document.
    func matches(_ query: TextQuery) -> Bool { matches(query, .max) }

    private func matches(_ query: TextQuery, _ fields: UInt32) -> Bool {
        switch query {
        case .nothing: false
        case .word(let text), .phrase(let text): hasPhrase(Self.terms(text), fields)
        case .near(let text, let slop): isNear(Self.terms(text), slop: slop, fields)
        case .prefix(let text): hasPrefix(Self.terms(text), fields)
        case .fuzzy(let text, let distance): hasTerms(like: Self.terms(text), distance: distance, fields)
        // Parts without words are ignored.
        case .and(let parts):
            parts.content.contains(where: Self.hasWords)
                && parts.content.allSatisfy { !Self.hasWords($0) || matches($0, fields) }
        case .or(let parts): parts.content.contains { matches($0, fields) }
        case .except(let wanted, let unwanted): matches(wanted.content, fields) && !matches(unwanted.content, fields)
        case .prefer(let wanted, _), .boost(let wanted, _): matches(wanted.content, fields)
        case .searchBox(let box): matches(box, fields)
        case .field(let name, let part):
            matches(part.content, names.firstIndex { $0.hasSameBytes(as: name) }.map { fields & 1 << UInt32($0) } ?? 0)
        }
    }

    /// Returns whether a search box finds the document: by any word, and all that are required. Without an index no
    /// word is rare, so similar words do not count.
    private func matches(_ box: SearchBox, _ fields: UInt32) -> Bool {
        var parts = box.parts.filter { Self.hasWords($0.query) }
        let meaningful = parts.filter { part in
            guard !part.isRequired, case .word(let text) = part.query else { return true }
            return CommonWord(text, languages: []) != .always
        }
        if !meaningful.isEmpty { parts = meaningful }
        func isMatch(_ part: SearchBox.Part) -> Bool {
            if matches(part.query, fields) { return true }
            guard part.isUnfinished, case .word(let text) = part.query else { return false }
            return matches(.prefix(text), fields)
        }
        return parts.contains(where: isMatch) && parts.allSatisfy { !$0.isRequired || isMatch($0) }
            && !box.excluded.contains { matches($0, fields) }
    }

    /// Returns the terms of a query string.
    private static func terms(_ text: String) -> [[UInt8]] {
        var terms = SimpleAnalyzer.Terms()
        SimpleAnalyzer.append(text, to: &terms)
        return (0..<terms.count).map { Array(terms[$0]) }
    }

    private static func hasWords(_ query: TextQuery) -> Bool {
        switch query {
        case .word(let text), .phrase(let text), .near(let text, _), .prefix(let text), .fuzzy(let text, _):
            !terms(text).isEmpty
        default: true
        }
    }

    private func positions(of term: [UInt8], _ fields: UInt32) -> [TextPosition] {
        (positions[term] ?? []).filter { fields >> UInt32($0.field) & 1 == 1 }
    }

    private func hasTerm(_ fields: UInt32, where accepts: ([UInt8]) -> Bool) -> Bool {
        positions.contains { accepts($0.key) && !positions(of: $0.key, fields).isEmpty }
    }

    /// Returns whether the terms are consecutive, with the last one as a prefix.
    private func hasPrefix(_ terms: [[UInt8]], _ fields: UInt32) -> Bool {
        guard let last = terms.last else { return false }
        if terms.count == 1 { return hasTerm(fields) { $0.starts(with: last) } }
        return positions.keys.contains { $0.starts(with: last) && hasPhrase(terms.dropLast() + [$0], fields) }
    }

    private func hasTerms(like terms: [[UInt8]], distance: Int?, _ fields: UInt32) -> Bool {
        !terms.isEmpty
            && terms.allSatisfy { term in
                let length = String(decoding: term, as: UTF8.self).count
                return hasTerm(like: term, distance: min(distance ?? (length < 9 ? 1 : 2), 2), fields)
            }
    }

    private func hasTerm(like term: [UInt8], distance: Int, _ fields: UInt32) -> Bool {
        // A one-character word is matched exactly, because all such words are similar.
        guard distance > 0, term.count > 1 else { return hasPhrase([term], fields) }
        let reference = EditDistance(term, limit: min(distance, 2))
        let first = String(decoding: term, as: UTF8.self).unicodeScalars.first
        return hasTerm(fields) { other in
            String(decoding: other, as: UTF8.self).unicodeScalars.first == first && reference.distance(to: other) != nil
        }
    }

    private func hasPhrase(_ terms: [[UInt8]], _ fields: UInt32) -> Bool {
        guard let first = terms.first else { return false }
        let following = terms.map { Set(positions(of: $0, fields).map(\.bits)) }
        return positions(of: first, fields).contains { start in
            terms.indices.allSatisfy { following[$0].contains(start.bits &+ UInt32($0)) }
        }
    }

    /// Returns whether a sequence of words contains every term and at most `slop` other words.
    private func isNear(_ terms: [[UInt8]], slop: Int, _ fields: UInt32) -> Bool {
        let all = Set(terms).map { positions(of: $0, fields) }
        let others = min(max(0, slop), Int(TextPosition.gap) - all.count)
        let width = UInt32(clamping: all.count - 1 + others)
        return all.joined().contains { first in
            all.allSatisfy { positions in
                positions.contains { $0 >= first && $0.field == first.field && $0.bits - first.bits <= width }
            }
        }
    }
}
