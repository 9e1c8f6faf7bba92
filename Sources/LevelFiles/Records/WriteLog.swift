/// A log of writes that are in no table yet: batches, the oldest first.
///
/// Reads on without a lock; what a process is writing at the moment is the end.
package struct WriteLog {
    /// What comes next in a log.
    package enum Item: Hashable, Sendable {
        /// A batch, and where in the file its record ends.
        case batch(BatchRecord, endOffset: UInt64)
        /// Bytes that are no batch.
        case damage(FileFault, byteCount: UInt64)
    }

    /// The name of the file.
    package let name: String
    /// Bytes in the file when it was opened.
    package let byteCount: UInt64
    private var reader: RecordReader

    /// Opens a log.
    ///
    /// - Throws: ``FileFault``: `missing`, `unreadable`.
    package init(at path: String) throws(FileFault) {
        name = path.lastPathComponent
        do throws(SystemError) {
            let file = try OpenFile(reading: path)
            byteCount = try file.status().byteCount
            reader = RecordReader(file, holding: .batches)
        } catch {
            throw FileFault(error, file: path.lastPathComponent)
        }
    }

    /// Where the last batch ends that was read; bytes behind the last one are a record that was not written to its end, or
    /// zeros.
    package var endOffset: UInt64 { reader.endOffset }

    /// The next batch or damage; `nil` at the end.
    ///
    /// - Throws: ``FileFault`` with `unreadable`.
    package mutating func next() throws(FileFault) -> Item? {
        let start = reader.endOffset
        let item: RecordReader.Item?
        do throws(SystemError) { item = try reader.next() } catch { throw FileFault(error, file: name) }
        switch item {
        case nil: return nil
        case .damage(let damage):
            return .damage(
                FileFault(.damaged, file: name, offset: damage.offset, reason: damage.reason),
                byteCount: damage.byteCount)
        case .record(let record):
            do throws(FormatFault) {
                return .batch(try BatchRecord(decoding: record), endOffset: reader.endOffset)
            } catch {
                return .damage(
                    FileFault(.damaged, file: name, offset: start, reason: error.reason),
                    byteCount: UInt64(record.count))
            }
        }
    }
}
