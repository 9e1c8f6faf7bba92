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
        try list(name, sum)
        try zip.begin(name.path, checksum: sum.crc, byteCount: sum.byteCount)
        try zip.append(content)
    }

    /// Adds a file by reading it twice: first for the sums in front of it, then for its content.
    mutating func add(_ name: EntryName, reading read: (([UInt8]) throws -> Void) throws -> Void) throws {
        var expected = ContentSum()
        try read { expected.add($0) }
        try list(name, expected)
        try zip.begin(name.path, checksum: expected.crc, byteCount: expected.byteCount)
        var sum = ContentSum()
        try read { part in
            sum.add(part)
            try zip.append(part)
        }
        guard sum.byteCount == expected.byteCount, sum.digest == expected.digest else {
            throw PackageError(
                .packageDamaged,
                "\(name.path) changed while it was packed; pack again, from a snapshot if documents are being written")
        }
    }

    private mutating func list(_ name: EntryName, _ sum: ContentSum) throws {
        guard let digest = sum.digest, UInt64(entries.count) + 2 < ZipDirectory.maximumEntryCount else {
            throw PackageError(
                .packageTooLarge,
                "a package has at most \(ZipDirectory.maximumEntryCount) files; pack fewer documents or renditions")
        }
        entries.append(PackageManifest.Entry(name: name.path, byteCount: sum.byteCount, digest: digest))
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
