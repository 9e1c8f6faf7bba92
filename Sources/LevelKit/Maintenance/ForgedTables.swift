internal import LevelFiles

/// The tables of a database that is being repaired of which LevelDB would abort the process.
///
/// LevelDB's repair reads every table in the directory, also those that no manifest names. A backup of the files exists.
struct ForgedTables {
    let directory: DatabaseDirectory
    /// Whether keys are ordered by their bytes.
    let isBytewise: Bool

    /// Makes all tables harmless.
    ///
    /// A table whose footer, index or index of filters is not sound is moved to `lost`, where LevelDB moves tables that it
    /// cannot read. A data block gets a checksum that does not match, so that LevelDB leaves out this block alone.
    ///
    /// - Returns: the bytes that are lost.
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
                    dropped &+= try archive(name)
                }
            } catch {
                throw error.levelError("move \(directory.file(name)) away")
            }
        }
        return dropped
    }

    /// The blocks that LevelDB must not read; `nil` if that is the whole table.
    private func hazardousBlocks(of name: String) throws(SystemError) -> [BlockHandle]? {
        guard TableFile.isTable(directory.file(name)) else { return nil }
        // What else is wrong with a table, LevelDB finds itself.
        do throws(FileFault) {
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

    /// Puts a copy in the place of a table: other databases may share its file by a link.
    private func spoil(_ blocks: [BlockHandle], of name: String, by temporary: String) throws(SystemError) {
        let source = try OpenFile(reading: directory.file(name))
        var bytes = try source.readToEnd()
        for block in blocks {
            // The checksum stands behind the byte that says how the block is compressed.
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
