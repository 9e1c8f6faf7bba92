internal import Foundation
package import LevelFiles

/// Changes blocks of a table and gives them checksums that fit.
package struct BlockForgery {
    private let path: String

    /// The file of the table.
    package init(_ path: String) { self.path = path }

    /// Changes the stored bytes of a block, whose length stays.
    package func replace(_ handle: BlockHandle, type: UInt8? = nil, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = try TestFiles.bytes(of: path)
        let start = Int(handle.offset)
        let end = start + Int(handle.byteCount)
        var block = Array(bytes[start..<end])
        body(&block)
        bytes.replaceSubrange(start..<end, with: block)
        if let type { bytes[end] = type }
        let checksum = CRC32C.masked(CRC32C.checksum(of: bytes[start...end]))
        for index in 0..<4 { bytes[end + 1 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
        // In place: the permissions are part of what is tested.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }
}
