internal import LevelKit

/// Writes the keys of one segment, with terms in order, in batches that are not read until the structure contains the
/// segment.
struct SegmentWriter {
    let database: Database
    let index: TextIndex
    let number: UInt32
    private let encoder: TermEncoder
    private let batch = WriteBatch()
    private var output = TermEncoder.Output()
    /// The total size of all keys and values so far, in bytes.
    private(set) var byteCount = 0

    /// The approximate size of one batch, in bytes.
    private static let batchByteCount = 1 << 20

    init(database: Database, index: TextIndex, number: UInt32, lower: UInt32, slots: SlotTable) {
        self.database = database
        self.index = index
        self.number = number
        encoder = TermEncoder(slots: slots, lower: lower, hasFields: index.hasFields)
    }

    /// Adds a term. Terms must be added in order.
    mutating func add(_ term: [UInt8], _ list: PostingList, correction: Int64) throws {
        encoder.encode(list, correction: correction, into: &output)
        try put(output.record, TextIndexKey.terms.term(index.number, number, term))
        for (group, bytes) in output.groups.enumerated() {
            try put(bytes, SegmentReader.key(.groups, index.number, number, term, group + 1))
        }
        for (group, bytes) in output.positions.enumerated() {
            try put(bytes, SegmentReader.key(.positions, index.number, number, term, group))
        }
        if batch.byteCount >= Self.batchByteCount { try write() }
    }

    private mutating func put(_ value: [UInt8], _ key: [UInt8]) throws {
        byteCount += key.count + value.count
        try batch.put(value, forKey: key)
    }

    /// Writes the rest of the batch.
    func write() throws {
        if batch.count == 0 { return }
        try database.write(batch)
        batch.removeAll()
    }
}
