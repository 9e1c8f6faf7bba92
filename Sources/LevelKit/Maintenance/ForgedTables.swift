internal import LevelFiles

/// The table files of a database under repair that would make LevelDB abort the process, or that it would give up.
///
/// LevelDB's repair reads every table file in the directory, even those that no manifest names. Of a table whose index is
/// unreadable it saves nothing. The files have been backed up before.
struct ForgedTables {
    let directory: DatabaseDirectory
    let scope: RepairScope
    let order: KeyOrder

    /// Makes all table files safe to read.
    ///
    /// A table file with an invalid footer, index or metaindex block is moved to `lost`, where LevelDB also moves
    /// unreadable table files. If intact data blocks are at its beginning, a table of these replaces it; see
    /// ``TableRemains``. An invalid data block gets a wrong checksum, so that LevelDB drops only this block.
    ///
    /// - Returns: the number of lost bytes. Unfinished table files are not counted.
    /// - Complexity: O(n) in the bytes of the tables.
    func disarm() throws(LevelError) -> UInt64 {
        var dropped: UInt64 = 0
        for name in try directory.names() {
            guard case .table(let number) = EngineFileName(name) else { continue }
            do throws(SystemError) {
                let isUnlisted = scope.isUnlisted(number)
                if !isUnlisted, let saved = try savedTable(name) {
                    let byteCount = try archive(name)
                    dropped &+= byteCount - min(byteCount, saved.endOffset)
                    try write(saved.bytes, like: directory.file("lost") + "/" + name, to: name, by: number)
                } else if let blocks = try hazardousBlocks(of: name) {
                    for block in blocks { dropped &+= block.byteCount }
                    if !blocks.isEmpty { try spoil(blocks, of: name, by: number) }
                } else {
                    let byteCount = try archive(name)
                    if !isUnlisted { dropped &+= byteCount }
                }
            } catch {
                throw error.levelError("move \(directory.file(name)) away")
            }
        }
        return dropped
    }

    /// Returns a table of the intact blocks at the beginning of a table whose index is unreadable, and where they end.
    private func savedTable(_ name: String) throws(SystemError) -> (bytes: [UInt8], endOffset: UInt64)? {
        do throws(FileError) {
            let remains = try TableRemains(ofTableAt: directory.file(name)) { order.compare($0.span, $1.span) }
            guard let remains else { return nil }
            return (try remains.completeTable(), remains.endOffset)
        } catch {
            // The caller treats the table as one of which nothing is readable.
            return nil
        }
    }

    /// Returns the blocks that LevelDB must not read, or `nil` if LevelDB must not read any of the table.
    private func hazardousBlocks(of name: String) throws(SystemError) -> [BlockHandle]? {
        guard TableFile.isTable(directory.file(name)) else { return nil }
        // LevelDB detects other corruption in a table itself.
        do throws(FileError) {
            // LevelDB cannot write after larger numbers.
            return try Table(at: directory.file(name)).hazardousBlocks(
                isBytewise: order == .bytewise, upTo: BatchOrder.sequenceLimit - 1)
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
    private func spoil(_ blocks: [BlockHandle], of name: String, by number: UInt64) throws(SystemError) {
        let source = try OpenFile(reading: directory.file(name))
        var bytes = try source.readToEnd()
        for block in blocks {
            // The checksum follows the compression byte after the block.
            let checksum = Int(block.offset) + Int(block.byteCount) + 1
            for index in checksum..<checksum + 4 { bytes[index] = ~bytes[index] }
        }
        try write(bytes, like: directory.file(name), to: name, by: number)
    }

    /// Writes a table file in one step, with the permissions of another file.
    private func write(_ bytes: [UInt8], like other: String, to name: String, by number: UInt64) throws(SystemError) {
        let permissions = try OpenFile(reading: other).status().permissions
        let temporary = directory.file("\(number).dbtmp")
        try? FileOperations.remove(temporary)
        let file = try OpenFile(creating: temporary, permissions: permissions | 0o600)
        try file.write(bytes)
        try file.synchronize()
        try FileOperations.rename(temporary, replacing: directory.file(name))
    }
}
