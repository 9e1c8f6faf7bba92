internal import DocIndex

/// The package that is being written, with the list of its files so far.
struct PackageFile {
    private var zip: ZipWriter
    private(set) var entries: [PackageManifest.Entry] = []

    init(_ sink: @escaping ([UInt8]) throws -> Void) { zip = ZipWriter(sink) }

    var byteCount: UInt64 { zip.byteCount }

    /// Adds a file in memory.
    mutating func add(_ name: EntryName, _ content: [UInt8]) throws {
        var sum = ContentSum()
        sum.add(content)
        try add(name, content, sum)
    }

    /// Adds a file in memory whose sums are known.
    mutating func add(_ name: EntryName, _ content: [UInt8], _ sum: ContentSum) throws {
        try list(name, sum.byteCount, sum.digest)
        try zip.begin(name.path, checksum: sum.crc, byteCount: sum.byteCount)
        try zip.append(content)
    }

    /// Adds a file by reading it twice: first for the sums in front of it, then for its content.
    mutating func add(_ name: EntryName, reading read: (([UInt8]) throws -> Void) throws -> Void) throws {
        var expected = ContentSum()
        try read { expected.add($0) }
        try list(name, expected.byteCount, expected.digest)
        try zip.begin(name.path, checksum: expected.crc, byteCount: expected.byteCount)
        var sum = ContentSum()
        try read { part in
            sum.add(part)
            try zip.append(part)
        }
        guard sum.byteCount == expected.byteCount, sum.digest == expected.digest else { throw Self.changed(name) }
    }

    /// The maximum size of an original that is held in memory, in bytes.
    private static let memoryLimit = 8 << 20

    /// Adds an original. It is read once if it fits into memory, and otherwise twice, because its checksum comes before
    /// it.
    ///
    /// - Parameter read: passes the content in parts, and throws if it does not have the digest.
    mutating func add(_ original: Attachment, reading read: (([UInt8]) throws -> Void) throws -> Void) throws {
        let name = EntryName.blob(original.digest)
        let isHeld = original.byteCount <= Self.memoryLimit
        var content: [UInt8] = []
        if isHeld { content.reserveCapacity(Int(original.byteCount)) }
        var (expected, byteCount) = (CRC32(), UInt64(0))
        try read { part in
            expected.update(part)
            byteCount += UInt64(part.count)
            if isHeld { content += part }
        }
        try list(name, byteCount, original.digest)
        try zip.begin(name.path, checksum: expected.value, byteCount: byteCount)
        if isHeld { return try zip.append(content) }
        var checksum = CRC32()
        try read { part in
            checksum.update(part)
            try zip.append(part)
        }
        guard checksum.value == expected.value else { throw Self.changed(name) }
    }

    private static func changed(_ name: EntryName) -> PackageError {
        PackageError(
            .packageDamaged,
            "\(name.path) changed while it was packed; pack again, from a snapshot if documents are being written")
    }

    private mutating func list(_ name: EntryName, _ byteCount: UInt64, _ digest: Attachment.Digest?) throws {
        guard let digest, UInt64(entries.count) + 2 < ZipDirectory.maximumEntryCount else {
            throw PackageError(
                .packageTooLarge,
                "a package has at most \(ZipDirectory.maximumEntryCount) files; pack fewer documents or renditions")
        }
        entries.append(PackageManifest.Entry(name: name.path, byteCount: byteCount, digest: digest))
    }

    /// Adds the description, which completes the package.
    mutating func finish(_ manifest: PackageManifest) throws {
        var manifest = manifest
        manifest.entries = entries
        let text = manifest.json
        guard UInt64(text.count) <= PackageManifest.maximumByteCount else {
            throw PackageError(
                .packageTooLarge,
                "the list of the files takes \(text.count) bytes, and \(PackageManifest.maximumByteCount) is the "
                    + "maximum; pack fewer documents or renditions")
        }
        try zip.write(text, named: EntryName.manifest.path)
        try zip.finish()
    }
}
