/// The positions of a term in the documents of its current block, read on demand: stored ones for one group, and one
/// block of it, at a time; plain ones all at once.
final class TermPositions {
    private let blocks: TermBlocks
    private let reader = PositionReader()
    /// The encoded positions of the group in ``group``.
    private var encoded: [UInt8] = []
    private var group = -1
    private var block = -1
    /// The posting that the reader is positioned at.
    private var index = 0

    init(_ blocks: TermBlocks) { self.blocks = blocks }

    /// Reads the positions of the posting at an index of the current block, limited to some fields.
    func read(at index: Int, in fields: UInt32, into positions: PositionBuffer) throws {
        let set = try blocks.stored.map { try seek($0, to: index) } ?? seekPlain(to: index)
        guard reader.read(fields: set, in: fields, into: positions) else {
            throw blocks.damage("the positions of a term")
        }
    }

    /// Moves the reader to a posting.
    ///
    /// - Returns: The fields of the posting.
    private func seekPlain(to index: Int) throws -> UInt32 {
        let plain = blocks.plain
        if group < 0 {
            reader.take(plain.positions.span)
            group = 0
        }
        let target = blocks.block * TermEncoder.blockCount + index
        var fieldCount = 0
        for passed in self.index..<target { fieldCount += plain.fields[passed].nonzeroBitCount }
        // The same posting may be requested again.
        self.index = target
        guard reader.skip(fields: fieldCount) else { throw blocks.damage("the positions of a term") }
        return plain.fields[target]
    }

    /// Does the same for stored postings.
    private func seek(_ stored: StoredPostings, to index: Int) throws -> UInt32 {
        try blocks.readFields()
        let buffer = blocks.buffer
        if block != blocks.block || group != blocks.group { try load(stored) }
        let fieldCount = buffer.fieldCount(self.index..<index)
        self.index = index
        guard reader.skip(fields: fieldCount) else { throw blocks.damage("positions") }
        return buffer.fieldSet(at: index)
    }

    /// Loads the positions of the current block.
    private func load(_ stored: StoredPostings) throws {
        guard let content = blocks.buffer.group else { return }
        if group != blocks.group {
            group = -1
            encoded = try stored.cache.positions(blocks.group, of: content, term: stored.term, in: stored.segment)
            group = blocks.group
        }
        block = blocks.block
        index = 0
        // The length of the positions was checked against the group's headers when they were read.
        let encoded = self.encoded
        reader.take(encoded.span.extracting(content.blocks[block].positionOffset..<content.blocks[block].positionEnd))
    }
}
