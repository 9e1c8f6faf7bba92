/// A ``SearchBox`` resolved for one index.
package struct ResolvedBox: Sendable, Hashable {
    var words: [Word]
    /// The words as typed, one after another.
    var phrase: ResolvedQuery?
    var unwanted: [ResolvedQuery]

    /// A word with the forms in which documents may contain it, from the best to the worst.
    struct Word: Sendable, Hashable {
        /// The word as typed; `nil` if ``base`` finds only that.
        var whole: ResolvedQuery?
        /// The word in any of its forms, or an expression in place of a word.
        var base: ResolvedQuery
        /// Longer words.
        var prefix: ResolvedQuery?
        /// Similar words.
        var slip: ResolvedQuery?
        var isRequired = false
        /// Whether longer words are searched for even if the word exists.
        var isUnfinished = false
        var common = CommonWord.none

        /// All forms, from the best to the worst.
        var forms: [ResolvedQuery] { [whole, base, prefix, slip].compactMap { $0 } }

        /// Returns the one word for two with the same ``whole`` and ``base``. If one of them is required, only its
        /// longer and similar words are results; otherwise those of both are.
        func merged(with other: Word) -> Word {
            if isRequired != other.isRequired { return isRequired ? self : other }
            var word = self
            if isRequired {
                if other.prefix == nil { word.prefix = nil }
                if other.slip == nil { word.slip = nil }
                word.isUnfinished = isUnfinished && other.isUnfinished
            } else {
                word.prefix = prefix ?? other.prefix
                word.slip = slip ?? other.slip
                word.isUnfinished = isUnfinished || other.isUnfinished
                // A stop word with an operator is meant.
                if other.common == .none { word.common = .none }
            }
            return word
        }
    }

    /// The number of terms to look up, including repetitions.
    var termCount: Int {
        let words = words.reduce(0) { $0 + $1.forms.reduce(0) { $0 + $1.termCount } }
        return unwanted.reduce(words + (phrase?.termCount ?? 0)) { $0 + $1.termCount }
    }
}

extension QueryResolver {
    /// The least number of letters from which longer words are searched for, if the word is being typed and if it does
    /// not exist, and similar ones.
    private static let lengths = (typed: 2, absent: 3, slip: 4)

    func resolve(_ box: SearchBox, _ fields: UInt32) throws -> ResolvedQuery {
        var words: [ResolvedBox.Word] = []
        for part in box.parts {
            guard let word = try word(part, fields) else { continue }
            if let known = words.firstIndex(where: { $0.base == word.base && $0.whole == word.whole }) {
                words[known] = words[known].merged(with: word)
            } else {
                words.append(word)
            }
        }
        let phrase = try box.phrase.map { try resolve(.phrase($0), fields).reduced }
        let unwanted = try box.excluded.map { try resolve(inAnyField: $0, fields).reduced }
        return .box(
            ResolvedBox(
                words: words, phrase: phrase.flatMap { $0.canMatch ? $0 : nil }, unwanted: unwanted.filter(\.canMatch)))
    }

    /// Returns a word of a search box; `nil` if the index leaves it out.
    private func word(_ part: SearchBox.Part, _ fields: UInt32) throws -> ResolvedBox.Word? {
        guard case .word(let text) = part.query else {
            let base = try resolve(inAnyField: part.query, fields).reduced
            if base == .ignored { return nil }
            if case .exactFirst(let exact, among: let all) = base {
                return ResolvedBox.Word(whole: exact, base: all, isRequired: part.isRequired)
            }
            return ResolvedBox.Word(base: base, isRequired: part.isRequired)
        }
        let base = try resolve(part.query, fields).reduced
        if base == .ignored { return nil }
        let whole = try resolve(.phrase(text), fields).reduced
        var word = ResolvedBox.Word(
            whole: whole.canMatch && whole != base ? whole : nil, base: base, isRequired: part.isRequired,
            isUnfinished: part.isUnfinished, common: CommonWord(text, languages: languages))
        guard TextQuery.wordCount(of: text) == 1 else { return word }
        let letters = text.count(where: \.isLetter)
        let isNumber = text.contains(where: \.isNumber)
        if letters >= (part.isUnfinished ? Self.lengths.typed : Self.lengths.absent) || isNumber && part.isUnfinished {
            word.prefix = Self.loose(try resolve(.prefix(text), fields).reduced, unlike: base)
        }
        // Similar numbers have different meanings.
        if letters >= Self.lengths.slip, !isNumber {
            word.slip = Self.loose(try resolve(.fuzzy(text, distance: nil), fields).reduced, unlike: base)
        }
        return word
    }

    private static func loose(_ query: ResolvedQuery, unlike base: ResolvedQuery) -> ResolvedQuery? {
        // The word itself is a better form.
        var query = query
        if case .exactFirst(_, among: let all) = query { query = all }
        return query.canMatch && query != base ? query : nil
    }

    /// Resolves an expression. Fields that the index does not have are ignored.
    private func resolve(inAnyField query: TextQuery, _ fields: UInt32) throws -> ResolvedQuery {
        do {
            return try resolve(query, fields)
        } catch let error as DocIndexError where error.code == .invalidQuery {
            return try resolve(query.withoutFields, fields)
        }
    }
}

extension TextQuery {
    /// The query in all fields.
    fileprivate var withoutFields: TextQuery {
        switch self {
        case .field(_, let part): part.content.withoutFields
        case .boost(let part, let factor): .boost(part.content.withoutFields, factor)
        case .and(let parts): .and(parts.content.map(\.withoutFields))
        case .or(let parts): .or(parts.content.map(\.withoutFields))
        case .except(let wanted, let unwanted): .except(wanted.content.withoutFields, unwanted.content.withoutFields)
        case .prefer(let wanted, let optional): .prefer(wanted.content.withoutFields, optional.content.withoutFields)
        default: self
        }
    }
}
