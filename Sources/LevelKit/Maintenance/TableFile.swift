/// What can be told of a table file without reading its blocks.
enum TableFile {
    /// The last eight bytes of every table (`table/format.h`, `kTableMagicNumber`), the lowest first.
    private static let magic: [UInt8] = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]
    /// The handles of the index and of the index of filters, padded, and the magic.
    private static let footerByteCount: UInt64 = 48

    /// Whether a file ends as a table does.
    static func isTable(_ path: String) -> Bool {
        do throws(SystemError) {
            let file = try OpenFile(reading: path)
            return try isTable(file, byteCount: try file.status().byteCount)
        } catch {
            return false
        }
    }

    private static func isTable(_ file: OpenFile, byteCount: UInt64) throws(SystemError) -> Bool {
        guard byteCount >= footerByteCount else { return false }
        try file.seek(to: byteCount - UInt64(magic.count))
        return try file.read(upTo: magic.count) == magic
    }

    /// What is wrong with the file of a table, as a sentence; `nil` if nothing is.
    static func problem(
        with table: Manifest.Table, in directory: DatabaseDirectory
    ) throws(LevelError) -> String? {
        var file: OpenFile?
        for name in [EngineFileName.table(named: table.number), EngineFileName.oldTable(named: table.number)] {
            guard file == nil else { break }
            do throws(SystemError) {
                file = try OpenFile(reading: directory.file(name))
            } catch let error where error.isMissingFile {
                continue
            } catch {
                return "the file of table \(table.number) cannot be opened: \(error.text)"
            }
        }
        guard let file else { return "the file of table \(table.number) is missing" }
        do throws(SystemError) {
            let byteCount = try file.status().byteCount
            guard byteCount == table.byteCount else {
                return "the file of table \(table.number) has \(byteCount) bytes in place of \(table.byteCount)"
            }
            let isTable = try isTable(file, byteCount: byteCount)
            return isTable ? nil : "the file of table \(table.number) does not end as a table does"
        } catch {
            return "the file of table \(table.number) cannot be read: \(error.text)"
        }
    }
}
