internal import LevelKit

/// The words of a segment with their numbers of documents, in memory.
///
/// Answers which words contain others, for which there is no key range. Segments never change, so a vocabulary is read
/// once; see ``SearchTools/vocabulary(of:_:)``. It takes the bytes of the words and nine for each.
final class SegmentVocabulary: Sendable {
    /// The words in order, each followed by a zero.
    private let bytes: [UInt8]
    private let starts: [UInt32]
    /// The numbers of documents; negative if documents of earlier segments were deleted.
    private let counts: [Int32]

    /// The memory that the vocabulary takes.
    var byteCount: Int { bytes.count + 8 * starts.count }

    /// Reads every word of a segment.
    init(_ segment: SegmentReader) throws {
        var (bytes, starts, counts) = ([UInt8](), [UInt32](), [Int32]())
        var cancellation = CancellationCheck()
        try segment.forEachTerm(from: []) { term, count in
            try cancellation.step()
            if term.first == AnalysisChain.stemMark { return }
            guard let start = UInt32(exactly: bytes.count) else {
                throw segment.damage("its words take more than 4 GB")
            }
            starts.append(start)
            counts.append(Int32(clamping: count))
            bytes += term
            bytes.append(0)
        }
        self.bytes = bytes
        self.starts = starts
        self.counts = counts
    }

    /// Returns the number of documents with a word; 0 if the segment does not contain it.
    func documentCount(of word: [UInt8]) -> Int {
        var (lower, upper) = (0, starts.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if self.word(middle).lexicographicallyPrecedes(word) { lower = middle + 1 } else { upper = middle }
        }
        return lower < starts.count && self.word(lower).elementsEqual(word) ? Int(counts[lower]) : 0
    }

    /// Calls `body` with each word that contains another one, in order.
    ///
    /// - Parameter part: The other word, without a zero byte.
    /// - Complexity: O(*n*) in the bytes of all words, without an allocation.
    func forEachWord(containing part: [UInt8], _ body: ([UInt8]) -> Void) {
        guard let first = part.first, !part.contains(0) else { return }
        let all = bytes
        var position = 0
        while position + part.count <= all.count {
            guard all[position] == first, Self.contains(part, all, at: position) else {
                position += 1
                continue
            }
            let number = number(of: position)
            body(Array(word(number)))
            position = end(of: number) + 1
        }
    }

    private static func contains(_ part: [UInt8], _ bytes: [UInt8], at start: Int) -> Bool {
        var offset = 1
        while offset < part.count {
            if bytes[start + offset] != part[offset] { return false }
            offset += 1
        }
        return true
    }

    private func word(_ number: Int) -> ArraySlice<UInt8> { bytes[Int(starts[number])..<end(of: number)] }

    /// Returns the position of the zero after a word.
    private func end(of number: Int) -> Int {
        (number + 1 < starts.count ? Int(starts[number + 1]) : bytes.count) - 1
    }

    /// Returns the number of the word with a byte.
    private func number(of position: Int) -> Int {
        var (lower, upper) = (0, starts.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if Int(starts[middle]) <= position { lower = middle + 1 } else { upper = middle }
        }
        return lower - 1
    }
}

extension SegmentReader {
    /// Calls `body` with each term that begins with a prefix, in order, and the number of its documents, from which the
    /// deleted documents of earlier segments are subtracted. Postings are not read.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`; what `body` throws.
    func forEachTerm(from prefix: [UInt8], _ body: (_ term: [UInt8], _ count: Int) throws -> Void) throws {
        let start = TextIndexKey.terms.segment(index.number, segment.number)
        var cursor = try reader.cursor(in: .prefix(start + [0x02] + prefix))
        while try cursor.advance() {
            var offset = 0
            guard let term = TextIndexKey.term(in: cursor.key, at: start.count),
                let count = Varint.read(cursor.value, &offset), let zigzag = Varint.read(cursor.value, &offset),
                count <= 1 << 32, zigzag <= 1 << 40
            else { throw damage("a term cannot be read") }
            try body(term, Int(count) - Int(Int64(zigzag >> 1) ^ -Int64(zigzag & 1)))
        }
    }
}
