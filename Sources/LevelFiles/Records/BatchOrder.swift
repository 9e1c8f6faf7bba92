/// Checks that the batches in the logs are consecutive, which LevelDB assumes when it opens a database.
///
/// A batch starts with the sequence number of its first operation (8 bytes) and the number of operations (4 bytes). The
/// next batch continues with the following number, or with a later one after a failed write (`db/db_impl.cc`,
/// `DBImpl::Write`). LevelDB inserts the entries into a skip list. It ends the process if an entry occurs twice
/// (`db/skiplist.h`, `Insert`), for example after a log was appended to itself, or if a sequence number does not fit
/// into 56 bits (`db/dbformat.cc`, `PackSequenceAndType`).
///
/// The writes in the logs are newer than those in the tables, because a log is dropped as soon as its writes are in a
/// table. LevelDB assumes that too: it returns the version of a key that it finds first.
///
/// It inserts the operations of a batch before it compares their number with the header
/// (`db/write_batch.cc`, `WriteBatch::Iterate`). If it ignores the difference, the next batch may repeat an entry.
package struct BatchOrder {
    /// Sequence numbers have 56 bits. The last ones are excluded: lookups use the largest one, and a batch with more
    /// operations than its header says must not reach it. No log is long enough for so many operations.
    package static let sequenceLimit: UInt64 = (1 << 56) - (1 << 32)

    /// The smallest sequence number that the next batch may have.
    private var next: UInt64
    /// The newest known write in the tables.
    private let newestInTables: UInt64

    /// - Parameter newestInTables: the newest known write in the tables; 0 if there is none.
    package init(after newestInTables: UInt64 = 0) {
        self.newestInTables = newestInTables
        next = newestInTables == 0 ? 0 : newestInTables + 1
    }

    /// The largest number that a write in the tables can have: the last one of the manifest, or the one before the logs.
    ///
    /// - Parameters:
    ///   - lastSequence: the number of the last write that the manifest knows.
    ///   - logs: the logs with writes that are not in tables. Unreadable records are skipped.
    package static func tableLimit(_ lastSequence: UInt64, before logs: [OpenFile]) -> UInt64 {
        logs.reduce(lastSequence) { limit, log in
            let first = try? firstSequence(in: log)
            return first.map { min(limit, max($0, 1) - 1) } ?? limit
        }
    }

    /// Returns the number of the first operation in a log; `nil` if it has none.
    private static func firstSequence(in log: OpenFile) throws(SystemError) -> UInt64? {
        try log.seek(to: 0)
        var reader = RecordReader(log, holding: .batches)
        while let item = try reader.next() {
            guard case .record(let record) = item, record.count >= headerByteCount,
                BatchRecord.statedCount(of: record) > 0
            else { continue }
            return unsafe record.withUnsafeBytes { unsafe UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        }
        return nil
    }

    /// Checks the next batch.
    ///
    /// - Parameter record: a record of a log.
    /// - Returns: the problem, as a clause, or `nil` if the batch is consecutive, or too short to be a batch.
    package mutating func enter(_ record: [UInt8]) -> String? {
        guard record.count >= Self.headerByteCount else { return nil }
        let problem = unsafe record.withUnsafeBytes { unsafe enter(headerAt: $0.baseAddress!) }
        guard problem == nil else { return problem }
        next += UInt64(max(0, BatchRecord.operationCount(of: record) - Int(BatchRecord.statedCount(of: record))))
        return nil
    }

    private static let headerByteCount = 12

    private mutating func enter(headerAt start: UnsafeRawPointer) -> String? {
        let sequence = unsafe UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
        let count = unsafe UInt64(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        // Of an empty batch with the number 0, LevelDB takes the largest number for the last one.
        guard sequence < Self.sequenceLimit, count <= Self.sequenceLimit - sequence, sequence + count > 0 else {
            return "it contains a write with the sequence number \(sequence), which LevelDB cannot have assigned"
        }
        guard sequence >= next else {
            if sequence <= newestInTables {
                return
                    "write \(sequence) is not newer than write \(newestInTables) of the tables, as if the log came from "
                    + "another database"
            }
            return "write \(sequence) comes after write \(next - 1), as if a part of the log were duplicated"
        }
        next = sequence + count
        return nil
    }

    /// Checks the batches of a log.
    ///
    /// - Parameter toleratesDamage: whether to ignore corruption that LevelDB ignores.
    /// - Returns: the problem, or `nil` if none was found, or only corruption that LevelDB detects itself.
    /// - Complexity: O(n) in the size of the log. Checksums are computed only after an apparent problem, or if corruption
    ///   is tolerated.
    package mutating func enter(
        _ log: OpenFile, toleratesDamage: Bool = false
    ) throws(SystemError) -> RecordReader.Damage? {
        // LevelDB stops at a batch with a false number of operations, unless it ignores corruption.
        if !toleratesDamage {
            let before = self
            if try enterUnchecked(log) { return nil }
            // The apparent problem may be in corrupt bytes that LevelDB skips, so the log is read again in the way
            // LevelDB reads it.
            self = before
            try log.seek(to: 0)
        }
        var reader = RecordReader(log, holding: .batches)
        var damage: RecordReader.Damage?
        while true {
            let start = reader.endOffset
            switch try reader.next() {
            case nil: return nil
            case .damage(let found): damage = damage ?? found
            case .record(let record):
                // LevelDB stops at some corruption silently, as if the log ended there.
                if let damage, !toleratesDamage { return damage }
                if let reason = enter(record) {
                    return RecordReader.Damage(offset: start, byteCount: UInt64(record.count), reason: reason)
                }
            }
        }
    }

    /// Checks the batches of a log, except for corruption that LevelDB finds itself.
    ///
    /// - Throws: ``FileError``: `missing`, `unreadable`.
    mutating func fault(ofLogAt path: String) throws(FileError) -> FileError? {
        do throws(SystemError) {
            return try enter(OpenFile(reading: path), toleratesDamage: true).map {
                FileError(.damaged, file: path.lastPathComponent, offset: $0.offset, reason: $0.reason)
            }
        } catch {
            throw FileError(error, file: path.lastPathComponent)
        }
    }

    /// Checks the batches of a log without verifying checksums. Covers at least all batches that LevelDB would read.
    ///
    /// - Returns: whether all batches were understood and are consecutive.
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
        /// All of it was understood; the rest of the block is zeros.
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
                // LevelDB reports this only within a complete block.
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
