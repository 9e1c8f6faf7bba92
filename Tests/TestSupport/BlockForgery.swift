internal import Foundation
package import LevelFiles

/// Modifies blocks of a table file and updates their checksums.
package struct BlockForgery {
    private let path: String

    /// Creates a forgery for the table file at a path.
    package init(_ path: String) { self.path = path }

    /// Modifies the stored bytes of a block without changing its length.
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
        // In place, because tests check the file permissions.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }
}
