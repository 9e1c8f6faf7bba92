internal import LevelFiles

/// The logs of a database, one after the other: do the writes in them follow one another?
///
/// Each record of a log is a batch that begins with the sequence number of its first operation (8 bytes) and the number
/// of its operations (4 bytes); the next batch begins where it ends (`db/write_batch.cc`). So a log that is missing in
/// the middle shows.
struct LogSequence {
    /// The sequence number of the last operation; `nil` while no log has one.
    private(set) var lastSequence: UInt64?
    /// Bytes in all logs.
    private(set) var byteCount: UInt64 = 0
    private var lastLog: UInt64?

    /// Adds the next log.
    ///
    /// - Returns: what does not fit, as a clause; `nil` if all is well.
    mutating func append(_ file: OpenFile, number: UInt64) throws(SystemError) -> String? {
        byteCount += try file.status().byteCount
        var reader = RecordReader(file, holding: .batches)
        var isFirst = true
        while let item = try reader.next() {
            // Damage within a log is for the one who opens the copy to find: the source has it as well.
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
