/// Encodes the records of one term of a segment, which ``TermRecord`` reads. Part of the on-disk format; must not
/// change.
struct TermEncoder {
    /// The number of postings per block, and of blocks per group. Part of the on-disk format; must not change.
    static let blockCount = 128
    static let groupBlockCount = 32
    /// The value in place of the width for a block that is not full.
    static let partialBlock: UInt8 = 0xff
    /// The number of bytes after a group, so that packed numbers can be read eight bytes at a time.
    static let padding = 8

    /// The norm of each slot.
    let slots: SlotTable
    /// The first slot of the segment.
    let lower: UInt32
    /// Whether the index has more than one field, so that postings contain their fields.
    let hasFields: Bool

    /// The record of the term, and its further groups and the positions of all groups.
    struct Output {
        var record: [UInt8] = []
        var groups: [[UInt8]] = []
        var positions: [[UInt8]] = []
    }

    func encode(_ list: PostingList, correction: Int64, into output: inout Output) {
        output.record.removeAll(keepingCapacity: true)
        output.groups.removeAll(keepingCapacity: true)
        output.positions.removeAll(keepingCapacity: true)
        Varint.append(UInt64(list.count), to: &output.record)
        Varint.append(UInt64(bitPattern: correction << 1 ^ correction >> 63), to: &output.record)
        if list.count == 0 { return }
        if list.count < Self.blockCount {
            var base = lower
            appendVarints(list, 0..<list.count, &base, to: &output.record)
            output.record += list.positions
            return
        }
        let perGroup = Self.blockCount * Self.groupBlockCount
        let groupCount = (list.count + perGroup - 1) / perGroup
        Varint.append(UInt64(groupCount), to: &output.record)
        var base = lower
        for group in 0..<groupCount {
            let range = group * perGroup..<min(list.count, (group + 1) * perGroup)
            let last = list.slots[range.upperBound - 1]
            Varint.append(UInt64(last - base), to: &output.record)
            append(impacts(list, range), to: &output.record)
            output.groups.append(encodeGroup(list, range, base: base))
            output.positions.append(
                Array(
                    list.positions[
                        list.positionRange(range.lowerBound)
                            .lowerBound..<list.positionRange(range.upperBound - 1).upperBound]))
            base = last + 1
        }
        output.record += output.groups.removeFirst()
    }

    /// Writes the headers of all blocks, then the blocks themselves, so that a skipped block is not touched.
    private func encodeGroup(_ list: PostingList, _ range: Range<Int>, base: UInt32) -> [UInt8] {
        var headers: [UInt8] = []
        var payload: [UInt8] = []
        Varint.append(UInt64((range.count + Self.blockCount - 1) / Self.blockCount), to: &headers)
        var base = base
        var gaps: [UInt32] = []
        var counts: [UInt32] = []
        var codes: [UInt32] = []
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.blockCount) {
            let block = start..<min(range.upperBound, start + Self.blockCount)
            Varint.append(UInt64(list.slots[block.upperBound - 1] - base), to: &headers)
            if block.count < Self.blockCount {
                headers.append(Self.partialBlock)
                headers.append(UInt8(block.count))
                let before = payload.count
                appendVarints(list, block, &base, to: &payload)
                Varint.append(UInt64(payload.count - before), to: &headers)
            } else {
                gaps.removeAll(keepingCapacity: true)
                counts.removeAll(keepingCapacity: true)
                codes.removeAll(keepingCapacity: true)
                var kinds: [UInt32] = []
                for index in block {
                    gaps.append(list.slots[index] - base)
                    base = list.slots[index] + 1
                    counts.append(list.frequencies[index] - 1)
                    if hasFields {
                        let fields = list.fields[index]
                        var code = 0
                        while code < kinds.count, kinds[code] != fields { code += 1 }
                        if code == kinds.count { kinds.append(fields) }
                        codes.append(UInt32(code))
                    }
                }
                let gapWidth = BitPacking.width(gaps.reduce(0, |))
                let countWidth = BitPacking.width(counts.reduce(0, |))
                headers.append(UInt8(gapWidth))
                headers.append(UInt8(countWidth))
                BitPacking.append(gaps[...], width: gapWidth, to: &payload)
                BitPacking.append(counts[...], width: countWidth, to: &payload)
                if hasFields {
                    headers.append(UInt8(kinds.count))
                    for fields in kinds { Varint.append(UInt64(fields), to: &headers) }
                    BitPacking.append(codes[...], width: BitPacking.width(UInt32(kinds.count - 1)), to: &payload)
                }
            }
            append(impacts(list, block), to: &headers)
            let positions =
                list.positionRange(block.upperBound - 1).upperBound - list.positionRange(block.lowerBound).lowerBound
            Varint.append(UInt64(positions), to: &headers)
        }
        return headers + payload + [UInt8](repeating: 0, count: Self.padding)
    }

    /// Appends each posting as a varint of its gap, shifted left by one, with the lowest bit set if the frequency is 1;
    /// otherwise the frequency follows. Then come the fields if the index has more than one.
    private func appendVarints(_ list: PostingList, _ range: Range<Int>, _ base: inout UInt32, to bytes: inout [UInt8])
    {
        for index in range {
            let gap = UInt64(list.slots[index] - base) << 1
            let frequency = list.frequencies[index]
            Varint.append(gap | (frequency == 1 ? 1 : 0), to: &bytes)
            if frequency != 1 { Varint.append(UInt64(frequency), to: &bytes) }
            if hasFields { Varint.append(UInt64(list.fields[index]), to: &bytes) }
            base = list.slots[index] + 1
        }
    }

    /// Returns the impacts that are not dominated by another one with at least the same frequency and at most the same
    /// norm. The block maximum can be computed from them for any statistics and any weight.
    private func impacts(_ list: PostingList, _ range: Range<Int>) -> [TermImpact] {
        // The smallest norm for each small frequency; impacts with larger frequencies are collected separately.
        var smallest = InlineArray<32, UInt16>(repeating: .max)
        var impacts: [TermImpact] = []
        for index in range {
            let (frequency, norm) = (list.frequencies[index], slots.norm(list.slots[index]))
            if frequency < 32 {
                smallest[Int(frequency)] = min(smallest[Int(frequency)], UInt16(norm))
            } else {
                Self.add(TermImpact(frequency: frequency, norm: norm), to: &impacts)
            }
        }
        var best = impacts.reduce(UInt16.max) { min($0, UInt16($1.norm)) }
        for frequency in stride(from: 31, through: 0, by: -1) where smallest[frequency] < best {
            best = smallest[frequency]
            impacts.append(TermImpact(frequency: UInt32(frequency), norm: UInt8(best)))
        }
        return Self.sorted(impacts)
    }

    /// Adds an impact unless another one dominates it, and removes all impacts that it dominates.
    private static func add(_ new: TermImpact, to impacts: inout [TermImpact]) {
        if impacts.contains(where: { $0.frequency >= new.frequency && $0.norm <= new.norm }) { return }
        impacts.removeAll { $0.frequency <= new.frequency && $0.norm >= new.norm }
        impacts.append(new)
    }

    private static func sorted(_ impacts: [TermImpact]) -> [TermImpact] {
        let impacts = impacts.sorted { $0.frequency < $1.frequency }
        // The count must fit in a byte. The largest frequency with the smallest norm is an upper bound for all.
        guard impacts.count > 255 else { return impacts }
        return [TermImpact(frequency: impacts[impacts.count - 1].frequency, norm: impacts[0].norm)]
    }

    private func append(_ impacts: [TermImpact], to bytes: inout [UInt8]) {
        bytes.append(UInt8(impacts.count))
        for impact in impacts {
            Varint.append(UInt64(impact.frequency), to: &bytes)
            bytes.append(impact.norm)
        }
    }
}

/// The impact of a posting: the frequency of the term in a document, and the norm of the document.
struct TermImpact: Hashable {
    let frequency: UInt32
    let norm: UInt8
}
