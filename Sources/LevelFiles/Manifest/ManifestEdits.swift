/// The edits of a manifest file, oldest first, read one at a time: the history of the database's tables.
package struct ManifestEdits {
    /// The next item in a manifest.
    package enum Item: Sendable {
        /// An edit, and the byte offset of the end of its record.
        case edit(VersionEdit, endOffset: UInt64)
        /// A record that is not an edit.
        case damage(FileError)
    }

    /// The name of the file.
    package let name: String
    private var reader: RecordReader

    /// Opens a manifest.
    ///
    /// - Throws: ``FileError``: `missing`, `unreadable`; `damaged` for a file longer than any manifest.
    package init(at path: String) throws(FileError) {
        name = path.lastPathComponent
        let byteCount: UInt64
        do throws(SystemError) {
            let file = try OpenFile(reading: path, followsLink: false)
            byteCount = try file.status().byteCount
            reader = RecordReader(file, holding: .edits)
        } catch {
            throw FileError(error, file: path.lastPathComponent)
        }
        guard byteCount <= EngineFileName.manifestByteLimit else {
            throw FileError(.damaged, file: name, reason: "it has \(byteCount) bytes, more than a manifest can have")
        }
    }

    /// Returns the next edit or corruption, or `nil` at the end.
    ///
    /// - Throws: ``FileError`` with `unreadable`.
    package mutating func next() throws(FileError) -> Item? {
        let item: RecordReader.Item?
        do throws(SystemError) { item = try reader.next() } catch { throw FileError(error, file: name) }
        switch item {
        case nil: return nil
        case .damage(let damage):
            return .damage(FileError(.damaged, file: name, offset: damage.offset, reason: damage.reason))
        case .record(let record):
            do throws(FormatError) {
                return .edit(try VersionEdit(decoding: record), endOffset: reader.endOffset)
            } catch {
                return .damage(
                    FileError(
                        .damaged, file: name, offset: reader.endOffset,
                        reason: "the record that ends here is invalid: \(error.reason)"))
            }
        }
    }
}
