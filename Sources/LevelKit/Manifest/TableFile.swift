internal import LevelFiles

/// Checks of a table file that do not read its blocks.
enum TableFile {
    /// The last eight bytes of every table file (`table/format.h`, `kTableMagicNumber`), little-endian.
    private static let magic: [UInt8] = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]
    /// The size of the footer: the padded handles of the index and metaindex blocks, and the magic number.
    private static let footerByteCount: UInt64 = 48

    /// The kind of a file's last bytes.
    enum Footer {
        /// A valid table footer.
        case sound
        /// Not a footer. LevelDB reports this itself.
        case foreign
        /// A footer that names blocks beyond the end of the file. The footer has no checksum, and LevelDB allocates the
        /// requested memory before it compares it with the file size, which ends a process that has too little memory.
        case forged
    }

    /// Returns whether a file ends with a table footer.
    static func isTable(_ path: String) -> Bool {
        do throws(SystemError) {
            let file = try OpenFile(reading: path)
            return try footer(of: file, byteCount: try file.status().byteCount) == .sound
        } catch {
            return false
        }
    }

    /// Returns whether opening a table could end the process.
    static func isForged(_ table: Manifest.Table, in directory: DatabaseDirectory) -> Bool {
        for name in names(of: table) {
            guard let file = try? OpenFile(reading: directory.file(name)) else { continue }
            // LevelDB expects the footer at the file size in the manifest.
            return (try? footer(of: file, byteCount: table.byteCount)) == .forged
        }
        return false
    }

    private static func names(of table: Manifest.Table) -> [String] {
        [EngineFileName.table(named: table.number), EngineFileName.oldTable(named: table.number)]
    }

    private static func footer(of file: OpenFile, byteCount: UInt64) throws(SystemError) -> Footer {
        guard byteCount >= footerByteCount else { return .foreign }
        let blocksEnd = byteCount - footerByteCount
        try file.seek(to: blocksEnd)
        let footer = try file.read(upTo: Int(footerByteCount))
        guard footer.count == Int(footerByteCount), footer.suffix(magic.count).elementsEqual(magic) else {
            return .foreign
        }
        var reader = FieldReader(Array(footer.dropLast(magic.count)))
        for _ in ["metaindex", "index"] {
            guard let offset = try? reader.readVarint64(), let size = try? reader.readVarint64(),
                offset <= blocksEnd, size <= blocksEnd - offset, blocksEnd - offset - size >= blockTrailerByteCount
            else { return .forged }
        }
        return .sound
    }

    /// The compression byte and the checksum after each block.
    private static let blockTrailerByteCount: UInt64 = 5

    /// Returns the problem with the file of a table, as a sentence, or `nil` if it has none.
    static func problem(
        with table: Manifest.Table, in directory: DatabaseDirectory
    ) throws(LevelError) -> String? {
        var file: OpenFile?
        for name in names(of: table) {
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
                return "the file of table \(table.number) has \(byteCount) bytes instead of \(table.byteCount)"
            }
            return try footer(of: file, byteCount: byteCount) == .sound
                ? nil : "the file of table \(table.number) does not end with a table footer"
        } catch {
            return "the file of table \(table.number) cannot be read: \(error.text)"
        }
    }
}
