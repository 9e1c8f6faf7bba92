internal import LevelFiles

/// Reads the manifest of a database that is in use, and later the records added to it.
struct ManifestFollower {
    /// The name of the file, which `CURRENT` contained when it was opened.
    let name: String
    private let file: OpenFile
    private let path: String
    private var bytes: [UInt8] = []
    private var builder: ManifestBuilder

    private init(_ name: String, in directory: DatabaseDirectory) throws(SystemError) {
        self.name = name
        path = directory.file(name)
        file = try OpenFile(reading: path)
        builder = ManifestBuilder(name: name)
    }

    /// The bytes of the manifest read so far, without an incomplete record at the end.
    var content: [UInt8] { Array(bytes.prefix(builder.validByteCount)) }

    /// The last state read, with complete internal keys.
    var version: Version { builder.version }

    /// Returns the current state of the database.
    ///
    /// - Parameter follower: the state of reading. Reading continues there, unless `CURRENT` names another manifest.
    /// - Throws: ``LevelError``: `databaseNotFound`, `corruption`, `io`; `busy` if the manifest is constantly replaced.
    ///   After an error, reading starts over.
    static func follow(
        _ follower: inout ManifestFollower?, in directory: DatabaseDirectory
    ) throws(LevelError) -> Manifest {
        let name = try directory.currentManifestName()
        var next: ManifestFollower
        if let known = follower, known.name == name {
            next = known
        } else {
            next = try open(in: directory)
        }
        // Cleared during the read, so that the byte array has a single owner and is not copied.
        follower = nil
        let manifest = try next.read()
        follower = next
        return manifest
    }

    private static func open(in directory: DatabaseDirectory) throws(LevelError) -> ManifestFollower {
        var missing: String?
        for _ in 0..<8 {
            let name = try directory.currentManifestName()
            do throws(SystemError) {
                return try ManifestFollower(name, in: directory)
            } catch let error where error.isMissingFile {
                guard missing != name else {
                    throw LevelError(
                        .corruption,
                        "the database at \(directory.path) has lost its manifest \(name); "
                            + "restore a backup, or salvage the data with repair")
                }
                missing = name
            } catch {
                throw error.levelError("read \(directory.file(name))")
            }
        }
        throw LevelError(.busy, "the manifest of \(directory.path) changes faster than it can be read; try again")
    }

    private mutating func read() throws(LevelError) -> Manifest {
        var isTooLong = false
        do throws(SystemError) {
            // Checked by file size where it is known, because reading that much takes a while.
            isTooLong = try file.status().byteCount > EngineFileName.manifestByteLimit
            if !isTooLong { bytes += try file.readToEnd(limit: EngineFileName.manifestByteLimit + 1 - bytes.count) }
        } catch {
            throw error.levelError("read \(path)")
        }
        guard !isTooLong, bytes.count <= EngineFileName.manifestByteLimit else {
            throw LevelError(
                .corruption,
                "\(path) is longer than a manifest can be; restore a backup, or salvage the data with repair")
        }
        try builder.apply(recordsOf: bytes)
        return try builder.manifest()
    }
}
