internal import LevelFiles

/// The table files of a database under repair that would make LevelDB abort the process.
///
/// LevelDB's repair reads every table file in the directory, even those that no manifest names. The files have been
/// backed up before.
struct ForgedTables {
    let directory: DatabaseDirectory
    let scope: RepairScope
    /// Whether keys are ordered bytewise.
    let isBytewise: Bool

    /// Makes all table files safe to read.
    ///
    /// A table file with an invalid footer, index or metaindex block is moved to `lost`, where LevelDB also moves
    /// unreadable table files. An invalid data block gets a wrong checksum, so that LevelDB drops only this block.
    ///
    /// - Returns: the number of lost bytes. Unfinished table files are not counted.
    /// - Complexity: O(n) in the bytes of the tables.
    func disarm() throws(LevelError) -> UInt64 {
        var dropped: UInt64 = 0
        for name in try directory.names() {
            guard case .table(let number) = EngineFileName(name) else { continue }
            do throws(SystemError) {
                if let blocks = try hazardousBlocks(of: name) {
                    for block in blocks { dropped &+= block.byteCount }
                    if !blocks.isEmpty { try spoil(blocks, of: name, by: directory.file("\(number).dbtmp")) }
                } else {
                    let byteCount = try archive(name)
                    if !scope.isUnlisted(number) { dropped &+= byteCount }
                }
            } catch {
                throw error.levelError("move \(directory.file(name)) away")
            }
        }
        return dropped
    }

    /// Returns the blocks that LevelDB must not read, or `nil` if LevelDB must not read any of the table.
    private func hazardousBlocks(of name: String) throws(SystemError) -> [BlockHandle]? {
        guard TableFile.isTable(directory.file(name)) else { return nil }
        // LevelDB detects other corruption in a table itself.
        do throws(FileError) {
            return try Table(at: directory.file(name)).hazardousBlocks(isBytewise: isBytewise)
        } catch {
            return []
        }
    }

    private func archive(_ name: String) throws(SystemError) -> UInt64 {
        let byteCount = try OpenFile(reading: directory.file(name)).status().byteCount
        let lost = directory.file("lost")
        if !FileOperations.exists(lost) { try FileOperations.makeDirectory(lost, permissions: 0o755) }
        try FileOperations.rename(directory.file(name), replacing: lost + "/" + name)
        return byteCount
    }

    /// Replaces a table file by a modified copy, because other databases may share the file through hard links.
    private func spoil(_ blocks: [BlockHandle], of name: String, by temporary: String) throws(SystemError) {
        let source = try OpenFile(reading: directory.file(name))
        var bytes = try source.readToEnd()
        for block in blocks {
            // The checksum follows the compression byte after the block.
            let checksum = Int(block.offset) + Int(block.byteCount) + 1
            for index in checksum..<checksum + 4 { bytes[index] = ~bytes[index] }
        }
        try? FileOperations.remove(temporary)
        let file = try OpenFile(creating: temporary, permissions: source.status().permissions | 0o600)
        try file.write(bytes)
        try file.synchronize()
        try FileOperations.rename(temporary, replacing: directory.file(name))
    }
}
