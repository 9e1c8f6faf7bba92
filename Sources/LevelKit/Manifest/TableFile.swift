internal import LevelFiles

/// What can be told of a table file without reading its blocks.
enum TableFile {
    /// The last eight bytes of every table (`table/format.h`, `kTableMagicNumber`), the lowest first.
    private static let magic: [UInt8] = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]
    /// The handles of the index and of the index of filters, padded, and the magic.
    private static let footerByteCount: UInt64 = 48

    /// What the end of a file says.
    enum Footer {
        /// It is that of a table.
        case sound
        /// It is no footer; LevelDB says so as well.
        case foreign
        /// It names blocks beyond the file. There is no checksum, and LevelDB takes the memory that is asked for before
        /// it looks whether the file is that long: a process without so much memory ends there.
        case forged
    }

    /// Whether a file ends as a table does.
    static func isTable(_ path: String) -> Bool {
        do throws(SystemError) {
            let file = try OpenFile(reading: path)
            return try footer(of: file, byteCount: try file.status().byteCount) == .sound
        } catch {
            return false
        }
    }

    /// Whether opening a table could end the process.
    static func isForged(_ table: Manifest.Table, in directory: DatabaseDirectory) -> Bool {
        for name in names(of: table) {
            guard let file = try? OpenFile(reading: directory.file(name)) else { continue }
            // LevelDB looks where the manifest says that the file ends.
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

    /// Behind each block: how it is compressed, and a checksum.
    private static let blockTrailerByteCount: UInt64 = 5

    /// What is wrong with the file of a table, as a sentence; `nil` if nothing is.
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
                return "the file of table \(table.number) has \(byteCount) bytes in place of \(table.byteCount)"
            }
            return try footer(of: file, byteCount: byteCount) == .sound
                ? nil : "the file of table \(table.number) does not end as a table does"
        } catch {
            return "the file of table \(table.number) cannot be read: \(error.text)"
        }
    }
}
