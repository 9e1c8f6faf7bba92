/// A manifest file as a list of edits: the history of the database's tables.
package struct ManifestFile: Sendable {
    /// An edit and its position.
    package struct Entry: Hashable, Sendable {
        /// The byte offset of the end of the edit.
        package let endOffset: UInt64
        /// The edit.
        package let edit: VersionEdit
    }

    /// The name of the file.
    package let name: String
    /// The edits, oldest first.
    package private(set) var entries: [Entry] = []
    /// The faults of unreadable records.
    package private(set) var faults: [FileError] = []

    /// Reads a whole file. Corruption is recorded alongside the readable edits, and not thrown.
    ///
    /// - Throws: ``FileError``: `missing`, `unreadable`; `damaged` for a file longer than any manifest.
    package init(at path: String) throws(FileError) {
        name = path.lastPathComponent
        let file: OpenFile
        let byteCount: UInt64
        do throws(SystemError) {
            file = try OpenFile(reading: path, followsLink: false)
            byteCount = try file.status().byteCount
        } catch {
            throw FileError(error, file: name)
        }
        guard byteCount <= EngineFileName.manifestByteLimit else {
            throw FileError(.damaged, file: name, reason: "it has \(byteCount) bytes, more than a manifest can have")
        }
        do throws(SystemError) {
            var reader = RecordReader(file, holding: .edits)
            while let item = try reader.next() {
                switch item {
                case .damage(let damage):
                    faults.append(
                        FileError(.damaged, file: name, offset: damage.offset, reason: damage.reason))
                case .record(let record):
                    do throws(FormatError) {
                        entries.append(Entry(endOffset: reader.endOffset, edit: try VersionEdit(decoding: record)))
                    } catch {
                        faults.append(
                            FileError(
                                .damaged, file: name, offset: reader.endOffset,
                                reason: "the record that ends here is invalid: \(error.reason)"))
                    }
                }
            }
        } catch {
            throw FileError(error, file: path.lastPathComponent)
        }
    }

    /// The state after all edits.
    package var version: Version {
        var version = Version()
        for entry in entries { version.apply(entry.edit) }
        return version
    }
}
