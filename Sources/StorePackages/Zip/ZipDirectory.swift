internal import LevelKit

/// The entries of a zip file of the form that ``ZipWriter`` writes.
///
/// Every byte outside of the bytes of entries is checked: the directory and the records at the end must be those that
/// follow from the entries, and the entries must fill the file up to the directory, in order, without gaps and
/// overlaps. So nothing can hide in the file, and no two readers can see different entries.
struct ZipDirectory: Sendable {
    let entries: [ZipEntry]
    private let positions: [String: Int]

    /// Why a file is not such a zip file.
    struct FormatError: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The maximum number of entries, so that their memory has a limit.
    static let maximumEntryCount: UInt64 = 200_000
    /// The maximum size of the directory in bytes.
    static let maximumByteCount: UInt64 = 48 << 20

    /// Reads the directory and the local headers.
    ///
    /// - Throws: ``FormatError``; `LevelError` with `io`.
    init(_ file: ContentReader) throws {
        let endByteCount = min(file.byteCount, UInt64(ZipEnd.largeByteCount))
        let last = try file.read(at: file.byteCount - endByteCount, byteCount: Int(endByteCount))
        guard let end = ZipEnd(endOf: last) else {
            throw FormatError("it does not end with the directory of a zip file, so it is incomplete or was extended")
        }
        guard end.entryCount <= Self.maximumEntryCount, end.directoryByteCount <= Self.maximumByteCount else {
            throw FormatError(
                "it has \(end.entryCount) entries, or \(end.directoryByteCount) bytes about them, more than the limits "
                    + "of \(Self.maximumEntryCount) and \(Self.maximumByteCount)")
        }
        let (directoryEnd, overflow) = end.directoryOffset.addingReportingOverflow(end.directoryByteCount)
        guard !overflow, directoryEnd == file.byteCount - UInt64(end.bytes.count) else {
            throw FormatError("the size and the place of its directory do not agree with the size of the file")
        }
        let bytes = try file.read(at: end.directoryOffset, byteCount: Int(end.directoryByteCount))
        entries = try Self.entries(bytes, end)
        var positions: [String: Int] = [:]
        positions.reserveCapacity(entries.count)
        for (position, entry) in entries.enumerated() {
            guard positions.updateValue(position, forKey: entry.name) == nil else {
                throw FormatError("two entries have the name of entry \(position + 1)")
            }
        }
        self.positions = positions
        for (position, entry) in entries.enumerated() {
            let header = try file.read(at: entry.offset, byteCount: Int(entry.localHeaderByteCount))
            guard header == entry.localHeader else {
                throw FormatError("the two headers of entry \(position + 1) differ")
            }
        }
    }

    /// Reads the headers of the directory, which must be in the order of the entries.
    private static func entries(_ bytes: [UInt8], _ end: ZipEnd) throws -> [ZipEntry] {
        var entries: [ZipEntry] = []
        var position = 0
        var offset: UInt64 = 0
        while position < bytes.count {
            guard let entry = ZipEntry(central: bytes, at: &position) else {
                throw FormatError(
                    "entry \(entries.count + 1) in its directory is malformed, or not written by lkrepl pack")
            }
            guard entry.offset == offset, let next = entry.end, next <= end.directoryOffset else {
                throw FormatError("entry \(entries.count + 1) does not follow the one before")
            }
            offset = next
            entries.append(entry)
        }
        guard UInt64(entries.count) == end.entryCount, offset == end.directoryOffset, position == bytes.count else {
            throw FormatError("its entries do not fill the file")
        }
        return entries
    }

    /// Returns the entry with a name; `nil` if there is none.
    subscript(name: String) -> ZipEntry? { positions[name].map { entries[$0] } }
}
