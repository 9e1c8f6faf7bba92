internal import LevelKit

/// An attachment of which a part has arrived. It is kept in a file when its reception, or the process, ends, and can be
/// continued later.
///
/// After a power failure, the part may be wrong. Whoever continues it checks the digest of the whole.
package struct PartialContent: Sendable {
    let file: NewContentFile
    /// The number of bytes that have arrived.
    package private(set) var byteCount: Int64

    /// The number of bytes that are read at once.
    private static let pieceByteCount = 256 << 10

    /// Returns the part that an earlier reception has left, or an empty one.
    ///
    /// - Parameters:
    ///   - key: the name by which it is found again: a part of a file name.
    ///   - byteCount: the size of the whole content. At least its last byte is received again.
    /// - Returns: `nil` if it is being received by another task.
    /// - Throws: `LevelError` with `io` or `readOnly`.
    package init?(_ key: String, of store: DocumentStore, byteCount: Int64) throws {
        if let refusal = store.database.refusal { throw refusal }
        guard let file = try store.files.continuedFile(key, limit: UInt64(max(0, byteCount - 1))) else { return nil }
        self.file = file
        self.byteCount = Int64(clamping: try file.byteCount())
    }

    /// Returns the bytes at an offset; an empty array at the end.
    package func piece(at offset: Int64) async throws -> [UInt8] {
        let count = Int(clamping: min(Int64(Self.pieceByteCount), byteCount - offset))
        return try await BlockingExecutor.reads.run { try file.read(at: UInt64(offset), byteCount: count) }
    }

    /// Deletes the part. The content is received from the beginning.
    package mutating func clear() throws {
        try file.clear()
        byteCount = 0
    }

    /// Deletes the file.
    package func discard() { file.discard() }
}
