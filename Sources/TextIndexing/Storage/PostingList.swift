/// The postings of one term, in slot order.
struct PostingList {
    /// The documents.
    private(set) var slots: [UInt32] = []
    /// The frequency in each document, weighted by field.
    private(set) var frequencies: [UInt32] = []
    /// The fields of each posting: bit *n* for field *n*.
    private(set) var fields: [UInt32] = []
    /// The encoded positions of all postings, and the end of each posting's positions.
    private(set) var positions: [UInt8] = []
    private(set) var positionEnds: [Int] = []

    var count: Int { slots.count }

    mutating func removeAll() {
        slots.removeAll(keepingCapacity: true)
        frequencies.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
        positionEnds.removeAll(keepingCapacity: true)
    }

    /// Appends a posting. Its positions must ascend.
    mutating func append(slot: UInt32, frequency: UInt32, positions: Span<TextPosition>) {
        let fields = TextPosition.append(positions, to: &self.positions)
        append(slot: slot, frequency: frequency, fields: fields)
    }

    /// Appends a posting with encoded positions.
    mutating func append(slot: UInt32, frequency: UInt32, fields: UInt32, positions encoded: Span<UInt8>) {
        unsafe encoded.withUnsafeBufferPointer { unsafe positions.append(contentsOf: $0) }
        append(slot: slot, frequency: frequency, fields: fields)
    }

    private mutating func append(slot: UInt32, frequency: UInt32, fields: UInt32) {
        slots.append(slot)
        frequencies.append(frequency)
        self.fields.append(fields)
        positionEnds.append(positions.count)
    }

    /// Returns the range of a posting's encoded positions.
    func positionRange(_ index: Int) -> Range<Int> { (index == 0 ? 0 : positionEnds[index - 1])..<positionEnds[index] }
}
