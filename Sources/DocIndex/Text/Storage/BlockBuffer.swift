/// The postings of one block, decoded.
@safe final class BlockBuffer {
    let slots: UnsafeMutablePointer<UInt32>
    let frequencies: UnsafeMutablePointer<UInt32>
    let fields: UnsafeMutablePointer<UInt32>
    private(set) var count = 0

    init() {
        unsafe slots = .allocate(capacity: 3 * TermEncoder.blockCount)
        unsafe slots.initialize(repeating: 0, count: 3 * TermEncoder.blockCount)
        unsafe frequencies = slots + TermEncoder.blockCount
        unsafe fields = slots + 2 * TermEncoder.blockCount
    }

    deinit { unsafe slots.deallocate() }

    /// Reads a block of a group; `false` if its content contradicts its header.
    func read(_ group: PostingGroup, block number: Int) -> Bool {
        let block = group.blocks[number]
        guard block.isFull else { return readVarints(group, block) }
        count = TermEncoder.blockCount
        let gapBytes = 16 * block.gapWidth
        let countBytes = 16 * block.countWidth
        let codeWidth = group.hasFields ? BitPacking.width(UInt32(block.fields.count - 1)) : 0
        // The headers were checked against the content: the block and eight bytes behind it are there.
        precondition(
            block.offset + gapBytes + countBytes + 16 * codeWidth + TermEncoder.padding <= group.bytes.count)
        unsafe group.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            let content = unsafe start + block.offset
            unsafe BitPacking.read(content, width: block.gapWidth, into: slots)
            unsafe BitPacking.read(content + gapBytes, width: block.countWidth, into: frequencies)
            if codeWidth > 0 {
                unsafe BitPacking.read(content + gapBytes + countBytes, width: codeWidth, into: fields)
            }
        }
        var sum = UInt64(block.base)
        for index in 0..<TermEncoder.blockCount {
            unsafe sum += UInt64(slots[index])
            unsafe slots[index] = UInt32(truncatingIfNeeded: sum)
            sum += 1
            unsafe frequencies[index] &+= 1
        }
        guard sum == UInt64(block.last) + 1 else { return false }
        if codeWidth > 0 {
            for index in 0..<TermEncoder.blockCount {
                let code = unsafe Int(fields[index])
                guard code < block.fields.count else { return false }
                unsafe fields[index] = block.fields[code]
            }
        } else {
            unsafe fields.update(repeating: block.fields.first ?? 1, count: TermEncoder.blockCount)
        }
        return true
    }

    private func readVarints(_ group: PostingGroup, _ block: PostingGroup.Block) -> Bool {
        count = block.count
        let reader = BlockReader(upper: group.upper, hasFields: group.hasFields)
        var offset = block.offset
        var base = block.base
        let bytes = group.bytes
        for index in 0..<block.count {
            guard let posting = reader.posting(bytes.span, &offset, base: base) else { return false }
            unsafe slots[index] = posting.slot
            unsafe frequencies[index] = posting.frequency
            unsafe fields[index] = posting.fields
            base = posting.slot + 1
        }
        return base == block.last + 1
    }

    /// Takes over a part of postings that are decoded.
    func take(_ plain: PlainPostings, _ range: Range<Int>) {
        count = range.count
        for (index, position) in range.enumerated() {
            unsafe slots[index] = plain.slots[position]
            unsafe frequencies[index] = plain.frequencies[position]
            unsafe fields[index] = plain.fields[position]
        }
    }

    /// The first index from `index` on whose slot is not below `target`; `count` if there is none.
    @inline(__always)
    func index(ofSlot target: UInt32, from index: Int) -> Int {
        // Mostly near; then by halves.
        var lower = index
        var step = 1
        while lower + step < count, unsafe slots[lower + step] < target {
            lower += step
            step <<= 1
        }
        var upper = min(count, lower + step)
        while lower < upper {
            let middle = (lower + upper) >> 1
            if unsafe slots[middle] < target { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
