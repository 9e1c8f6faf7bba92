/// The postings of one block, decoded on demand: first the slots, then the frequencies and fields. If only a few
/// frequencies or fields are needed, they are decoded one by one.
@safe final class BlockBuffer {
    let slots: UnsafeMutablePointer<UInt32>
    /// Valid after ``readFrequencies()``.
    let frequencies: UnsafeMutablePointer<UInt32>
    /// The index in ``sets`` of each posting's field set; valid after ``readFields()``.
    let codes: UnsafeMutablePointer<UInt32>
    /// The field sets of the block and the number of fields in each; zero for codes without a field set.
    private let sets: UnsafeMutablePointer<UInt32>
    private let setCounts: UnsafeMutablePointer<UInt32>
    private(set) var count = 0

    /// The group whose blocks are read, with an unmanaged reference for use: blocks are read more often than groups,
    /// and reference counting for each block would take as long as reading it.
    private(set) var group: PostingGroup?
    private var used: Unmanaged<PostingGroup>?
    private var number = 0
    private var hasFrequencies = true
    private var hasSets = true
    private var hasCodes = true
    /// The number of bits of a code; zero if all postings of the block have the same fields, negative if each posting
    /// has its own code.
    private var codeWidth = 0
    /// The number of values of the block that were decoded one by one.
    private var singleCount = 0
    /// Decoding this many values one by one takes about as long as decoding the whole block.
    private static let singleLimit = 8

    init() {
        unsafe slots = .allocate(capacity: 5 * TermEncoder.blockCount)
        unsafe slots.initialize(repeating: 0, count: 5 * TermEncoder.blockCount)
        unsafe frequencies = slots + TermEncoder.blockCount
        unsafe codes = slots + 2 * TermEncoder.blockCount
        unsafe sets = slots + 3 * TermEncoder.blockCount
        unsafe setCounts = slots + 4 * TermEncoder.blockCount
    }

    deinit { unsafe slots.deallocate() }

    /// Selects the group to read blocks from.
    func use(_ group: PostingGroup) {
        self.group = group
        unsafe used = .passUnretained(group)
        // Whatever was not decoded of the previous group's block is not needed any more.
        hasFrequencies = true
        hasSets = true
        hasCodes = true
    }

    /// Decodes a block of the group. Returns `false` if its content contradicts its header.
    func read(block number: Int) -> Bool {
        guard readSlots(block: number) else { return false }
        readFrequencies()
        return readFields()
    }

    /// Decodes the slots of a block. Returns `false` if its content contradicts its header.
    func readSlots(block number: Int) -> Bool {
        guard let used = unsafe used else { return false }
        return unsafe used._withUnsafeGuaranteedRef { group in
            let block = group.blocks[number]
            self.number = number
            singleCount = 0
            hasFrequencies = !block.isFull
            hasSets = !block.isFull
            hasCodes = !block.isFull
            guard block.isFull else { return readVarints(group, block) }
            count = TermEncoder.blockCount
            let end = unsafe Self.withContent(of: group, number, at: 0, width: block.gapWidth) { content, width in
                unsafe BitPacking.readGaps(content, width: width, base: block.base, into: slots)
            }
            return end == UInt64(block.last) + 1
        }
    }

    // MARK: - Frequencies

    /// Decodes the frequency of each posting of the block.
    @inline(__always)
    func readFrequencies() {
        if !hasFrequencies { readPackedFrequencies() }
    }

    private func readPackedFrequencies() {
        hasFrequencies = true
        unsafe used?._withUnsafeGuaranteedRef { group in
            let block = group.blocks[number]
            unsafe Self.withContent(of: group, number, at: block.gapWidth, width: block.countWidth) { content, width in
                unsafe BitPacking.read(content, width: width, adding: 1, into: frequencies)
            }
        }
    }

    /// Returns the frequency of the posting at an index.
    @inline(__always)
    func frequency(at index: Int) -> UInt32 {
        precondition(index >= 0 && index < count)
        return hasFrequencies ? unsafe frequencies[index] : packedFrequency(at: index)
    }

    private func packedFrequency(at index: Int) -> UInt32 {
        singleCount += 1
        if singleCount > Self.singleLimit {
            readFrequencies()
            return unsafe frequencies[index]
        }
        guard let used = unsafe used else { return 0 }
        return unsafe used._withUnsafeGuaranteedRef { group in
            let block = group.blocks[number]
            return unsafe Self.withContent(of: group, number, at: block.gapWidth, width: block.countWidth) {
                unsafe BitPacking.number(at: index, of: $0, width: $1) &+ 1
            }
        }
    }

    // MARK: - Fields

    /// Decodes the fields of each posting of the block. Returns `false` if a code has no field set.
    @inline(__always)
    func readFields() -> Bool { hasCodes || readPackedFields() }

    private func readPackedFields() -> Bool {
        if !hasSets { readSets() }
        hasCodes = true
        if codeWidth == 0 {
            unsafe codes.update(repeating: 0, count: TermEncoder.blockCount)
            return true
        }
        guard let used = unsafe used else { return true }
        return unsafe used._withUnsafeGuaranteedRef { group in
            unsafe withCodes(of: group) { unsafe BitPacking.read($0, width: $1, adding: 0, into: codes) }
            let kinds = group.blocks[number].sets.count
            if kinds == 1 << codeWidth { return true }
            var largest: UInt32 = 0
            for index in 0..<TermEncoder.blockCount { unsafe largest = max(largest, codes[index]) }
            return Int(largest) < kinds
        }
    }

    /// Returns the fields of the posting at an index, as bits; zero if its code has no field set.
    @inline(__always)
    func fieldSet(at index: Int) -> UInt32 {
        precondition(index >= 0 && index < count)
        return hasCodes ? unsafe sets[Int(codes[index])] : packedFieldSet(at: index)
    }

    private func packedFieldSet(at index: Int) -> UInt32 {
        if !hasSets { readSets() }
        if codeWidth == 0 { return unsafe sets[0] }
        guard let used = unsafe used else { return 0 }
        return unsafe used._withUnsafeGuaranteedRef { group in
            // A code has at most seven bits, and there are as many sets.
            unsafe withCodes(of: group) { unsafe sets[Int(BitPacking.number(at: index, of: $0, width: $1))] }
        }
    }

    /// The number of codes.
    var codeCount: Int { codeWidth < 0 ? count : 1 << codeWidth }

    /// Returns the field set of a code, as bits; zero if it has none.
    func fieldSet(ofCode code: Int) -> UInt32 {
        precondition(code >= 0 && code < TermEncoder.blockCount)
        return unsafe sets[code]
    }

    /// Returns the total number of fields of a range of postings; valid after ``readFields()``.
    @inline(__always)
    func fieldCount(_ range: Range<Int>) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        var sum: UInt32 = 0
        for index in range { unsafe sum &+= setCounts[Int(codes[index])] }
        return Int(sum)
    }

    private func readSets() {
        hasSets = true
        unsafe used?._withUnsafeGuaranteedRef { group in
            let kinds = group.hasFields ? group.blocks[number].sets : 0..<0
            codeWidth = kinds.isEmpty ? 0 : BitPacking.width(UInt32(kinds.count - 1))
            precondition(codeWidth <= 7)
            if kinds.isEmpty {
                unsafe sets[0] = 1
                unsafe setCounts[0] = 1
            }
            for code in 0..<(kinds.isEmpty ? 0 : 1 << codeWidth) {
                let set = code < kinds.count ? group.sets[kinds.lowerBound + code] : 0
                unsafe sets[code] = set
                unsafe setCounts[code] = UInt32(set.nonzeroBitCount)
            }
        }
    }

    /// Stores the fields of a posting of a block that is not packed.
    private func setFields(_ fields: UInt32, at index: Int) {
        unsafe codes[index] = UInt32(index)
        unsafe sets[index] = fields
        unsafe setCounts[index] = UInt32(fields.nonzeroBitCount)
    }

    // MARK: - Content

    /// Calls `body` with a pointer to the codes of a full block.
    @inline(__always)
    private func withCodes<R>(of group: PostingGroup, _ body: (UnsafeRawPointer, Int) -> R) -> R {
        let block = group.blocks[number]
        return unsafe Self.withContent(of: group, number, at: block.gapWidth + block.countWidth, width: codeWidth, body)
    }

    /// Calls `body` with a pointer to packed numbers of a full block, after numbers with this total width in bits.
    @inline(__always)
    private static func withContent<R>(
        of group: PostingGroup, _ number: Int, at bits: Int, width: Int, _ body: (UnsafeRawPointer, Int) -> R
    ) -> R {
        let offset = group.blocks[number].offset + 16 * bits
        // The headers were checked against the content: the block and the eight bytes after it exist.
        precondition(
            width <= 32 && offset >= 0 && offset + 16 * width + TermEncoder.padding <= group.bytes.count)
        return unsafe group.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { preconditionFailure("a group has at least eight bytes") }
            return unsafe body(start + offset, width)
        }
    }

    private func readVarints(_ group: PostingGroup, _ block: PostingGroup.Block) -> Bool {
        count = block.count
        codeWidth = -1
        let reader = BlockReader(upper: group.upper, hasFields: group.hasFields)
        var offset = block.offset
        var base = block.base
        let bytes = group.bytes
        for index in 0..<block.count {
            guard let posting = reader.posting(bytes.span, &offset, base: base) else { return false }
            unsafe slots[index] = posting.slot
            unsafe frequencies[index] = posting.frequency
            setFields(posting.fields, at: index)
            base = posting.slot + 1
        }
        return base == block.last + 1
    }

    /// Copies a range of decoded postings.
    func take(_ plain: PlainPostings, _ range: Range<Int>) {
        count = range.count
        hasFrequencies = true
        hasSets = true
        hasCodes = true
        codeWidth = -1
        for (index, position) in range.enumerated() {
            unsafe slots[index] = plain.slots[position]
            unsafe frequencies[index] = plain.frequencies[position]
            setFields(plain.fields[position], at: index)
        }
    }

    /// Returns the first index at or after `index` whose slot is at least `target`; `count` if there is none.
    @inline(__always)
    func index(ofSlot target: UInt32, from index: Int) -> Int {
        // Galloping search: the slot is usually near. Then binary search.
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
