internal import DocIndex

/// The size, the CRC-32 and the SHA-256 of a file of the package.
struct ContentSum {
    private var checksum = CRC32()
    private var hash = SHA256Hash()
    private(set) var byteCount: UInt64 = 0

    var crc: UInt32 { checksum.value }
    var digest: Attachment.Digest? { Attachment.Digest(hash.digest.span) }

    mutating func add(_ part: [UInt8]) {
        checksum.update(part)
        unsafe part.withUnsafeBytes { unsafe hash.update($0) }
        byteCount += UInt64(part.count)
    }
}
