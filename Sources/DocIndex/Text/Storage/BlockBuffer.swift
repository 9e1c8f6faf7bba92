/// The postings of one block, decoded as far as somebody asks: slots first, how often and in which fields later.
@safe final class BlockBuffer {
    let slots: UnsafeMutablePointer<UInt32>
    /// Meaningful after ``readFrequencies()``.
    let frequencies: UnsafeMutablePointer<UInt32>
    /// Meaningful after ``readFields()``.
    let fields: UnsafeMutablePointer<UInt32>
    private(set) var count = 0

    /// The full block of which a part is not decoded yet.
    private var group: PostingGroup?
    private var number = 0
    private var hasFrequencies = true
    private var hasFields = true

    init() {
        unsafe slots = .allocate(capacity: 3 * TermEncoder.blockCount)
        unsafe slots.initialize(repeating: 0, count: 3 * TermEncoder.blockCount)
        unsafe frequencies = slots + TermEncoder.blockCount
        unsafe fields = slots + 2 * TermEncoder.blockCount
    }

    deinit { unsafe slots.deallocate() }

    /// Reads a block of a group; `false` if its content contradicts its header.
    func read(_ group: PostingGroup, block number: Int) -> Bool {
        guard readSlots(group, block: number) else { return false }
        readFrequencies()
        return readFields()
    }

    /// Reads the slots of a block; `false` if its content contradicts its header.
    func readSlots(_ group: PostingGroup, block number: Int) -> Bool {
        guard group.blocks[number].isFull else {
            hasFrequencies = true
            hasFields = true
            return readVarints(group, group.blocks[number])
        }
        count = TermEncoder.blockCount
        self.group = group
        self.number = number
        hasFrequencies = false
        hasFields = false
        let (base, width) = (group.blocks[number].base, group.blocks[number].gapWidth)
        let end = unsafe Self.withContent(of: group, number, at: 0, width: width) { content, width in
            unsafe BitPacking.readGaps(content, width: width, base: base, into: slots)
        }
        return end == UInt64(group.blocks[number].last) + 1
    }

    /// Reads how often each posting of the block counts.
    @inline(__always)
    func readFrequencies() {
        if !hasFrequencies { readPackedFrequencies() }
    }

    private func readPackedFrequencies() {
        hasFrequencies = true
        guard let group else { return }
        let width = group.blocks[number].countWidth
        if width == 0 {
            unsafe frequencies.update(repeating: 1, count: TermEncoder.blockCount)
            return
        }
        unsafe Self.withContent(of: group, number, at: group.blocks[number].gapWidth, width: width) { content, width in
            unsafe BitPacking.read(content, width: width, adding: 1, into: frequencies)
        }
    }

    /// Reads in which fields each posting of the block is; `false` if a code stands for no fields.
    @inline(__always)
    func readFields() -> Bool { hasFields || readPackedFields() }

    private func readPackedFields() -> Bool {
        hasFields = true
        guard let group else { return true }
        let sets = group.blocks[number].fields
        let width = group.hasFields ? BitPacking.width(UInt32(sets.count - 1)) : 0
        if width == 0 {
            unsafe fields.update(repeating: sets.first ?? 1, count: TermEncoder.blockCount)
            return true
        }
        let before = group.blocks[number].gapWidth + group.blocks[number].countWidth
        unsafe Self.withContent(of: group, number, at: before, width: width) { content, width in
            unsafe BitPacking.read(content, width: width, adding: 0, into: fields)
        }
        for index in 0..<TermEncoder.blockCount {
            let code = unsafe Int(fields[index])
            guard code < sets.count else { return false }
            unsafe fields[index] = sets[code]
        }
        return true
    }

    /// Calls `body` with where numbers of a full block begin, behind others that take so many bits together.
    @inline(__always)
    private static func withContent<R>(
        of group: PostingGroup, _ number: Int, at bits: Int, width: Int, _ body: (UnsafeRawPointer, Int) -> R
    ) -> R {
        let offset = group.blocks[number].offset + 16 * bits
        // The headers were checked against the content: the block and eight bytes behind it are there.
        precondition(
            width <= 32 && offset >= 0 && offset + 16 * width + TermEncoder.padding <= group.bytes.count)
        return unsafe group.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { preconditionFailure("a group has eight bytes at least") }
            return unsafe body(start + offset, width)
        }
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
        hasFrequencies = true
        hasFields = true
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
