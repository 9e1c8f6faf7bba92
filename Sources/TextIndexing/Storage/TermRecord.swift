internal import LevelKit
internal import Synchronization

/// The stored record of one term in a segment: the number of documents that contain it, and its postings or their
/// groups.
///
/// Immutable, so that it can be cached.
package final class TermRecord: Sendable {
    /// The number of documents of the segment with the term, including those deleted since the segment was written.
    package let documentCount: Int
    /// The number of deleted documents, to be subtracted from the sum of the counts of all segments.
    package let correction: Int64
    package let postings: Postings

    package enum Postings: Sendable {
        case none
        /// Less than one full block: decoded, with the encoded positions.
        case short(PlainPostings)
        /// The summary of each group, and the first group.
        case long(groups: [Group], first: PostingGroup)
    }

    /// The summary of a group.
    package struct Group: Sendable {
        /// The lower bound for the slots of the group.
        let base: UInt32
        let last: UInt32
        let impacts: [TermImpact]
    }

    /// The approximate size of the record in memory, in bytes.
    var byteCount: Int {
        switch postings {
        case .none: 100
        case .short(let plain): 100 + plain.byteCount
        case .long(let groups, let first):
            groups.reduce(100 + first.byteCount) {
                $0 + MemoryLayout<Group>.stride + 32 + $1.impacts.count * MemoryLayout<TermImpact>.stride
            }
        }
    }

    /// Reads a record.
    ///
    /// - Returns: `nil` if it is corrupt or contains slots outside its segment.
    init?(_ bytes: Span<UInt8>, segment: TextSegment, hasFields: Bool) {
        var offset = 0
        guard let count = Varint.read(bytes, &offset), let zigzag = Varint.read(bytes, &offset),
            count <= UInt64(segment.upper - segment.lower)
        else { return nil }
        documentCount = Int(count)
        correction = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
        guard correction.magnitude <= 1 << 40 else { return nil }
        if count == 0 {
            guard offset == bytes.count else { return nil }
            postings = .none
            return
        }
        let reader = BlockReader(upper: segment.upper, hasFields: hasFields)
        if count < TermEncoder.blockCount {
            guard let plain = reader.plain(bytes, &offset, count: Int(count), base: segment.lower) else { return nil }
            postings = .short(plain)
            return
        }
        let perGroup = UInt64(TermEncoder.blockCount * TermEncoder.groupBlockCount)
        guard let groupCount = Varint.read(bytes, &offset), groupCount == (count + perGroup - 1) / perGroup else {
            return nil
        }
        var groups: [Group] = []
        var base = segment.lower
        for _ in 0..<groupCount {
            guard let last = reader.slot(bytes, &offset, base: base), let impacts = BlockReader.impacts(bytes, &offset)
            else { return nil }
            groups.append(Group(base: base, last: last, impacts: impacts))
            base = last + 1
        }
        guard
            let first = PostingGroup(
                bytes.extracting(offset..<bytes.count), group: groups[0], hasFields: hasFields,
                count: Int(min(count, perGroup)))
        else { return nil }
        postings = .long(groups: groups, first: first)
    }

    /// Returns the number of postings of a group.
    func count(ofGroup group: Int) -> Int {
        let perGroup = TermEncoder.blockCount * TermEncoder.groupBlockCount
        return min(perGroup, documentCount - group * perGroup)
    }
}

/// Up to 32 blocks of postings: decoded headers, and contents as stored.
package final class PostingGroup: Sendable {
    struct Block: Sendable {
        let base: UInt32
        let last: UInt32
        let count: Int
        /// The bit widths of a full block; 0 for one that is not full.
        let gapWidth: Int
        let countWidth: Int
        /// The range in ``PostingGroup/sets`` of the block's field sets.
        let sets: Range<Int>
        /// The range in ``PostingGroup/impacts`` of the block's impacts.
        let impacts: Range<Int>
        let offset: Int
        let positionOffset: Int
        let positionEnd: Int
        var isFull: Bool { count == TermEncoder.blockCount }
    }

    let bytes: [UInt8]
    let blocks: [Block]
    /// The field sets and the impacts of all blocks. Separate arrays for each block would cost more than the rest of
    /// its header.
    let sets: [UInt32]
    let impacts: [TermImpact]
    let upper: UInt32
    let hasFields: Bool
    private let best = Mutex(BestImpacts())

    /// The best impact of each block, and the statistics that it was computed for.
    private struct BestImpacts {
        var statistics: IndexStatistics?
        var impacts: [TermImpact] = []
    }

    /// Returns the impact with the highest score of each block; one with frequency zero if it depends on the weight of
    /// the term.
    ///
    /// - Complexity: O(1), except for the first call and after each change of the index.
    func bestImpacts(_ bm25: BM25) -> [TermImpact] {
        best.withLock { best in
            if best.statistics == bm25.statistics { return best.impacts }
            let found = blocks.map { block in
                var best = BestImpact()
                for index in block.impacts {
                    best.offer(frequency: impacts[index].frequency, norm: impacts[index].norm, bm25)
                }
                return best.isUnsure ? TermImpact(frequency: 0, norm: 0) : best.impact
            }
            best = BestImpacts(statistics: bm25.statistics, impacts: found)
            return found
        }
    }

    /// The approximate size of the group in memory, in bytes.
    var byteCount: Int {
        bytes.count + blocks.count * MemoryLayout<Block>.stride + 4 * sets.count
            + (impacts.count + blocks.count) * MemoryLayout<TermImpact>.stride + 300
    }

    /// Reads the headers. Returns `nil` if they are corrupt or contradict the content.
    init?(_ bytes: Span<UInt8>, group: TermRecord.Group, hasFields: Bool, count: Int) {
        var offset = 0
        guard let blockCount = Varint.read(bytes, &offset),
            blockCount == UInt64((count + TermEncoder.blockCount - 1) / TermEncoder.blockCount)
        else { return nil }
        let reader = BlockReader(upper: group.last + 1, hasFields: hasFields)
        var blocks: [Block] = []
        var sets: [UInt32] = []
        var impacts: [TermImpact] = []
        blocks.reserveCapacity(min(Int(blockCount), TermEncoder.groupBlockCount))
        var base = group.base
        var payload = 0
        var positions = 0
        for index in 0..<Int(blockCount) {
            let isFull = (index + 1) * TermEncoder.blockCount <= count
            guard base <= group.last, let last = reader.slot(bytes, &offset, base: base), offset + 2 <= bytes.count
            else {
                return nil
            }
            let (first, second) = (bytes[offset], bytes[offset + 1])
            offset += 2
            let (setStart, impactStart) = (sets.count, impacts.count)
            var byteCount = 0
            if isFull {
                guard first <= 32, second <= 32 else { return nil }
                byteCount = 16 * (Int(first) + Int(second))
                if hasFields {
                    guard offset < bytes.count else { return nil }
                    let kinds = Int(bytes[offset])
                    offset += 1
                    guard kinds >= 1, kinds <= TermEncoder.blockCount else { return nil }
                    for _ in 0..<kinds {
                        guard let value = Varint.read(bytes, &offset), let set = UInt32(exactly: value), set != 0 else {
                            return nil
                        }
                        sets.append(set)
                    }
                    byteCount += 16 * BitPacking.width(UInt32(kinds - 1))
                }
            } else {
                guard first == TermEncoder.partialBlock, Int(second) == count % TermEncoder.blockCount,
                    let stored = Varint.read(bytes, &offset), stored <= UInt64(bytes.count)
                else { return nil }
                byteCount = Int(stored)
            }
            guard BlockReader.readImpacts(bytes, &offset, into: &impacts),
                let positionCount = Varint.read(bytes, &offset),
                positionCount <= 1 << 30
            else { return nil }
            blocks.append(
                Block(
                    base: base, last: last, count: isFull ? TermEncoder.blockCount : count % TermEncoder.blockCount,
                    gapWidth: isFull ? Int(first) : 0, countWidth: isFull ? Int(second) : 0,
                    sets: setStart..<sets.count, impacts: impactStart..<impacts.count, offset: payload,
                    positionOffset: positions,
                    positionEnd: positions + Int(positionCount)))
            payload += byteCount
            positions += Int(positionCount)
            // This does not overflow: slots end below the largest number.
            base = last + 1
        }
        guard blocks.last?.last == group.last, offset + payload + TermEncoder.padding == bytes.count else { return nil }
        self.bytes = bytes.extracting(offset..<bytes.count).copied()
        self.blocks = blocks
        self.sets = sets
        self.impacts = impacts
        self.hasFields = hasFields
        upper = group.last + 1
    }
}

/// Postings that are completely decoded.
package struct PlainPostings: Sendable {
    var slots: [UInt32] = []
    var frequencies: [UInt32] = []
    var fields: [UInt32] = []
    /// The encoded positions of all postings; empty if they are unknown.
    var positions: [UInt8] = []

    /// The approximate size in memory, in bytes.
    var byteCount: Int {
        4 * (slots.capacity + frequencies.capacity + fields.capacity) + positions.capacity + 4 * 48
    }
}

/// Reads the parts that records and groups have in common.
struct BlockReader {
    /// The upper end of the valid slots.
    let upper: UInt32
    let hasFields: Bool

    /// Reads a slot that is stored as the distance from `base`.
    func slot(_ bytes: Span<UInt8>, _ offset: inout Int, base: UInt32) -> UInt32? {
        guard base < upper, let gap = Varint.read(bytes, &offset), gap < UInt64(upper - base) else { return nil }
        return base + UInt32(gap)
    }

    static func impacts(_ bytes: Span<UInt8>, _ offset: inout Int) -> [TermImpact]? {
        var impacts: [TermImpact] = []
        return readImpacts(bytes, &offset, into: &impacts) ? impacts : nil
    }

    /// Reads impacts and appends them. Returns `false` if they are corrupt.
    static func readImpacts(_ bytes: Span<UInt8>, _ offset: inout Int, into impacts: inout [TermImpact]) -> Bool {
        guard offset < bytes.count else { return false }
        let count = Int(bytes[offset])
        offset += 1
        guard count >= 1 else { return false }
        for _ in 0..<count {
            guard let value = Varint.read(bytes, &offset), let frequency = UInt32(exactly: value),
                offset < bytes.count
            else { return false }
            impacts.append(TermImpact(frequency: frequency, norm: bytes[offset]))
            offset += 1
        }
        return true
    }

    /// Reads one posting of a list in varints.
    func posting(
        _ bytes: Span<UInt8>, _ offset: inout Int, base: UInt32
    ) -> (slot: UInt32, frequency: UInt32, fields: UInt32)? {
        guard base < upper, let value = Varint.read(bytes, &offset), value >> 1 < UInt64(upper - base) else {
            return nil
        }
        var frequency: UInt32 = 1
        if value & 1 == 0 {
            guard let stored = Varint.read(bytes, &offset), let exact = UInt32(exactly: stored), exact > 0 else {
                return nil
            }
            frequency = exact
        }
        var fields: UInt32 = 1
        if hasFields {
            guard let stored = Varint.read(bytes, &offset), let exact = UInt32(exactly: stored), exact > 0 else {
                return nil
            }
            fields = exact
        }
        return (base + UInt32(value >> 1), frequency, fields)
    }

    /// Reads a list in varints and the positions after it.
    func plain(_ bytes: Span<UInt8>, _ offset: inout Int, count: Int, base: UInt32) -> PlainPostings? {
        var plain = PlainPostings()
        plain.slots.reserveCapacity(count)
        plain.frequencies.reserveCapacity(count)
        plain.fields.reserveCapacity(count)
        var base = base
        for _ in 0..<count {
            guard let posting = posting(bytes, &offset, base: base) else { return nil }
            plain.slots.append(posting.slot)
            plain.frequencies.append(posting.frequency)
            plain.fields.append(posting.fields)
            base = posting.slot + 1
        }
        plain.positions = bytes.extracting(offset..<bytes.count).copied()
        return plain
    }
}
