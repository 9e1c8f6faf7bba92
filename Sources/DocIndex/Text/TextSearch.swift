internal import Foundation
internal import LevelKit

/// Finds the documents that match a ``TextQuery`` and scores them with BM25.
///
/// The score of a document is the sum over the terms of the query of
/// `idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average length))` with `k1` 1.2, `b` 0.75 and
/// `idf = ln(1 + (N - df + 0.5) / (df + 0.5))` (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
/// Beyond", 2009; `idf` as in Lucene). Lengths are exact; all fields of an index count as one text. `N` counts the
/// documents with at least one word. Terms that must not occur add nothing.
struct TextSearch<Reader: KeyValueReader> {
    /// A document that matches.
    struct Match {
        let row: UInt64
        var score: Double
    }

    let reader: Reader
    let index: TextIndex
    /// The document of a row; asked only where a phrase must be checked.
    let document: (UInt64) throws -> DocumentObject
    private let statistics: IndexStatistics
    /// Entries of the index that were read.
    private(set) var keysExamined = 0
    private var lists: [[UInt8]: [Match]] = [:]

    init(reader: Reader, index: TextIndex, document: @escaping (UInt64) throws -> DocumentObject) throws {
        self.reader = reader
        self.index = index
        self.document = document
        statistics = try index.storedStatistics(in: reader)
    }

    /// The documents that match, in the order of their rows.
    ///
    /// - Complexity: reads every posting of every term of the query.
    mutating func matches(_ query: TextQuery) throws -> [Match] {
        switch query {
        case .nothing: return []
        case .phrase(let terms):
            guard let first = terms.first else { return [] }
            var found = try list(of: first)
            for term in terms.dropFirst() { found = Self.intersection(found, try list(of: term)) }
            return terms.count == 1 ? found : try found.filter { try contains(terms, row: $0.row) }
        case .and(let parts):
            guard let first = parts.first else { return [] }
            var found = try matches(first)
            for part in parts.dropFirst() { found = Self.intersection(found, try matches(part)) }
            return found
        case .or(let parts):
            guard let first = parts.first else { return [] }
            var found = try matches(first)
            for part in parts.dropFirst() { found = Self.union(found, try matches(part)) }
            return found
        case .except(let wanted, let unwanted):
            return Self.difference(try matches(wanted), try matches(unwanted))
        }
    }

    // MARK: - Postings

    private mutating func list(of term: [UInt8]) throws -> [Match] {
        if let list = lists[term] { return list }
        let list = try score(postings(of: term))
        lists[term] = list
        return list
    }

    private mutating func postings(of term: [UInt8]) throws -> [Posting] {
        let prefix = StoreKeyspace.postings(index.number) + [0x02] + term + [0x00]
        var cursor = try reader.cursor(in: .prefix(prefix))
        var postings: [Posting] = []
        while try cursor.advance() {
            guard let posting = Posting(row: StoreKeyspace.row(in: cursor.key, at: prefix.count), value: cursor.value)
            else {
                throw DocIndexError(
                    .corruption,
                    "the text index \(index.definition.name) holds a posting that cannot be read; run verify")
            }
            postings.append(posting)
        }
        keysExamined += postings.count
        return postings
    }

    private func score(_ postings: [Posting]) -> [Match] {
        let scorer = BM25(statistics: statistics, documentFrequency: postings.count)
        return postings.map { Match(row: $0.row, score: scorer.score(count: $0.count, wordCount: $0.wordCount)) }
    }

    /// Whether the terms follow one another in a text of the document.
    private func contains(_ phrase: [[UInt8]], row: UInt64) throws -> Bool {
        var isFound = false
        index.forEachText(of: try document(row)) { text in
            if isFound { return }
            var terms = Analyzer.Terms()
            Analyzer.append(text, to: &terms)
            guard terms.count >= phrase.count else { return }
            isFound = (0...(terms.count - phrase.count)).contains { start in
                phrase.indices.allSatisfy { terms[start + $0].elementsEqual(phrase[$0]) }
            }
        }
        return isFound
    }

    // MARK: - Lists in the order of rows

    private static func intersection(_ a: [Match], _ b: [Match]) -> [Match] {
        merge(a, b) { $0 != nil && $1 != nil }
    }

    private static func union(_ a: [Match], _ b: [Match]) -> [Match] {
        merge(a, b) { _, _ in true }
    }

    private static func difference(_ a: [Match], _ b: [Match]) -> [Match] {
        // What must not occur has no part in the score, and none of it is left.
        merge(a, b) { $0 != nil && $1 == nil }
    }

    private static func merge(_ a: [Match], _ b: [Match], where keep: (Match?, Match?) -> Bool) -> [Match] {
        var result: [Match] = []
        var i = 0
        var j = 0
        while i < a.count || j < b.count {
            let left = i < a.count && (j == b.count || a[i].row <= b[j].row) ? a[i] : nil
            let right = j < b.count && (i == a.count || b[j].row <= a[i].row) ? b[j] : nil
            if let row = left?.row ?? right?.row, keep(left, right) {
                result.append(Match(row: row, score: (left?.score ?? 0) + (right?.score ?? 0)))
            }
            if left != nil { i += 1 }
            if right != nil { j += 1 }
        }
        return result
    }
}

/// The BM25 weight of one term.
struct BM25 {
    static let k1 = 1.2
    static let b = 0.75

    private let idf: Double
    private let averageWordCount: Double

    init(statistics: IndexStatistics, documentFrequency: Int) {
        let n = Double(statistics.documents)
        let df = Double(documentFrequency)
        idf = log(1 + (n - df + 0.5) / (df + 0.5))
        averageWordCount = n > 0 ? Double(statistics.words) / n : 1
    }

    /// The score of a document with `wordCount` words in which the term occurs `count` times.
    func score(count: Int, wordCount: Int) -> Double {
        let tf = Double(count)
        let norm = Self.k1 * (1 - Self.b + Self.b * Double(wordCount) / averageWordCount)
        return idf * tf * (Self.k1 + 1) / (tf + norm)
    }
}
