internal import LevelKit

/// An index of the words in the texts of documents.
///
/// `X index 1 term row` → how often the term occurs in the document and how many words the document has, as two
/// varints; `X index 0` → the sums over all documents. The texts at all fields of the index count as one text. Values
/// that are no text are passed over, and so are documents without a word.
struct TextIndex: DocumentIndex {
    let number: UInt32
    let definition: IndexDefinition

    var entryPrefix: [UInt8] { StoreKeyspace.postings(number) }

    func forEachEntry(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) throws {
        let terms = self.terms(of: document)
        let prefix = entryPrefix
        var tail: [UInt8] = []
        StoreKeyspace.appendRow(row, to: &tail)
        for (term, count) in terms.counted {
            var key = prefix
            key.reserveCapacity(prefix.count + term.count + tail.count + 2)
            // The tuple encoding of a text; an analysed term has no zero byte to escape.
            key.append(0x02)
            key.append(contentsOf: term)
            key.append(0x00)
            key.append(contentsOf: tail)
            try body(key, Posting.encoded(count: count, wordCount: terms.count))
        }
    }

    func statistics(of document: DocumentObject) -> IndexStatistics {
        let count = terms(of: document).count
        return IndexStatistics(documents: count > 0 ? 1 : 0, words: Int64(count))
    }

    /// The terms of the texts at all fields, in the order of the fields.
    func terms(of document: DocumentObject) -> Analyzer.Terms {
        var terms = Analyzer.Terms()
        forEachText(of: document) { Analyzer.append($0, to: &terms) }
        return terms
    }

    /// Calls `body` with each text at the fields of the index.
    func forEachText(of document: DocumentObject, _ body: (String) -> Void) {
        for field in definition.fields {
            field.forEachElement(in: document) { value in
                if case .string(let text) = value { body(text) }
            }
        }
    }

    /// The sums over all documents, as they were stored with the last batch.
    func storedStatistics(in reader: some KeyValueReader) throws -> IndexStatistics {
        guard let bytes = try reader.value(forKey: StoreKeyspace.textStatistics(number)) else {
            return IndexStatistics()
        }
        // Sums that no store reaches would overflow with the next one.
        guard let sums = Varint.readAll(bytes), sums.count == 2, sums.allSatisfy({ $0 <= 1 << 62 }) else {
            throw DocIndexError(
                .corruption,
                "the statistics of the text index \(definition.name) cannot be read; run verify, restore a backup")
        }
        return IndexStatistics(documents: Int64(sums[0]), words: Int64(sums[1]))
    }

    /// The bytes of the sums.
    static func encoded(_ statistics: IndexStatistics) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(UInt64(max(0, statistics.documents)), to: &bytes)
        Varint.append(UInt64(max(0, statistics.words)), to: &bytes)
        return bytes
    }
}

/// One document in the list of a term.
struct Posting {
    let row: UInt64
    /// How often the term occurs in the document.
    let count: Int
    /// How many words the document has.
    let wordCount: Int

    static func encoded(count: Int, wordCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(UInt64(count), to: &bytes)
        Varint.append(UInt64(wordCount), to: &bytes)
        return bytes
    }

    init?(row: UInt64?, value: Span<UInt8>) {
        var offset = 0
        guard let row, let count = Varint.read(value, &offset), let wordCount = Varint.read(value, &offset),
            offset == value.count, count <= wordCount, wordCount <= UInt32.max
        else { return nil }
        self.row = row
        self.count = Int(count)
        self.wordCount = Int(wordCount)
    }
}
