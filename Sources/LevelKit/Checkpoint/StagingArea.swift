internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The directory in which a checkpoint is put together, beside the place where it will be.
struct StagingArea {
    /// How a table came here.
    enum Origin {
        case linked, copied
    }

    private let directory: UnpublishedDirectory
    private let filePermissions: UInt32
    /// Whether the source belongs to another user: its tables are copied, since that user could change what is shared.
    let isForeign: Bool
    /// The tables that are here. They are kept from one try to the next, because LevelDB never uses a number again.
    private(set) var tables: [UInt64: Origin] = [:]
    private var names: [UInt64: String] = [:]
    private var otherNames: Set<String> = []

    /// Makes the directory.
    init(beside destination: DatabaseDirectory, like source: DatabaseDirectory) throws(LevelError) {
        let audience: Audience
        do throws(SystemError) {
            // A copy must not be for more people than its source.
            audience = try Audience(ofDirectory: source.path)
        } catch {
            throw error.levelError("read \(source.path)")
        }
        directory = try UnpublishedDirectory(beside: destination, marker: ".partial-", for: audience)
        filePermissions = audience.filePermissions
        isForeign = audience.isForeign
    }

    /// The path of the directory, until it is published.
    var path: String { directory.path }

    // MARK: - Files

    /// Opens a file here; a symbolic link is an error.
    func open(_ name: String) throws(SystemError) -> OpenFile { try directory.open(name) }

    /// Links a table of the source.
    mutating func link(_ source: String, number: UInt64, name: String) throws(SystemError) {
        try directory.link(source, as: name)
        tables[number] = .linked
        names[number] = name
    }

    /// Copies a table of the source that is open.
    mutating func copy(_ source: OpenFile, number: UInt64, name: String) throws(SystemError) {
        do throws(SystemError) {
            _ = try copy(source, to: name)
        } catch {
            try? directory.remove(name)
            throw error
        }
        otherNames.remove(name)
        tables[number] = .copied
        names[number] = name
    }

    /// Copies a file that is open, up to its present end, and waits until the copy is on the disk.
    ///
    /// - Returns: the bytes that were copied.
    mutating func copy(_ source: OpenFile, to name: String) throws(SystemError) -> UInt64 {
        let status = try source.status()
        let copy = try directory.create(name, permissions: status.permissions)
        otherNames.insert(name)
        let byteCount = try copy.fill(from: source, limit: status.byteCount)
        try copy.synchronize()
        return byteCount
    }

    /// Writes a file, and waits until it is on the disk.
    mutating func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
        let file = try directory.create(name, permissions: filePermissions)
        otherNames.insert(name)
        try file.write(bytes)
        try file.synchronize()
    }

    /// The table with a number, if it is here.
    func table(_ number: UInt64) -> String? { names[number] }

    /// Takes away everything but tables.
    mutating func removeOtherFiles() throws(SystemError) {
        for name in otherNames { try directory.remove(name) }
        otherNames = []
    }

    /// Takes away the tables that are not in `numbers`: a manifest that does not name them would give their numbers to
    /// new files, and LevelDB would truncate a file that it shares with the source.
    mutating func removeTables(except numbers: Set<UInt64>) throws(SystemError) {
        for (number, name) in names where !numbers.contains(number) {
            try directory.remove(name)
            names[number] = nil
            tables[number] = nil
        }
    }

    // MARK: - End

    /// Makes the directory appear under its name, with everything on the disk.
    func publish(as destination: DatabaseDirectory) throws(LevelError) {
        do throws(SystemError) {
            try directory.publish(as: destination.path)
        } catch let error where error.number == EEXIST || error.number == ENOTEMPTY || error.number == ENOTDIR {
            throw LevelError(
                .databaseExists, "\(destination.path) was made meanwhile; choose a path that does not exist")
        } catch {
            throw error.levelError("finish the checkpoint \(destination.path)")
        }
    }

    /// Takes the directory away with everything in it.
    func discard() { directory.discard() }
}
