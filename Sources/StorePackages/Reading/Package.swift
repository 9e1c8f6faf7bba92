public import DocIndex
internal import LevelKit

/// A package: documents of a store with renditions and originals of their attachments in one file, a zip file whose
/// entries are stored without compression.
///
/// ```swift
/// let store = try DocumentStore.open(package: "trip.lkpack.zip")
/// ```
///
/// Opening a package checks its form, its description and its documents. Originals and renditions are checked when they
/// are read, and ``verify(_:)`` checks everything. Nothing is unpacked: attachments are read where they are in the
/// file.
public final class Package: Sendable {
    /// The path of the file.
    public let path: String
    /// The description.
    public let manifest: PackageManifest
    /// The SHA-256 of the description, which contains the digests of all other files: equal digests, equal packages.
    public let digest: Attachment.Digest
    private let file: ContentReader
    private let directory: ZipDirectory
    private let digests: [String: Attachment.Digest]

    /// The number of bytes that are read at once.
    private static let partByteCount = 256 << 10

    /// Opens a package. Checks the form of the file, the description and the documents.
    ///
    /// - Throws: ``PackageError``; `LevelError` with `io`.
    /// - Complexity: O(*n*) in the files and the size of the documents.
    public init(at path: String) throws {
        self.path = path
        file = try ContentReader(path: path)
        guard Self.isZip(file) else { throw Self.foreign(path, "it is not a zip file") }
        do {
            directory = try ZipDirectory(file)
        } catch let problem as ZipDirectory.FormatError {
            throw Self.foreign(path, problem.reason)
        }
        guard let entry = directory[EntryName.manifest.path] else {
            throw Self.foreign(path, "it has no file package.json")
        }
        guard entry.byteCount <= PackageManifest.maximumByteCount else {
            throw PackageError.damaged(path, "its file package.json is too large")
        }
        var text: [UInt8] = []
        text.reserveCapacity(Int(entry.byteCount))
        digest = try Self.read(entry, of: file, path) { text += $0 }
        manifest = try PackageManifest(json: text, entryCount: directory.entries.count - 1, of: path)
        digests = try Self.check(directory, manifest, path)
        guard directory[EntryName.documents.path] != nil, directory[EntryName.gallery.path] != nil else {
            throw PackageError.damaged(path, "it has no documents or no gallery")
        }
        try verify(EntryName.documents.path)
    }

    /// Whether a path leads to a file that may be a package: a zip file. Nothing else is checked.
    public static func isPackage(at path: String) -> Bool {
        (try? ContentReader(path: path)).map { isZip($0) } ?? false
    }

    private static func isZip(_ file: ContentReader) -> Bool {
        (try? file.read(at: 0, byteCount: 4)) == [0x50, 0x4b, 0x03, 0x04]
    }

    private static func foreign(_ path: String, _ reason: String) -> PackageError {
        PackageError(
            .notAPackage,
            "\(path) is not a package, or it is damaged: \(reason); get it again from whoever packed it, and do not "
                + "repack it with other programs")
    }

    /// Checks the names of the files, and that the description lists them.
    private static func check(
        _ directory: ZipDirectory, _ manifest: PackageManifest, _ path: String
    ) throws -> [String: Attachment.Digest] {
        let others = directory.entries.filter { $0.name != EntryName.manifest.path }
        guard others.count == manifest.entries.count else {
            throw PackageError.damaged(path, "its package.json does not match its files")
        }
        var digests: [String: Attachment.Digest] = [:]
        digests.reserveCapacity(others.count)
        for (entry, listed) in zip(others, manifest.entries) {
            guard let name = EntryName(entry.name) else {
                throw PackageError.damaged(path, "it contains a file with a name that packages do not use")
            }
            guard entry.name.hasSameBytes(as: listed.name), entry.byteCount == listed.byteCount else {
                throw PackageError.damaged(path, "its package.json does not match its files")
            }
            if case .blob(let digest) = name, digest != listed.digest {
                throw PackageError.damaged(
                    path, "the name of \(entry.name) does not match its digest in package.json")
            }
            digests[entry.name] = listed.digest
        }
        return digests
    }

    // MARK: - Reading files

    /// Reads the content of an entry, checks its CRC-32, and returns its SHA-256.
    private static func read(
        _ entry: ZipEntry, of file: ContentReader, _ path: String, _ body: ([UInt8]) throws -> Void
    ) throws -> Attachment.Digest {
        var checksum = CRC32()
        var hash = SHA256Hash()
        guard var offset = entry.contentOffset, let end = entry.end else {
            throw PackageError.damaged(path, "\(entry.name) is outside the file")
        }
        while offset < end {
            if Task.isCancelled { throw CancellationError() }
            let part = try file.read(at: offset, byteCount: Int(min(UInt64(partByteCount), end - offset)))
            guard !part.isEmpty else { throw PackageError.damaged(path, "it was shortened while being read") }
            checksum.update(part)
            unsafe part.withUnsafeBytes { unsafe hash.update($0) }
            try body(part)
            offset += UInt64(part.count)
        }
        guard checksum.value == entry.checksum, let digest = Attachment.Digest(hash.digest.span) else {
            throw PackageError.damaged(path, "the checksum of \(entry.name) is wrong")
        }
        return digest
    }

    /// Calls `body` with the parts of a file, in order. Its digest is checked after the last part, so what `body` made
    /// of them must be dropped if this throws.
    func read(_ name: String, _ body: ([UInt8]) throws -> Void) throws {
        guard let entry = directory[name], let expected = digests[name] else {
            throw PackageError.damaged(path, "\(name) is missing")
        }
        guard try Self.read(entry, of: file, path, body) == expected else {
            throw PackageError.damaged(path, "the content of \(name) does not match its digest in package.json")
        }
    }

    /// Checks the digest of a file.
    func verify(_ name: String) throws { try read(name) { _ in } }

    /// Checks every file, and reads every document. Together with what opening checks, every byte of the package has
    /// been checked then.
    ///
    /// - Parameter progress: called after each file with the number of files so far, and the number of all.
    /// - Throws: ``PackageError`` with `packageDamaged`; `LevelError` with `io`; what `progress` throws.
    public func verify(_ progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }) throws {
        for (number, entry) in manifest.entries.enumerated() {
            if entry.name == EntryName.documents.path { try forEachRecord { _ in } } else { try verify(entry.name) }
            try progress(number + 1, manifest.entries.count)
        }
    }

    /// Calls `body` with each document and each deletion.
    func forEachRecord(_ body: (DocumentLineReader.Record) throws -> Void) throws {
        var lines = DocumentLineReader(path: path, collection: manifest.collection)
        var counts = (documents: 0, deletions: 0)
        try read(EntryName.documents.path) { part in
            try lines.append(part) { record in
                switch record {
                case .schema: break
                case .document: counts.documents += 1
                case .deletion: counts.deletions += 1
                }
                try body(record)
            }
        }
        try lines.finish()
        guard counts == (manifest.documentCount, manifest.deletionCount) else {
            throw PackageError.damaged(
                path,
                "it has \(counts.documents) documents and \(counts.deletions) deletions instead of the "
                    + "\(manifest.documentCount) and \(manifest.deletionCount) that it states")
        }
    }
}

// MARK: - Contents

extension Package {
    /// The number and the size of some files of a package.
    public struct Part: Sendable, Hashable {
        /// The number of files.
        public internal(set) var count = 0
        /// Their size in bytes.
        public internal(set) var byteCount: UInt64 = 0

        fileprivate mutating func add(_ entry: PackageManifest.Entry) {
            count += 1
            byteCount += entry.byteCount
        }
    }

    /// The files of a package by their kind.
    public struct Contents: Sendable, Hashable {
        /// The originals.
        public internal(set) var originals = Part()
        /// The renditions of all sizes.
        public internal(set) var renditions = Part()
        /// The renditions under names for people.
        public internal(set) var namedPictures = Part()
    }

    /// The size of the package in bytes.
    public var byteCount: UInt64 { file.byteCount }

    /// The number and the sizes of the files, by their kind.
    ///
    /// - Complexity: O(*n*) in the files.
    public var contents: Contents {
        manifest.entries.reduce(into: Contents()) { contents, entry in
            switch EntryName(entry.name) {
            case .blob: contents.originals.add(entry)
            case .rendition: contents.renditions.add(entry)
            case .picture: contents.namedPictures.add(entry)
            default: break
            }
        }
    }

    /// The size of an original in bytes; `nil` if the package does not contain it.
    func byteCount(ofOriginal digest: Attachment.Digest) -> UInt64? {
        directory[EntryName.blob(digest).path]?.byteCount
    }

    /// Reads bytes of an original. Nothing is checked.
    ///
    /// - Returns: `nil` if the package does not contain them.
    func bytes(ofOriginal digest: Attachment.Digest, at offset: UInt64, byteCount: Int) throws -> [UInt8]? {
        guard let entry = directory[EntryName.blob(digest).path], let start = entry.contentOffset,
            offset <= entry.byteCount, UInt64(max(0, byteCount)) <= entry.byteCount - offset
        else { return nil }
        return try file.read(at: start + offset, byteCount: byteCount)
    }

    /// Calls `body` with an original mapped into memory. Nothing is checked.
    ///
    /// - Returns: `nil` if the package does not contain it.
    func withMapping<R>(ofOriginal digest: Attachment.Digest, _ body: (RawSpan) throws -> R) throws -> R? {
        guard let entry = directory[EntryName.blob(digest).path], let start = entry.contentOffset, let end = entry.end
        else { return nil }
        return try file.withMapping(of: start..<end, body)
    }

    /// Calls `body` with the parts of an original; see ``read(_:_:)``.
    func readOriginal(_ digest: Attachment.Digest, _ body: ([UInt8]) throws -> Void) throws {
        try read(EntryName.blob(digest).path, body)
    }

    /// The maximum size of a rendition in bytes, so that reading one needs little memory.
    static let maximumRenditionByteCount: UInt64 = 64 << 20

    /// Returns a rendition of an original, a JPEG file whose digest was checked.
    ///
    /// - Parameters:
    ///   - original: the digest of the original.
    ///   - name: the name of the specification, such as `thumbnail`.
    /// - Returns: `nil` if the package does not contain it.
    /// - Throws: ``PackageError`` with `packageDamaged`; `LevelError` with `io`.
    public func rendition(of original: Attachment.Digest, named name: String) throws -> [UInt8]? {
        let path = EntryName.rendition(name, original).path
        guard let entry = directory[path] else { return nil }
        guard entry.byteCount <= Self.maximumRenditionByteCount else {
            throw PackageError.damaged(self.path, "\(path) is too large for a rendition")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(entry.byteCount))
        try read(path) { bytes += $0 }
        return bytes
    }
}
