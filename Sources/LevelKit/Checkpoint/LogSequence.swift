internal import LevelFiles

/// Checks that the writes in consecutive logs of a database have consecutive sequence numbers.
///
/// Each record of a log is a batch. It starts with the sequence number of its first operation (8 bytes) and the number
/// of operations (4 bytes). The next batch continues with the next sequence number (`db/write_batch.cc`). A missing log
/// in the middle is therefore detected.
struct LogSequence {
    /// The sequence number of the last operation, or `nil` before the first one.
    private(set) var lastSequence: UInt64?
    /// The size of all logs in bytes.
    private(set) var byteCount: UInt64 = 0
    private var lastLog: UInt64?

    /// Adds the next log.
    ///
    /// - Returns: the inconsistency, as a clause, or `nil` if there is none.
    mutating func append(_ file: OpenFile, number: UInt64) throws(SystemError) -> String? {
        byteCount += try file.status().byteCount
        var reader = RecordReader(file, holding: .batches)
        var isFirst = true
        while let item = try reader.next() {
            // Corruption within a log is also in the source. It is detected when the copy is opened.
            guard case .record(let record) = item, record.count >= 12 else { continue }
            let sequence = Self.littleEndian(record[0..<8])
            let count = Self.littleEndian(record[8..<12])
            if isFirst, let lastSequence, let lastLog, sequence != lastSequence &+ 1 {
                return "writes are missing between log \(lastLog) and log \(number)"
            }
            isFirst = false
            lastSequence = sequence &+ count &- 1
        }
        lastLog = number
        return nil
    }

    private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
