/// Converts a ``TextQuery`` to the terms to look up in an index. Each word is analyzed like the strings of each
/// searched field.
final class QueryResolver {
    // Not the index itself: it keeps resolvers, which would create a reference cycle.
    private let indexName: String
    private let allFields: UInt32
    /// The analyzers, each with its fields.
    private let groups: [Group]
    /// The fields whose analyzer has a stemmer.
    private let stemmedFields: UInt32
    /// The path of each field and its last component.
    private let names: [(path: String, last: String)]
    /// The languages of the analyzers.
    let languages: [TextAnalyzer.Language]

    private struct Group {
        let chain: AnalysisChain
        let fields: UInt32
    }

    /// - Parameter languages: The languages of documents. A word is looked up by its stems in each of them.
    init(_ indexName: String, fields: [TextField], languages: [TextAnalyzer.Language] = []) {
        self.indexName = indexName
        allFields = fields.allBits
        groups = fields.analyzers(languages).map { Group(chain: AnalysisChain($0.analyzer), fields: $0.fields) }
        var known: [TextAnalyzer.Language] = []
        for language in groups.compactMap(\.chain.analyzer.language) where !known.contains(language) {
            known.append(language)
        }
        self.languages = known
        stemmedFields = groups.reduce(0) { $0 | ($1.chain.analyzer.language == nil ? 0 : $1.fields) }
        names = fields.map { field in
            let path = field.path.description
            let dot = path.utf8.lastIndex(of: UInt8(ascii: "."))
            return (path, dot.map { String(path[path.utf8.index(after: $0)...]) } ?? path)
        }
    }

    /// Returns the query for the index.
    ///
    /// - Throws: ``DocIndexError``: `invalidQuery` if the index does not have a field of the query; `queryTooLarge` if
    ///   the query exceeds a limit.
    func resolve(_ query: TextQuery) throws -> ResolvedQuery {
        try query.validate()
        let resolved = try resolve(query, allFields).simplified
        let termCount = resolved.termCount
        guard termCount <= TextQuery.maximumTermCount else {
            throw DocIndexError(
                .queryTooLarge,
                "the search looks up \(termCount) terms in the text index \(indexName); at most "
                    + "\(TextQuery.maximumTermCount) are allowed; use fewer or shorter words")
        }
        return resolved
    }

    func resolve(_ query: TextQuery, _ fields: UInt32) throws -> ResolvedQuery {
        switch query {
        case .nothing: .nothing
        case .word(let text): words(text, fields, isExact: false)
        case .phrase(let text): words(text, fields, isExact: true)
        case .near(let text, let slop): words(text, fields, isExact: true, slop: max(0, slop))
        case .prefix(let text): prefix(text, fields)
        case .fuzzy(let text, let distance): fuzzy(text, distance, fields)
        case .and(let parts): .and(try parts.content.map { try resolve($0, fields) })
        case .or(let parts): .or(try parts.content.map { try resolve($0, fields) })
        case .except(let wanted, let unwanted):
            .except(try resolve(wanted.content, fields), try resolve(unwanted.content, fields))
        case .prefer(let wanted, let optional):
            .prefer(try resolve(wanted.content, fields), try resolve(optional.content, fields))
        case .field(let name, let part): try resolve(part.content, at: fields & named(name))
        case .boost(let part, let factor): .boost(try resolve(part.content, fields), factor)
        case .searchBox(let box): try resolve(box, fields)
        }
    }

    /// Resolves a part of the query in some fields. Fields that exclude each other, as in `title:(text:fog)`, leave
    /// none. Then nothing matches, unlike for a word that is left out.
    private func resolve(_ part: TextQuery, at fields: UInt32) throws -> ResolvedQuery {
        let resolved = try resolve(part, fields)
        return fields == 0 ? .nothing : resolved
    }

    /// Returns the fields with a name, as bits.
    private func named(_ name: String) throws -> UInt32 {
        var fields: UInt32 = 0
        for (position, (path, last)) in names.enumerated() {
            if path.hasSameBytes(as: name) || last == name || (last.hasSuffix("[]") && last.dropLast(2) == name) {
                fields |= 1 << UInt32(position)
            }
        }
        guard fields != 0 else {
            throw DocIndexError(
                .invalidQuery,
                "the text index \(indexName) has no field \(name); it has "
                    + "\(names.map(\.path).joined(separator: ", ")); "
                    + "quote the word if it is not a field")
        }
        return fields
    }

    // MARK: - Words

    /// The alternatives for one word or phrase: terms that count as one word, and phrases.
    private struct Alternatives {
        var terms: [ResolvedQuery.Term] = []
        var others: [ResolvedQuery] = []
        /// Whether a field leaves the words out; documents then need not contain them.
        var isLeftOut = false

        mutating func add(_ term: ResolvedQuery.Term) {
            guard let known = terms.firstIndex(where: { $0.key == term.key }) else { return terms.append(term) }
            guard let fields = term.fields, let before = terms[known].fields else { return terms[known].fields = nil }
            terms[known].fields = before | fields
        }

        func query(allFields: UInt32) -> ResolvedQuery {
            if isLeftOut { return .ignored }
            var parts = others
            if !terms.isEmpty {
                parts.insert(
                    .word(terms.map { $0.fields == allFields ? ResolvedQuery.Term(key: $0.key) : $0 }), at: 0)
            }
            if parts.isEmpty { return .ignored }
            return parts.count == 1 ? parts[0] : .or(parts)
        }
    }

    private func term(_ form: AnalysisChain.Token.Form, _ fields: UInt32) -> ResolvedQuery.Term {
        switch form {
        case .term(let term):
            // Stems occur in no other fields.
            let isEverywhere =
                fields == allFields
                || (term.first == AnalysisChain.stemMark && stemmedFields & ~fields == 0)
            return ResolvedQuery.Term(key: .term(term), fields: isEverywhere ? nil : fields)
        case .prefix(let prefix):
            return ResolvedQuery.Term(key: .prefix(prefix), fields: fields == allFields ? nil : fields)
        }
    }

    private func words(_ text: String, _ fields: UInt32, isExact: Bool, slop: Int? = nil) -> ResolvedQuery {
        var alternatives = Alternatives()
        for group in groups where group.fields & fields != 0 {
            add(text, group, fields, isExact: isExact, slop: slop, to: &alternatives)
        }
        return alternatives.query(allFields: allFields)
    }

    private func add(
        _ text: String, _ group: Group, _ fields: UInt32, isExact: Bool, slop: Int? = nil,
        to alternatives: inout Alternatives
    ) {
        let tokens = group.chain.tokens(of: text, isExact: isExact)
        if tokens.isEmpty, group.chain.analyzer.stopWords != .none { alternatives.isLeftOut = true }
        let fields = group.fields & fields
        add(tokens, fields, slop: slop, to: &alternatives)
        if let separated = group.chain.separatedTokens(of: text, isExact: isExact) {
            add(separated, fields, slop: slop, to: &alternatives)
        }
        if isExact { return }
        for phrase in group.chain.synonyms(of: tokens) {
            let tokens = phrase.enumerated().map {
                AnalysisChain.Token(position: UInt32(clamping: $0.offset), form: .term($0.element))
            }
            add(tokens, fields, slop: nil, to: &alternatives)
        }
    }

    private func add(
        _ tokens: [AnalysisChain.Token], _ fields: UInt32, slop: Int?, to alternatives: inout Alternatives
    ) {
        guard let first = tokens.first else { return }
        if tokens.count == 1 { return alternatives.add(term(first.form, fields)) }
        // Expanded prefixes have no positions, so their words need not be adjacent.
        if tokens.contains(where: { $0.term == nil }) {
            return alternatives.others.append(.and(tokens.map { .word([term($0.form, fields)]) }))
        }
        alternatives.others.append(
            .phrase(
                tokens.map {
                    ResolvedQuery.Part(terms: [term($0.form, fields)], position: $0.position - first.position)
                }, slop: slop))
    }

    private func prefix(_ text: String, _ fields: UInt32) -> ResolvedQuery {
        var alternatives = Alternatives()
        for group in groups where group.fields & fields != 0 {
            let inside = group.fields & fields
            if group.chain.analyzer.tokenizer == .ngrams {
                add(text, group, fields, isExact: true, to: &alternatives)
                continue
            }
            let tokens = group.chain.tokens(of: text, isExact: true, keepsStopWords: true)
            guard let last = tokens.last else { continue }
            let bytes: [UInt8] =
                switch last.form {
                case .term(let bytes), .prefix(let bytes): bytes
                }
            let end = term(.prefix(bytes), inside)
            if tokens.count == 1 {
                alternatives.add(end)
                continue
            }
            var before = Alternatives()
            add(tokens.dropLast(), inside, slop: nil, to: &before)
            alternatives.others.append(.and([before.query(allFields: allFields), .word([end])]))
        }
        return alternatives.query(allFields: allFields)
    }

    /// The word and those similar to it. The word itself comes first, however often and in however few documents a
    /// similar one occurs.
    private func fuzzy(_ text: String, _ distance: Int?, _ fields: UInt32) -> ResolvedQuery {
        let exact = similarWords(text, 0, fields)
        let all = similarWords(text, distance, fields)
        return exact == all ? all : .exactFirst(exact, among: all)
    }

    private func similarWords(_ text: String, _ distance: Int?, _ fields: UInt32) -> ResolvedQuery {
        var alternatives = Alternatives()
        for group in groups where group.fields & fields != 0 {
            let inside = group.fields & fields
            if group.chain.analyzer.tokenizer == .ngrams {
                add(text, group, fields, isExact: true, to: &alternatives)
                continue
            }
            let tokens = group.chain.tokens(of: text, isExact: true, keepsStopWords: true)
            let terms = tokens.map { token -> ResolvedQuery.Term in
                guard let term = token.term else { return self.term(token.form, inside) }
                // Longer words may differ more; words of one letter must match exactly.
                let letters = String(decoding: term, as: UTF8.self).count
                let distance = min(distance ?? (letters < 9 ? 1 : 2), 2)
                if distance <= 0 || term.count < 2 { return self.term(token.form, inside) }
                return ResolvedQuery.Term(
                    key: .fuzzy(term, distance: distance), fields: inside == allFields ? nil : inside)
            }
            if terms.count == 1 {
                alternatives.add(terms[0])
            } else if !terms.isEmpty {
                alternatives.others.append(.and(terms.map { .word([$0]) }))
            }
        }
        return alternatives.query(allFields: allFields)
    }
}
