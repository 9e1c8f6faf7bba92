import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// The results of search boxes, compared with the rule applied to every document.
@Suite struct SearchBoxRankingTests {
    // MARK: - The rule

    /// Documents as words, one string for each of two fields, and the rule that ranks them.
    private struct Model {
        var rows: [UInt64: [[String]]] = [:]
        let weights: [Int]
        let analyzer: TextAnalyzer

        struct Terms: Hashable {
            var words: Set<String>
            var documentFrequency: Int
        }

        /// One form of a word: what must occur, and its quality from 3 to 0.
        struct Form {
            let query: TextQuery
            let level: Int
            var scoredBy: TextQuery?
        }
    }

    /// The model with everything that depends on all documents.
    private final class Context {
        let model: Model
        let scorer: BM25
        let chain: AnalysisChain
        let lengths: [UInt64: Int]
        var stems: [String: String] = [:]
        var vocabulary: [String: Int] = [:]
        private var known: [TextQuery: Model.Terms] = [:]

        init(_ model: Model) {
            self.model = model
            chain = AnalysisChain(model.analyzer)
            lengths = model.rows.mapValues { fields in
                zip(fields, model.weights).reduce(0) { $0 + $1.0.count * $1.1 }
            }.filter { $0.value > 0 }
            scorer = BM25(
                IndexStatistics(
                    documents: Int64(lengths.count), words: Int64(lengths.values.reduce(0, +))))
            for fields in model.rows.values {
                for word in Set(fields.flatMap { $0 }) { vocabulary[word, default: 0] += 1 }
            }
            for word in vocabulary.keys { stems[word] = stem(of: word) }
        }

        func stem(of word: String) -> String {
            chain.tokens(of: word, isExact: false).first?.term.map { String(decoding: $0, as: UTF8.self) } ?? ""
        }

        /// The words that count as the one of a query, with the document frequency that determines their weight.
        func terms(_ query: TextQuery) -> Model.Terms {
            if let known = known[query] { return known }
            let found = find(query)
            known[query] = found
            return found
        }

        private func find(_ query: TextQuery) -> Model.Terms {
            switch query {
            case .phrase(let word): return Model.Terms(words: [word], documentFrequency: vocabulary[word] ?? 0)
            case .word(let word):
                let stem = stem(of: word)
                let words = Set(stems.filter { $0.value == stem }.keys)
                let count = model.rows.values.count { fields in fields.contains { $0.contains(where: words.contains) } }
                return Model.Terms(words: words, documentFrequency: count)
            case .prefix(let start):
                let words = Set(vocabulary.keys.filter { $0.hasPrefix(start) })
                return Model.Terms(words: words, documentFrequency: words.map { vocabulary[$0] ?? 0 }.max() ?? 0)
            case .fuzzy(let word, let distance):
                let limit = distance ?? (word.count < 9 ? 1 : 2)
                let reference = EditDistance(Array(word.utf8), limit: limit)
                let words = Set(
                    vocabulary.keys.filter {
                        limit == 0
                            ? $0 == word : $0.first == word.first && reference.distance(to: Array($0.utf8)) != nil
                    })
                return Model.Terms(words: words, documentFrequency: words.map { vocabulary[$0] ?? 0 }.max() ?? 0)
            default: return Model.Terms(words: [], documentFrequency: 0)
            }
        }

        func frequency(_ terms: Model.Terms, _ row: UInt64) -> Int {
            zip(model.rows[row] ?? [], model.weights).reduce(0) { sum, field in
                sum + field.0.count(where: terms.words.contains) * field.1
            }
        }

        func contains(_ words: [String], _ row: UInt64) -> Bool {
            (model.rows[row] ?? []).contains { field in
                field.indices.contains { field[$0...].starts(with: words) }
            }
        }

        /// The BM25 score of a document for a form; `nil` if it does not match.
        func score(_ query: TextQuery, _ row: UInt64, boost: Double) -> Int64? {
            switch query {
            case .or(let parts):
                let found = parts.content.compactMap { score($0, row, boost: boost) }
                return found.isEmpty ? nil : found.reduce(0, +)
            case .phrase(let text) where text.contains(" "):
                let words = text.split(separator: " ").map(String.init)
                guard contains(words, row) else { return nil }
                return words.reduce(0) { $0 + (score(.phrase($1), row, boost: boost) ?? 0) }
            case .boost(let part, let factor): return score(part.content, row, boost: boost * factor)
            default:
                let terms = terms(query)
                let frequency = frequency(terms, row)
                if frequency == 0 { return nil }
                return scorer.contribution(
                    scorer.weight(documentFrequency: terms.documentFrequency, boost: boost),
                    frequency: UInt32(frequency), norm: TextNorm.code(lengths[row] ?? 0))
            }
        }

        /// Whether two different parts of a search box are one word.
        func meansTheSame(_ first: TextQuery, _ second: TextQuery) -> Bool {
            switch (first, second) {
            case (.word, .word): false
            default: stemmed(first) == stemmed(second)
            }
        }

        /// The query with the stem of each word.
        private func stemmed(_ query: TextQuery) -> TextQuery {
            switch query {
            case .word(let word): .word(stem(of: word))
            case .or(let parts): .or(parts.content.map(stemmed))
            case .boost(let part, let factor): .boost(stemmed(part.content), factor)
            default: query
            }
        }

        func bound(_ query: TextQuery) -> Double {
            switch query {
            case .or(let parts): parts.content.reduce(0) { $0 + bound($1) }
            case .phrase(let text) where text.contains(" "):
                text.split(separator: " ").reduce(0) { $0 + bound(.phrase(String($1))) }
            case .boost(let part, let factor): bound(part.content) * factor
            default: scorer.weight(documentFrequency: terms(query).documentFrequency, boost: 1)
            }
        }

        func occurs(_ query: TextQuery) -> Bool {
            switch query {
            case .or(let parts): parts.content.contains(where: occurs)
            case .phrase(let text) where text.contains(" "):
                text.split(separator: " ").allSatisfy { vocabulary[String($0)] != nil }
            case .boost(let part, _): occurs(part.content)
            default: terms(query).documentFrequency > 0
            }
        }
    }

    /// A word with its forms, as the rule sees it.
    private struct Word {
        var forms: [Model.Form]
        let isRequired: Bool
    }

    private static func words(_ box: SearchBox, _ context: Context) -> [Word]? {
        let languages = context.model.analyzer.language.map { [$0] } ?? []
        var parts = merged(box.parts, context)
        func isStopWord(_ part: SearchBox.Part) -> Bool {
            guard !part.isRequired, case .word(let text) = part.query else { return false }
            return CommonWord(text, languages: languages) == .always
        }
        if !parts.allSatisfy(isStopWord) { parts.removeAll(where: isStopWord) }
        var words: [Word] = []
        var replacedCount = 0
        for part in parts {
            var forms: [Model.Form] = []
            if case .word(let text) = part.query {
                let isStemmed = !languages.isEmpty
                if isStemmed { forms.append(Model.Form(query: .phrase(text), level: 3, scoredBy: part.query)) }
                forms.append(Model.Form(query: isStemmed ? part.query : .phrase(text), level: isStemmed ? 2 : 3))
                let count = context.terms(forms[forms.count - 1].query).documentFrequency
                let letters = text.count(where: \.isLetter)
                let isNumber = text.contains(where: \.isNumber)
                var hasPrefix =
                    (letters >= (part.isUnfinished ? 2 : 3) || isNumber && part.isUnfinished)
                    && (count == 0 || part.isUnfinished)
                var hasSlip = letters >= 4 && !isNumber && count <= 3
                if hasSlip || (hasPrefix && !part.isUnfinished) {
                    replacedCount += 1
                    if replacedCount > 3 {
                        hasSlip = false
                        if !part.isUnfinished { hasPrefix = false }
                    }
                }
                if hasPrefix { forms.append(Model.Form(query: .prefix(text), level: 1)) }
                if hasSlip { forms.append(Model.Form(query: .fuzzy(text, distance: nil), level: 0)) }
                let base = forms[isStemmed ? 1 : 0].query
                forms = forms.filter { context.occurs($0.query) || $0.level == 3 && isStemmed || $0.query == base }
                if !context.occurs(base), !forms.contains(where: { $0.level < 2 }) { forms = [] }
            } else if case .fuzzy(let text, _) = part.query, context.occurs(part.query) {
                forms.append(Model.Form(query: .phrase(text), level: 3, scoredBy: part.query))
                forms.append(Model.Form(query: part.query, level: 2))
            } else if context.occurs(part.query) {
                forms.append(Model.Form(query: part.query, level: 3))
            }
            if !forms.isEmpty {
                words.append(Word(forms: forms, isRequired: part.isRequired))
            } else if part.isRequired {
                return nil
            }
        }
        return words
    }

    /// The parts without repetitions. A word of the same stem is another word, because it is found as typed too; an
    /// expression with another word of the same stem means the same.
    private static func merged(_ parts: [SearchBox.Part], _ context: Context) -> [SearchBox.Part] {
        var merged: [SearchBox.Part] = []
        for part in parts {
            if let known = merged.firstIndex(where: { context.meansTheSame($0.query, part.query) }) {
                merged[known] = SearchBox.Part(
                    query: merged[known].query, isRequired: merged[known].isRequired || part.isRequired,
                    isUnfinished: merged[known].isUnfinished || part.isUnfinished)
            } else {
                merged.append(part)
            }
        }
        return merged
    }

    private static func scores(_ box: SearchBox, _ model: Model) -> [UInt64: Int64] {
        let context = Context(model)
        guard let words = words(box, context), !words.isEmpty else { return [:] }
        let bounds = words.map { $0.forms.map { context.bound($0.query) } }
        let most = bounds.reduce(0) { $0 + ($1.max() ?? 0) }
        let limit = 256 * BM25.unit
        let scale = most > limit ? limit / most : 1
        var step: Int64 = 1
        while step <= Int64(most * scale) + Int64(words.count) + 1 { step *= 2 }
        let isEven = words.count <= 4
        let ratio = 4 / Double(words.count)
        var result: [UInt64: Int64] = [:]
        for row in context.lengths.keys {
            if box.excluded.contains(where: { context.score($0, row, boost: 1) != nil }) { continue }
            var score: Int64 = 0
            var count = 0
            var isComplete = true
            for (word, bounds) in zip(words, bounds) {
                guard
                    let best = word.forms.indices.first(where: {
                        context.score(word.forms[$0].query, row, boost: 1) != nil
                    })
                else {
                    if word.isRequired { isComplete = false }
                    continue
                }
                count += 1
                let form = word.forms[best]
                score +=
                    isEven
                    ? (16 + Int64(form.level)) * step
                    : Int64(bounds[best] * (scale * ratio * ratio) * [0.25, 0.5, 0.75, 1][form.level])
                score += context.score(form.scoredBy ?? form.query, row, boost: scale) ?? 0
            }
            guard isComplete, count > 0 else { continue }
            if count == words.count {
                if !isEven { score += 4 * step }
                if let phrase = box.phrase, words.count > 1,
                    context.contains(phrase.split(separator: " ").map(String.init), row)
                {
                    score += isEven ? 16 * step : 4 * step
                }
            }
            result[row] = score
        }
        return result
    }

    // MARK: - Random searches

    private static let vocabulary = [
        "bridge", "bridges", "bridged", "running", "run", "runs", "fog", "foggy", "snow", "snowy", "harbour", "harbor",
        "retriever", "retriver", "golden", "the", "in", "of", "car", "cars", "red", "lake",
    ]

    private static func word(_ random: inout SplitMix64) -> String {
        random.once(in: 3)
            ? "w\(random.number(below: random.pick([2, 8, 60, 900])))" : random.pick(vocabulary)
    }

    private static func text(_ random: inout SplitMix64) -> [String] {
        if random.once(in: 25) { return [] }
        return (0..<random.pick([1, 2, 3, 5, 9])).flatMap { _ in
            random.once(in: 9) ? ["golden", "retriever"] : [word(&random)]
        }
    }

    private static func input(_ random: inout SplitMix64) -> String {
        let count = random.pick([1, 1, 2, 2, 3, 3, 4, 5, 7, 10])
        let hasOperators = random.once(in: 3)
        return (0..<count).map { _ -> String in
            let word =
                random.once(in: 12) ? random.pick(["brigde", "harbou", "zzzz", "snowyy", "gold", "re"]) : word(&random)
            guard hasOperators else { return word }
            switch random.number(below: 10) {
            case 0: return "+" + word
            case 1: return "-" + word
            case 2: return "\"golden retriever\""
            case 3: return word.hasPrefix("w") ? word : word.prefix(3) + "*"
            case 4: return word + " OR " + Self.word(&random)
            case 5: return word.count > 3 && !word.hasPrefix("w") ? word + "~" : word
            case 6: return word + "^2"
            default: return word
            }
        }.joined(separator: " ")
    }

    private static func check(_ model: Model, _ collection: DocumentCollection, _ random: inout SplitMix64) throws {
        let text = input(&random)
        let box = SearchBox(text, isTyping: random.once(in: 4))
        let query = TextQuery.searchBox(box)
        let comment: Comment = "\(text), \(TestRun.repetition)"
        let expected = scores(box, model)
        let ranked = expected.map { TopHits.Hit(score: $0.value, row: $0.key) }.sorted { $0.precedes($1) }
        let search = try collection.textSearch(in: try collection.reader())
        let all = try search.top(query, limit: nil)
        #expect(all == ranked, comment)
        for limit in [1, 3, 10, 40] {
            let best = try search.top(query, limit: limit)
            #expect(best == Array(ranked.prefix(limit)), "\(limit): \(comment)")
        }
        let filtered = try search.top(query, limit: 5) { $0 % 3 == 1 }
        #expect(filtered == Array(ranked.filter { $0.row % 3 == 1 }.prefix(5)), comment)
        #expect(try search.rows(query) == expected.keys.sorted(), comment)
        #expect(try search.count(query) == expected.count, comment)
        #expect(try search.estimatedCount(query) >= expected.count, comment)
        // Within another query, the box finds and scores the same. AND adds the scores of the words.
        let nested = try search.top(.and([query, .or([query, .word("w0")])]), limit: 3)
        let inside = try search.top(.or([query, .word("absent")]), limit: 7)
        #expect(inside == Array(ranked.prefix(7)), comment)
        #expect(nested.count == min(3, ranked.count), comment)
        for row in model.rows.keys.sorted().prefix(5) {
            #expect(try search.finds(row, query) == (expected[row] != nil), "\(row): \(comment)")
        }
    }

    @Test(arguments: [TextAnalyzer.simple, .language(.english)])
    func `A search box ranks by the number of words, their forms and BM25, exactly as the rule says`(
        analyzer: TextAnalyzer
    ) throws {
        var random = TestRun.random(stream: analyzer == .simple ? 611 : 612)
        let schema = Schema(collections: [
            CollectionDefinition(
                "c",
                indexes: [
                    .text(
                        "text", on: .field("title", weight: 2, analyzer: analyzer),
                        .field("caption", analyzer: analyzer))
                ])
        ])
        try withTemporaryStore(schema: schema) { (store) throws in
            try store.withWriter { _ in store.texts.setLimits(SegmentTests.limits) }
            let collection = try store.collection("c")
            var model = Model(weights: [2, 1], analyzer: analyzer)
            var next: UInt64 = 1
            for _ in 0..<TestRun.rounds(6, long: 60) {
                try store.write { transaction in
                    func put(_ row: UInt64) throws {
                        let fields = [Self.text(&random), Self.text(&random)]
                        try transaction.put(
                            [
                                "id": .int(Int64(row)), "title": .string(fields[0].joined(separator: " ")),
                                "caption": .string(fields[1].joined(separator: " ")),
                            ], in: "c")
                        model.rows[row] = fields
                    }
                    for _ in 0..<80 {
                        try put(next)
                        next += 1
                    }
                    // A deleted document would get a new row.
                    for _ in 0..<15 {
                        let row = 1 + UInt64(random.number(below: Int(next) - 1))
                        if model.rows[row] != nil { try put(row) }
                    }
                }
                for _ in 0..<5 {
                    let row = 1 + UInt64(random.number(below: Int(next) - 1))
                    if model.rows[row] != nil { try collection.delete(.int(Int64(row))) }
                    model.rows[row] = nil
                }
                for _ in 0..<TestRun.rounds(25, long: 200) { try Self.check(model, collection, &random) }
            }
        }
    }

    @Test func `In long posting lists, a search box finds the same with and without skipping`() throws {
        var random = TestRun.random(stream: 613)
        try withTemporaryStore(schema: SegmentTests.schema) { (store) throws in
            let collection = try store.collection("c")
            for part in 0..<3 {
                try store.write { transaction in
                    for number in 0..<3000 {
                        let id = part * 3000 + number
                        try transaction.put(
                            [
                                "id": .int(Int64(id)), "title": .string(Self.text(&random).joined(separator: " ")),
                                "caption": .string(Self.text(&random).joined(separator: " ")),
                            ], in: "c")
                    }
                }
                if part < 2 { try store.flushTextIndexes() }
            }
            for id in stride(from: 0, to: 9000, by: 37) { try collection.delete(.int(Int64(id))) }
            let search = try collection.textSearch(in: try collection.reader())
            for _ in 0..<TestRun.rounds(60, long: 2000) {
                let text = Self.input(&random)
                let query = TextQuery(searchBox: text)
                let all = try search.top(query, limit: nil)
                // The general matcher scores each document on its own.
                #expect(
                    try search.top(.or([query, .word("absent")]), limit: nil) == all, "\(text), \(TestRun.repetition)")
                for limit in [1, 10, 100, 1000] {
                    let best = try search.top(query, limit: limit)
                    #expect(best == Array(all.prefix(limit)), "\(limit): \(text), \(TestRun.repetition)")
                }
            }
        }
    }
}
