/// Whether the batches in a log of writes follow one another, as LevelDB takes for granted when it opens a database.
///
/// A batch begins with the sequence number of its first operation (8 bytes) and the number of its operations (4); the
/// next one begins where it ends, or later where a write has failed (`db/db_impl.cc`, `DBImpl::Write`). LevelDB puts what
/// it reads into a skip list, and ends the process there when an entry comes twice (`db/skiplist.h`, `Insert`), as after
/// a log was appended to itself, and when it looks for a sequence number that does not fit into 56 bits
/// (`db/dbformat.cc`, `PackSequenceAndType`).
package struct BatchOrder {
    /// Sequence numbers have 56 bits; the last one is left out, since a search uses it.
    package static let sequenceLimit: UInt64 = (1 << 56) - 1

    /// The least sequence number that the next batch may have.
    private var next: UInt64 = 0

    package init() {}

    /// Enters a batch.
    ///
    /// - Parameter record: a record of a log.
    /// - Returns: what is wrong, as a clause; `nil` if the batch fits, or is too short to be one.
    package mutating func enter(_ record: [UInt8]) -> String? {
        guard record.count >= Self.headerByteCount else { return nil }
        return unsafe record.withUnsafeBytes { unsafe enter(headerAt: $0.baseAddress!) }
    }

    private static let headerByteCount = 12

    private mutating func enter(headerAt start: UnsafeRawPointer) -> String? {
        let sequence = unsafe UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
        let count = unsafe UInt64(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        guard sequence < Self.sequenceLimit, count <= Self.sequenceLimit - sequence else {
            return "it holds a write with the sequence number \(sequence), which LevelDB cannot give"
        }
        guard sequence >= next else {
            return "write \(sequence) comes behind write \(next - 1), as if a part of it were there twice"
        }
        next = sequence + count
        return nil
    }

    /// Enters the batches of a log.
    ///
    /// - Parameter toleratesDamage: whether damage is passed over that LevelDB passes over.
    /// - Returns: what is wrong; `nil` if all is well, or the damage is one that LevelDB finds itself.
    /// - Complexity: O(n) in the size of the log; a checksum is computed only where something seems to be wrong.
    package mutating func enter(
        _ log: OpenFile, toleratesDamage: Bool = false
    ) throws(SystemError) -> RecordReader.Damage? {
        let before = self
        if try enterUnchecked(log) { return nil }
        // What seemed wrong may be damage that LevelDB does not read; so now as it reads.
        self = before
        try log.seek(to: 0)
        var reader = RecordReader(log, holding: .batches)
        var damage: RecordReader.Damage?
        while true {
            let start = reader.endOffset
            switch try reader.next() {
            case nil: return nil
            case .damage(let found): damage = damage ?? found
            case .record(let record):
                // LevelDB ends at some damage without a word, as if there were nothing behind it.
                if let damage, !toleratesDamage { return damage }
                if let reason = enter(record) {
                    return RecordReader.Damage(offset: start, byteCount: UInt64(record.count), reason: reason)
                }
            }
        }
    }

    /// Enters the batches of a log without their checksums: at least all that LevelDB would take.
    ///
    /// - Returns: whether each was understood, and fits.
    private mutating func enterUnchecked(_ log: OpenFile) throws(SystemError) -> Bool {
        var endsInZeros = false
        while true {
            let block = try log.read(upTo: RecordReader.blockByteCount)
            if block.isEmpty { return true }
            if endsInZeros {
                guard block.allSatisfy({ $0 == 0 }) else { return false }
                continue
            }
            switch enterUnchecked(block) {
            case .understood: break
            case .zeros: endsInZeros = true
            case .unclear: return false
            }
        }
    }

    private enum BlockFinding {
        case understood
        /// All of it is understood; the rest of the block is zeros.
        case zeros
        case unclear
    }

    private mutating func enterUnchecked(_ block: [UInt8]) -> BlockFinding {
        var position = 0
        return unsafe block.withUnsafeBytes { block in
            while block.count - position >= RecordReader.headerByteCount {
                let byteCount = unsafe Int(block[position + 4]) | Int(block[position + 5]) << 8
                let type = unsafe block[position + 6]
                let start = position + RecordReader.headerByteCount
                if type == 0 && byteCount == 0 {
                    return unsafe block[position...].allSatisfy { $0 == 0 } ? .zeros : .unclear
                }
                position = start + byteCount
                // LevelDB reports it in a whole block only.
                if position > block.count { return .unclear }
                switch type {
                case 1 where byteCount < Self.headerByteCount: break
                case 2 where byteCount < Self.headerByteCount: return .unclear
                case 1, 2:
                    if unsafe enter(headerAt: block.baseAddress! + start) != nil { return .unclear }
                case 3, 4: break
                default: return .unclear
                }
            }
            return .understood
        }
    }
}
