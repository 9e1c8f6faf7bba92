/// A log of writes that are not in a table yet: batches, oldest first.
///
/// Reads without a lock. A write in progress counts as the end.
package struct WriteLog {
    /// The next item in a log.
    package enum Item: Hashable, Sendable {
        /// A batch, and the byte offset of the end of its record.
        case batch(BatchRecord, endOffset: UInt64)
        /// Bytes that are not a batch.
        case damage(FileError, byteCount: UInt64)
    }

    /// The name of the file.
    package let name: String
    /// The size of the file in bytes when it was opened.
    package let byteCount: UInt64
    private var reader: RecordReader

    /// Opens a log.
    ///
    /// - Throws: ``FileError``: `missing`, `unreadable`.
    package init(at path: String) throws(FileError) {
        name = path.lastPathComponent
        do throws(SystemError) {
            let file = try OpenFile(reading: path)
            byteCount = try file.status().byteCount
            reader = RecordReader(file, holding: .batches)
        } catch {
            throw FileError(error, file: path.lastPathComponent)
        }
    }

    /// The end of the last batch read. Bytes after the last batch are an unfinished record, or zeros.
    package var endOffset: UInt64 { reader.endOffset }

    /// Returns the next batch or corruption, or `nil` at the end.
    ///
    /// - Throws: ``FileError`` with `unreadable`.
    package mutating func next() throws(FileError) -> Item? { try next { _ in true } }

    /// Like ``next()``, but skips batches that do not contain a key, without decoding them.
    package mutating func next(mentioning key: [UInt8]) throws(FileError) -> Item? {
        // As in a batch, where the length is before the key.
        let pattern = key.count < 0x80 ? [UInt8(key.count)] + key : key
        return try next { record in
            var start = record.startIndex
            while let index = record[start...].firstIndex(of: pattern[0]) {
                if record[index...].starts(with: pattern) { return true }
                start = index + 1
            }
            return false
        }
    }

    private mutating func next(where isWanted: ([UInt8]) -> Bool) throws(FileError) -> Item? {
        var start = reader.endOffset
        var item: RecordReader.Item?
        repeat {
            start = reader.endOffset
            do throws(SystemError) { item = try reader.next() } catch { throw FileError(error, file: name) }
            guard case .record(let record) = item, !isWanted(record) else { break }
        } while true
        switch item {
        case nil: return nil
        case .damage(let damage):
            return .damage(
                FileError(.damaged, file: name, offset: damage.offset, reason: damage.reason),
                byteCount: damage.byteCount)
        case .record(let record):
            do throws(FormatError) {
                return .batch(try BatchRecord(decoding: record), endOffset: reader.endOffset)
            } catch {
                return .damage(
                    FileError(.damaged, file: name, offset: start, reason: error.reason),
                    byteCount: UInt64(record.count))
            }
        }
    }
}
