/// The postings of one block, decoded as far as somebody asks: slots first, how often and in which fields later.
@safe final class BlockBuffer {
    let slots: UnsafeMutablePointer<UInt32>
    /// Meaningful after ``readFrequencies()``.
    let frequencies: UnsafeMutablePointer<UInt32>
    /// Meaningful after ``readFields()``.
    let fields: UnsafeMutablePointer<UInt32>
    private(set) var count = 0

    /// The group whose blocks are read. Blocks are read more often than groups, and to count references at each would take as
    /// long as to read them: so the one keeps it, and the other is used.
    private(set) var group: PostingGroup?
    private var used: Unmanaged<PostingGroup>?
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

    /// Takes the blocks from a group.
    func use(_ group: PostingGroup) {
        self.group = group
        unsafe used = .passUnretained(group)
        // What was not read of a block of another group is never read.
        hasFrequencies = true
        hasFields = true
    }

    /// Reads a block of the group; `false` if its content contradicts its header.
    func read(block number: Int) -> Bool {
        guard readSlots(block: number) else { return false }
        readFrequencies()
        return readFields()
    }

    /// Reads the slots of a block; `false` if its content contradicts its header.
    func readSlots(block number: Int) -> Bool {
        guard let used = unsafe used else { return false }
        return unsafe used._withUnsafeGuaranteedRef { group in
            let block = group.blocks[number]
            self.number = number
            hasFrequencies = !block.isFull
            hasFields = !block.isFull
            guard block.isFull else { return readVarints(group, block) }
            count = TermEncoder.blockCount
            let end = unsafe Self.withContent(of: group, number, at: 0, width: block.gapWidth) { content, width in
                unsafe BitPacking.readGaps(content, width: width, base: block.base, into: slots)
            }
            return end == UInt64(block.last) + 1
        }
    }

    /// Reads how often each posting of the block counts.
    @inline(__always)
    func readFrequencies() {
        if !hasFrequencies { readPackedFrequencies() }
    }

    private func readPackedFrequencies() {
        hasFrequencies = true
        unsafe used?._withUnsafeGuaranteedRef { group in
            let block = group.blocks[number]
            if block.countWidth == 0 {
                unsafe frequencies.update(repeating: 1, count: TermEncoder.blockCount)
                return
            }
            unsafe Self.withContent(of: group, number, at: block.gapWidth, width: block.countWidth) { content, width in
                unsafe BitPacking.read(content, width: width, adding: 1, into: frequencies)
            }
        }
    }

    /// Reads in which fields each posting of the block is; `false` if a code stands for no fields.
    @inline(__always)
    func readFields() -> Bool { hasFields || readPackedFields() }

    private func readPackedFields() -> Bool {
        hasFields = true
        guard let used = unsafe used else { return true }
        return unsafe used._withUnsafeGuaranteedRef { group in
            let block = group.blocks[number]
            let width = group.hasFields ? BitPacking.width(UInt32(block.sets.count - 1)) : 0
            if width == 0 {
                let set = block.sets.isEmpty ? 1 : group.sets[block.sets.lowerBound]
                unsafe fields.update(repeating: set, count: TermEncoder.blockCount)
                return true
            }
            unsafe Self.withContent(of: group, number, at: block.gapWidth + block.countWidth, width: width) {
                unsafe BitPacking.read($0, width: $1, adding: 0, into: fields)
            }
            for index in 0..<TermEncoder.blockCount {
                let code = unsafe Int(fields[index])
                guard code < block.sets.count else { return false }
                unsafe fields[index] = group.sets[block.sets.lowerBound + code]
            }
            return true
        }
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
