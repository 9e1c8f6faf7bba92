import Foundation
import LevelFiles
import LevelKit

/// Changes blocks of tables as somebody would who wants to end the process that reads them: their checksums match.
enum TableForgery: String, CaseIterable, Sendable {
    case shortKeyInIndex, shortKeyInData, lengthsThatOverflow, restartWithinKey, snappyOfFourGibibytes, handleBeyondFile

    /// Forges a block of the largest table of a database.
    ///
    /// - Parameter position: which data block, where it is one.
    func apply(to database: String, block position: Int = 0) throws {
        let path = try largestTable(in: database)
        let table = try Table(at: path)
        let index = try table.index()
        let data = index[min(position, index.count - 1)].handle
        switch self {
        case .shortKeyInIndex: try Self.replace(table.footer.index, in: path, body: Self.shortenKey)
        case .shortKeyInData: try Self.replace(data, in: path, body: Self.shortenKey)
        case .lengthsThatOverflow:
            try Self.replace(data, in: path) { $0.replaceSubrange(0..<7, with: [0, 0xff, 0xff, 0xff, 0xff, 0x0f, 2]) }
        case .restartWithinKey:
            // Behind the entries stand the restarts, the first of them zero, and their count.
            try Self.replace(data, in: path) { block in
                let count = Int(block[block.count - 4])
                block[block.count - 4 - 4 * count] = 3
            }
        case .snappyOfFourGibibytes:
            try Self.replace(data, in: path, type: 1) {
                $0.replaceSubrange(0..<5, with: [0xff, 0xff, 0xff, 0xff, 0x0f])
            }
        case .handleBeyondFile:
            try Self.replace(table.footer.index, in: path) { block in
                // All of the first key but eight bytes becomes a part of the value: offset 0, and a length of 35 bits.
                let cut = block[1] - 8
                block[1] -= cut
                block[2] += cut
                block.replaceSubrange(11..<17, with: [0, 0xff, 0xff, 0xff, 0xff, 0x7f])
            }
        }
    }

    /// Gives a block another compression.
    static func setCompression(_ type: UInt8, ofBlock position: Int, in database: String) throws {
        let path = try largestTable(in: database)
        let handle = try Table(at: path).index()[position].handle
        try replace(handle, in: path, type: type) { _ in }
    }

    private func largestTable(in database: String) throws -> String { try Self.largestTable(in: database) }

    private static func largestTable(in database: String) throws -> String {
        let tables = try files(ofKind: "ldb", in: database)
        return try tables.max { try content(of: $0).count < content(of: $1).count }!
    }

    /// Cuts the first key short; what is cut off becomes a part of the value.
    private static func shortenKey(_ block: inout [UInt8]) {
        let cut = block[1] - 4
        block[1] = 4
        block[2] += cut
    }

    private static func replace(
        _ handle: BlockHandle, in path: String, type: UInt8? = nil, body: (inout [UInt8]) -> Void
    ) throws {
        var bytes = try content(of: path)
        let start = Int(handle.offset)
        let end = start + Int(handle.byteCount)
        var block = Array(bytes[start..<end])
        body(&block)
        bytes.replaceSubrange(start..<end, with: block)
        if let type { bytes[end] = type }
        let checksum = CRC32C.masked(CRC32C.checksum(of: bytes[start...end]))
        for index in 0..<4 { bytes[end + 1 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
        // In place: the permissions are part of what is tested.
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }
}

/// Changes manifests.
enum ManifestForgery {
    /// Puts another version in the place of that of a database.
    static func rewrite(_ database: String, _ body: (inout VersionEdit) -> Void) throws {
        let name = try Manifest(ofDatabaseAt: database).name
        var edit = VersionEdit(try ManifestFile(at: database + "/" + name).version)
        body(&edit)
        var writer = RecordWriter()
        writer.append(edit.encoded)
        try write(writer.bytes, to: database + "/" + name)
    }
}
