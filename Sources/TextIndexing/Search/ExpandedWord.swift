internal import LevelKit

/// The terms that match a prefix or a fuzzy word, merged into a single term.
///
/// The frequency in a document is the sum of the frequencies of all terms, and the document frequency is that of the
/// most frequent term, as Lucene does for synonyms. The terms are read in order from one key range per segment.
struct ExpandedWord {
    private let key: ResolvedQuery.Key
    private let reader: any KeyValueReader
    private let index: TextIndex
    private let view: TextIndexReader
    private let fields: UInt32?

    init(_ term: ResolvedQuery.Term, reader: any KeyValueReader, index: TextIndex, view: TextIndexReader) {
        key = term.key
        fields = term.fields
        self.reader = reader
        self.index = index
        self.view = view
    }

    /// The common prefix of all terms.
    private var prefix: [UInt8] {
        switch key {
        case .term(let term), .prefix(let term): term
        case .fuzzy(let term, _):
            Array(String(decoding: term, as: UTF8.self).unicodeScalars.first.map { Array(String($0).utf8) } ?? [])
        }
    }

    func word() throws -> TextSearch.Word {
        var word = TextSearch.Word()
        var counts: [[UInt8]: Int] = [:]
        var distance = EditDistance(key)
        var cancellation = CancellationCheck()
        for segment in view.structure.segments {
            let segments = SegmentReader(reader: reader, index: index, segment: segment)
            var union = PostingUnion(segment.lower..<segment.upper)
            let start = TextIndexKey.terms.segment(index.number, segment.number)
            var cursor = try reader.cursor(in: .prefix(start + [0x02] + prefix))
            while try cursor.advance() {
                try cancellation.step()
                guard let term = TextIndexKey.term(in: cursor.key, at: start.count) else {
                    throw segments.damage("a term cannot be read")
                }
                guard distance.accepts(term) else { continue }
                let record = try segments.record(cursor.value)
                counts[term, default: 0] += record.documentCount - Int(record.correction)
                try add(record, term, segments, to: &union)
            }
            let postings = union.postings()
            word.lists.append(postings.slots.isEmpty ? .none : .plain(postings))
        }
        for part in view.unwritten {
            var union = PostingUnion(part.slots)
            for term in part.pending.terms(from: prefix) where distance.accepts(term) {
                let (plain, tombstoneCount) = part.pending.postings(of: term, part.limit)
                counts[term, default: 0] += plain.slots.count - tombstoneCount
                try add(plain, &union)
            }
            let postings = union.postings()
            word.lists.append(postings.slots.isEmpty ? .none : .plain(postings))
        }
        word.documentFrequency = counts.values.max() ?? 0
        return word
    }

    private func add(
        _ record: TermRecord, _ term: [UInt8], _ segment: SegmentReader, to union: inout PostingUnion
    ) throws {
        switch record.postings {
        case .none: break
        case .short(let plain): try add(plain, &union)
        case .long(let groups, _):
            if fields != nil {
                // The frequency in certain fields can only be computed from positions.
                return try segment.forEachPosting(of: record, term: term) { slot, frequency, set, positions in
                    try add(slot, frequency, set, positions, 0, &union)
                }
            }
            let buffer = BlockBuffer()
            for number in groups.indices {
                let group = try segment.group(number, of: record, term: term)
                buffer.use(group)
                for block in group.blocks.indices {
                    guard buffer.read(block: block) else {
                        throw segment.damage("a block of postings cannot be read")
                    }
                    for index in 0..<buffer.count {
                        unsafe union.add(
                            buffer.slots[index], buffer.frequencies[index], buffer.fieldSet(at: index))
                    }
                }
            }
        }
    }

    private func add(_ plain: PlainPostings, _ union: inout PostingUnion) throws {
        var offset = 0
        let positions = plain.positions.span
        for index in plain.slots.indices {
            let start = offset
            if fields != nil {
                guard TextPosition.skip(positions, &offset, fields: plain.fields[index]) else {
                    throw DocIndexError.damagedTextIndex(self.index.name, "positions cannot be read")
                }
            }
            try add(plain.slots[index], plain.frequencies[index], plain.fields[index], positions, start, &union)
        }
    }

    private func add(
        _ slot: UInt32, _ frequency: UInt32, _ set: UInt32, _ positions: Span<UInt8>, _ offset: Int,
        _ union: inout PostingUnion
    ) throws {
        guard let fields else { return union.add(slot, frequency, set) }
        if set & fields == 0 { return }
        if set & ~fields == 0 { return union.add(slot, frequency, set) }
        var offset = offset
        var found: [TextPosition] = []
        guard TextPosition.read(positions, &offset, fields: set, into: &found) else {
            throw DocIndexError.damagedTextIndex(index.name, "positions cannot be read")
        }
        let weights = index.weights
        let inside = found.reduce(UInt32(0)) {
            fields >> UInt32($1.field) & 1 == 1 && $1.field < weights.count ? $0 &+ weights[$1.field] : $0
        }
        union.add(slot, inside, set & fields)
    }
}

/// Merges the postings of several terms.
private struct PostingUnion {
    private let range: Range<UInt32>
    private var entries: [(slot: UInt32, frequency: UInt32, fields: UInt32)] = []

    init(_ range: Range<UInt32>) { self.range = range }

    mutating func add(_ slot: UInt32, _ frequency: UInt32, _ fields: UInt32) {
        entries.append((slot, frequency, fields))
    }

    /// Returns the postings in slot order.
    func postings() -> PlainPostings {
        var plain = PlainPostings()
        if entries.count > range.count / 16 {
            // With many entries, an array with one element per slot is cheaper than sorting.
            var sums = [(frequency: UInt32, fields: UInt32)](repeating: (0, 0), count: range.count)
            for entry in entries where range.contains(entry.slot) {
                let index = Int(entry.slot - range.lowerBound)
                sums[index].frequency &+= entry.frequency
                sums[index].fields |= entry.fields
            }
            for (index, sum) in sums.enumerated() where sum.frequency > 0 {
                plain.slots.append(range.lowerBound + UInt32(index))
                plain.frequencies.append(sum.frequency)
                plain.fields.append(sum.fields)
            }
            return plain
        }
        for entry in entries.sorted(by: { $0.slot < $1.slot }) {
            if plain.slots.last == entry.slot {
                plain.frequencies[plain.slots.count - 1] &+= entry.frequency
                plain.fields[plain.slots.count - 1] |= entry.fields
            } else {
                plain.slots.append(entry.slot)
                plain.frequencies.append(entry.frequency)
                plain.fields.append(entry.fields)
            }
        }
        return plain
    }
}

/// Checks whether terms are within an edit distance: insertions, deletions, substitutions and transpositions of
/// adjacent Unicode scalars (restricted Damerau-Levenshtein).
package struct EditDistance {
    private let word: [Unicode.Scalar]
    private let limit: Int?

    /// For a prefix, accepts everything.
    init(_ key: ResolvedQuery.Key) {
        switch key {
        case .term(let term), .prefix(let term): self.init(term, limit: nil)
        case .fuzzy(let term, let distance): self.init(term, limit: distance)
        }
    }

    package init(_ term: [UInt8], limit: Int?) {
        word = Array(String(decoding: term, as: UTF8.self).unicodeScalars)
        self.limit = limit
    }

    mutating func accepts(_ term: [UInt8]) -> Bool { limit == nil || distance(to: term) != nil }

    /// Returns the distance to a term; `nil` if it exceeds the limit.
    package func distance(to term: [UInt8]) -> Int? {
        let limit = limit ?? .max / 2
        // A scalar has at least one byte and at most four.
        if term.count > 4 * (word.count + min(limit, 64)) { return nil }
        let other = Array(String(decoding: term, as: UTF8.self).unicodeScalars)
        if abs(other.count - word.count) > limit { return nil }
        var before: [Int] = []
        var last = Array(0...other.count)
        for i in 0..<word.count {
            var row = [i + 1]
            row.reserveCapacity(other.count + 1)
            var smallest = i + 1
            for j in 0..<other.count {
                var best = min(last[j] + (word[i] == other[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, word[i] == other[j - 1], word[i - 1] == other[j] {
                    best = min(best, before[j - 1] + 1)
                }
                row.append(best)
                smallest = min(smallest, best)
            }
            if smallest > limit { return nil }
            before = last
            last = row
        }
        return last[other.count] <= limit ? last[other.count] : nil
    }
}
