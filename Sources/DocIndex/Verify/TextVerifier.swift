internal import LevelKit

/// Checks a text index against the documents, based only on stored data.
///
/// Each document must have exactly one live slot with its row, norm and word count, and there must be no other live
/// slots. The words of documents and the postings of segments are compared as sums of hashes, one sum per segment. The
/// document counts of terms, which are stored as counts and corrections, are compared as totals per term.
struct TextVerifier {
    let index: TextIndex
    private let name: String
    private let reader: any KeyValueReader
    private var view: TextIndexReader?
    private var statistics = IndexStatistics()
    private var words = AnalyzedDocument()
    /// The hash sum that the documents of each segment should have.
    private var expected: [UInt64]
    /// The problems found, and their locations in the index.
    private(set) var findings: [(problem: String, id: DocumentID?, row: UInt64?, key: [UInt8]?)] = []
    private let limit: Int
    /// The number of postings that were read.
    private(set) var postingCount = 0

    init(_ index: TextIndex, of collection: LoadedCollection, in reader: any KeyValueReader, limit: Int) throws {
        self.index = index
        self.reader = reader
        self.limit = limit
        name = "\(collection.name).\(index.name)"
        do {
            view = try TextIndexLoader(source: collection.source(of: index), reader: reader).load().view
        } catch let error as DocIndexError where error.code == .corruption {
            findings.append(("\(name): \(error.message)", nil, nil, TextIndexKey.structure.prefix(index.number)))
        }
        expected = [UInt64](repeating: 0, count: view?.structure.segments.count ?? 0)
    }

    private mutating func report(
        _ problem: String, id: DocumentID? = nil, row: UInt64? = nil, key: [UInt8]? = nil
    ) {
        // Limited, so that one problem per document does not hide the others.
        if findings.count < limit { findings.append(("\(name): \(problem)", id, row, key)) }
    }

    /// Checks a document that belongs in the index.
    mutating func add(_ document: DocumentObject, id: DocumentID, row: UInt64) throws {
        guard let view else { return }
        let key = TextIndexKey.slots.key(index.number, row)
        index.analyze(document, into: &words)
        let stored: (slot: UInt32, length: UInt32)?
        do {
            stored = try view.structure.slot(ofRow: row, index, in: reader)
        } catch let error as DocIndexError where error.code == .corruption {
            return report("the slot of the document \(id) cannot be read", id: id, row: row, key: key)
        }
        guard let stored else {
            if !words.isEmpty { report("the document \(id) is missing", id: id, row: row, key: key) }
            return
        }
        if words.isEmpty {
            return report("the document \(id) is in the index but has no words", id: id, row: row, key: key)
        }
        statistics += IndexStatistics(documents: 1, words: Int64(words.length))
        let slot = stored.slot
        if stored.length != words.length {
            report("the document \(id) is in the index with a different number of words", id: id, row: row, key: key)
        }
        if view.isDeleted(slot) || UInt64(view.slots.row(slot)) != row {
            return report(
                "the slot of the document \(id) is deleted or belongs to another document", id: id, row: row, key: key)
        }
        if view.slots.norm(slot) != TextNorm.code(words.length) {
            report("the norm of the document \(id) is wrong", id: id, row: row, key: key)
        }
        guard let segment = view.structure.segments.firstIndex(where: { slot < $0.upper }) else { return }
        for position in 0..<words.terms.count {
            expected[segment] &+= words.terms.withTerm(position) { Self.hash($0, slot, words.positions[position]) }
        }
    }

    private static func hash(_ term: Span<UInt8>, _ slot: UInt32, _ place: TextPosition) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in term.indices { hash = (hash ^ UInt64(term[index])) &* 0x100_0000_01b3 }
        hash = (hash ^ UInt64(slot)) &* 0x9e37_79b9_7f4a_7c15
        hash = (hash ^ hash >> 29 ^ UInt64(place.bits)) &* 0xbf58_476d_1ce4_e5b9
        return hash ^ hash >> 32
    }

    /// Reads the postings. Call it after all documents were added.
    mutating func finish() throws {
        guard let view else { return }
        var liveCount = 0
        for slot in 0..<view.structure.nextSlot where !view.isDeleted(slot) { liveCount += 1 }
        // A bit of a slot that was never given out would hide the document that gets it.
        let upper = UInt32(view.deleted.count) * TextStructure.chunkSlotCount
        if (view.structure.nextSlot..<max(upper, view.structure.nextSlot)).contains(where: view.isDeleted) {
            report("an unused slot is marked as deleted", key: TextIndexKey.structure.prefix(index.number))
        }
        if liveCount != statistics.documents {
            report("there are \(liveCount) live slots for \(statistics.documents) documents")
        }
        if view.structure.statistics != statistics {
            report("the document or word count of the index is wrong", key: TextIndexKey.structure.prefix(index.number))
        }
        let prefix = TextIndexKey.slots.prefix(index.number)
        var slotCount: Int64 = 0
        var cursor = try reader.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() { slotCount += 1 }
        if slotCount != statistics.documents {
            report("\(slotCount) rows have slots for \(statistics.documents) documents")
        }
        // The surplus of each term's document count over its live postings.
        var surplus: [[UInt8]: Int64] = [:]
        for (position, segment) in view.structure.segments.enumerated() {
            do {
                let sum = try sum(of: segment, view, &surplus)
                if sum != expected[position] {
                    report(
                        "segment \(segment.number) does not contain the words of its documents",
                        key: TextIndexKey.terms.segment(index.number, segment.number))
                }
            } catch let error as DocIndexError where error.code == .corruption {
                report(error.message, key: TextIndexKey.terms.segment(index.number, segment.number))
            }
        }
        try subtractTombstones(from: &surplus)
        if surplus.contains(where: { $0.value != 0 }) { report("the document count of a term is wrong") }
    }

    private mutating func sum(
        of segment: TextSegment, _ view: TextIndexReader, _ surplus: inout [[UInt8]: Int64]
    ) throws -> UInt64 {
        let segments = SegmentReader(reader: reader, index: index, segment: segment)
        let prefix = TextIndexKey.terms.segment(index.number, segment.number)
        var sum: UInt64 = 0
        var count = 0
        var groupCount = 0
        var isExact = true
        var cancellation = CancellationCheck()
        var cursor = try reader.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            guard let term = TextIndexKey.term(in: cursor.key, at: prefix.count) else {
                throw segments.damage("a term cannot be read")
            }
            let record = try segments.record(cursor.value)
            if case .long(let groups, _) = record.postings { groupCount += groups.count }
            var live: Int64 = 0
            var places: [TextPosition] = []
            try segments.forEachPosting(of: record, term: term) { slot, frequency, fields, positions in
                count += 1
                if view.isDeleted(slot) { return }
                live += 1
                places.removeAll(keepingCapacity: true)
                var offset = 0
                isExact = isExact && TextPosition.read(positions, &offset, fields: fields, into: &places)
                for place in places { sum &+= Self.hash(term.span, slot, place) }
                let weight = places.reduce(UInt32(0)) {
                    $0 &+ ($1.field < index.weights.count ? index.weights[$1.field] : 0)
                }
                isExact = isExact && weight == frequency
            }
            let difference = Int64(record.documentCount) - record.correction - live
            if difference != 0 { surplus[term, default: 0] += difference }
        }
        postingCount += count
        if !isExact {
            report("segment \(segment.number) has a term frequency that contradicts its positions", key: prefix)
        }
        return sum
    }

    /// Documents deleted since the last flush are included in the counts of segments; their terms are in tombstones.
    private func subtractTombstones(from surplus: inout [[UInt8]: Int64]) throws {
        let prefix = TextIndexKey.tombstones.prefix(index.number)
        var cursor = try reader.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            guard let slot = StoreKey.row(in: cursor.key, at: prefix.count),
                slot < UInt64(view?.structure.pendingSlot ?? 0), let terms = TombstoneRecord.terms(cursor.value)
            else { continue }
            for position in 0..<terms.count { surplus[Array(terms[position]), default: 0] -= 1 }
        }
    }
}
