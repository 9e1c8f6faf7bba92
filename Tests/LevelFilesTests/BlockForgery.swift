import LevelFiles
import TestSupport

/// Changes blocks of a table and gives them checksums that fit.
struct BlockForgery {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Changes the stored bytes of a block, whose length stays.
    func replace(_ handle: BlockHandle, type: UInt8? = nil, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = try TestFiles.bytes(of: path)
        let start = Int(handle.offset)
        let end = start + Int(handle.byteCount)
        var block = Array(bytes[start..<end])
        body(&block)
        bytes.replaceSubrange(start..<end, with: block)
        if let type { bytes[end] = type }
        let checksum = CRC32C.masked(CRC32C.checksum(of: bytes[start...end]))
        for index in 0..<4 { bytes[end + 1 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
        try TestFiles.write(bytes, to: path)
    }
}
