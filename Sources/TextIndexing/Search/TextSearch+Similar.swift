internal import LevelKit

/// Words that are similar to a word, and words that occur with others.
extension TextSearch {
    /// The largest number of documents that may contain a misspelling.
    package static let rareWordLimit = 5
    /// How many times more documents must contain a similar word.
    private static let misspellingFactor = 20
    /// The number of words whose documents are compared with the documents of the words before.
    package static let jointWordLimit = 200
    /// The number of documents with the words before that are considered.
    private static let jointSlotLimit = 20_000

    // MARK: - Similar words

    /// Returns the words within an edit distance of 1, or 2 for words of at least five letters: the closest first, then
    /// those in the most documents. At the first letter, the distance is at most 1.
    ///
    /// - Returns: words far more frequent than the term itself; nothing if the term is not rare.
    package func similarWords(to term: [UInt8]) throws -> [(word: String, documentCount: Int)] {
        let letters = Array(String(decoding: term, as: UTF8.self).unicodeScalars)
        guard let first = letters.first, letters.count > 1 else { return [] }
        let count = try documentFrequency(of: term)
        if count > Self.rareWordLimit { return [] }
        let reference = EditDistance(term, limit: letters.count < 5 ? 1 : 2)
        var found: [(distance: Int, word: String, count: Int)] = []
        for candidate in try terms(from: Self.utf8([first])) {
            guard let distance = reference.distance(to: Array(candidate.word.utf8)), distance > 0 else { continue }
            found.append((distance, candidate.word, candidate.documentCount))
        }
        for candidate in try candidates(forFirstLetterOf: letters) {
            guard candidate.first != first, !found.contains(where: { $0.word.unicodeScalars.elementsEqual(candidate) })
            else { continue }
            let bytes = Self.utf8(candidate)
            let count = try documentFrequency(of: bytes)
            if count > 0 { found.append((1, String(decoding: bytes, as: UTF8.self), count)) }
        }
        found.removeAll { $0.count < count * Self.misspellingFactor }
        found.sort { ($0.distance, $1.count, $0.word) < ($1.distance, $0.count, $1.word) }
        return found.map { ($0.word, $0.count) }
    }

    private static func utf8(_ letters: some Sequence<Unicode.Scalar>) -> [UInt8] {
        letters.flatMap { UTF8.encode($0).map(Array.init) ?? [] }
    }

    /// Returns the words that differ at the beginning: with the first letter omitted, added, replaced or swapped with
    /// the second.
    private func candidates(forFirstLetterOf letters: [Unicode.Scalar]) throws -> [[Unicode.Scalar]] {
        let rest = Array(letters.dropFirst())
        var candidates = [rest, [rest[0], letters[0]] + rest.dropFirst()]
        for first in try firstLetters() {
            candidates.append([first] + rest)
            candidates.append([first] + letters)
        }
        return candidates
    }

    /// Returns the letters that words of the index begin with.
    ///
    /// - Complexity: a seek for each letter and segment, and the pending words.
    private func firstLetters() throws -> Set<Unicode.Scalar> {
        var letters: Set<Unicode.Scalar> = []
        func add(_ term: [UInt8]) -> [UInt8]? {
            guard let letter = String(decoding: term, as: UTF8.self).unicodeScalars.first else { return nil }
            letters.insert(letter)
            return Self.utf8([letter])
        }
        for segment in view.structure.segments {
            let start = TextIndexKey.terms.segment(index.number, segment.number)
            // Words follow the stems, which begin with a smaller byte.
            var range = KeyRange(
                lower: .included(start + [0x02, AnalysisChain.stemMark + 1]), upper: .excluded(start + [0x03]))
            while true {
                try CancellationCheck.now()
                var cursor = try reader.cursor(in: range)
                guard try cursor.advance() else { break }
                guard let term = TextIndexKey.term(in: cursor.key, at: start.count), var letter = add(term),
                    let last = letter.popLast(), last < 0xff
                else { break }
                range = KeyRange(lower: .included(start + [0x02] + letter + [last + 1]), upper: range.upper)
            }
        }
        for part in view.unwritten { for term in part.pending.terms(from: []) { _ = add(term) } }
        return letters
    }

    // MARK: - Words that occur together

    /// Returns the documents that contain all words of a string except the last, up to a limit. Stop words do not
    /// count.
    package func slots(besides text: String) throws -> [UInt32] {
        let end = text.unicodeScalars.lastIndex { SimpleAnalyzer.isPartOfWord($0) }
        guard let end else { return [] }
        var start = end
        while start > text.unicodeScalars.startIndex {
            let before = text.unicodeScalars.index(before: start)
            guard SimpleAnalyzer.isPartOfWord(text.unicodeScalars[before]) else { break }
            start = before
        }
        let words = SearchBoxParser.words(of: String(text.unicodeScalars[..<start])).filter {
            guard case .word(let word) = $0 else { return false }
            return CommonWord(word, languages: resolver.languages) != .always
        }
        return words.isEmpty ? [] : try slots(of: .and(words), limit: Self.jointSlotLimit)
    }

    /// Returns how many of the documents contain a term.
    ///
    /// - Complexity: O(min(*n*, *m*) log(*n* + *m*)) in the number of slots and of documents with the term.
    package func jointCount(of term: [UInt8], _ slots: [UInt32]) throws -> Int {
        let query = ResolvedQuery.word([ResolvedQuery.Term(key: .term(term))])
        try prepare(query)
        var count = 0
        var next = 0
        for part in 0..<partCount {
            let range = self.slots(ofPart: part)
            guard let scorer = try scorer(query, part: part) else { continue }
            while next < slots.count, slots[next] < range.lowerBound { next += 1 }
            while next < slots.count, slots[next] < range.upperBound {
                let found = try scorer.advance(to: slots[next])
                if found == slots[next] {
                    count += 1
                    next += 1
                } else {
                    next = slots.partitioningIndex(from: next) { $0 >= found }
                }
            }
        }
        return count
    }

    /// Returns the rows of a few documents with a term.
    package func rows(withTerm term: [UInt8], limit: Int) throws -> [UInt64] {
        let query = ResolvedQuery.word([ResolvedQuery.Term(key: .term(term))])
        var rows: [UInt64] = []
        _ = try forEachSlot(query) {
            rows.append(UInt64(view.slots.row($0)))
            return rows.count < limit
        }
        return rows
    }
}

extension [UInt32] {
    /// Returns the first index at or after `start` whose element satisfies a condition that all later ones satisfy too.
    fileprivate func partitioningIndex(from start: Int, _ isAfter: (UInt32) -> Bool) -> Int {
        var (lower, upper) = (start, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if isAfter(self[middle]) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }
}

extension SearchBox {
    /// The words that are searched for, as typed.
    package var words: [String] {
        var words: [String] = []
        for part in parts { part.query.collectWords(into: &words) }
        return words
    }
}

extension TextQuery {
    fileprivate func collectWords(into words: inout [String]) {
        switch self {
        case .word(let text): words.append(text)
        case .phrase(let text), .near(let text, _):
            for case .word(let word) in SearchBoxParser.words(of: text) { words.append(word) }
        case .and(let parts), .or(let parts): for part in parts.content { part.collectWords(into: &words) }
        case .except(let part, _), .field(_, let part), .boost(let part, _): part.content.collectWords(into: &words)
        case .prefer(let wanted, let optional):
            wanted.content.collectWords(into: &words)
            optional.content.collectWords(into: &words)
        case .searchBox(let box): words += box.words
        case .nothing, .prefix, .fuzzy: break
        }
    }
}
