internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The directory in which a checkpoint is built, next to its destination.
struct StagingArea {
    /// How a table file got here.
    enum Origin {
        case linked, copied
    }

    private let directory: UnpublishedDirectory
    private let filePermissions: UInt32
    /// Whether the source belongs to another user. Table files are then copied, because that user could change shared
    /// files.
    let isForeign: Bool
    /// The tables in the directory. They are kept between attempts, because LevelDB never reuses a number.
    private(set) var tables: [UInt64: Origin] = [:]
    private var names: [UInt64: String] = [:]
    private var otherNames: Set<String> = []

    /// Creates the directory.
    init(beside destination: DatabaseDirectory, like source: DatabaseDirectory) throws(LevelError) {
        let audience: Audience
        do throws(SystemError) {
            // A copy must not be readable by more users than its source.
            audience = try Audience(ofDirectory: source.path)
        } catch {
            throw error.levelError("read \(source.path)")
        }
        directory = try UnpublishedDirectory(beside: destination, marker: ".partial-", for: audience)
        filePermissions = audience.filePermissions
        isForeign = audience.isForeign
    }

    /// The path of the directory until it is published.
    var path: String { directory.path }

    // MARK: - Files

    /// Opens a file in the directory. A symbolic link is an error.
    func open(_ name: String) throws(SystemError) -> OpenFile { try directory.open(name) }

    /// Links a table file of the source.
    mutating func link(_ source: String, number: UInt64, name: String) throws(SystemError) {
        try directory.link(source, as: name)
        tables[number] = .linked
        names[number] = name
    }

    /// Copies an open table file of the source.
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

    /// Copies an open file up to its current end and flushes the copy to the disk.
    ///
    /// - Returns: the number of copied bytes.
    mutating func copy(_ source: OpenFile, to name: String) throws(SystemError) -> UInt64 {
        let status = try source.status()
        let copy = try directory.create(name, permissions: status.permissions)
        otherNames.insert(name)
        let byteCount = try copy.fill(from: source, limit: status.byteCount)
        try copy.synchronize()
        return byteCount
    }

    /// Writes a file and flushes it to the disk.
    mutating func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
        let file = try directory.create(name, permissions: filePermissions)
        otherNames.insert(name)
        try file.write(bytes)
        try file.synchronize()
    }

    /// Links or copies the attachments of the source; see ``ContentDirectory/copyFiles(to:linksAllowed:)``.
    func add(_ files: ContentDirectory, linksAllowed: Bool) throws(LevelError) -> Int {
        try files.copyFiles(to: directory, linksAllowed: linksAllowed && !isForeign)
    }

    /// Returns the file name of a table, or `nil` if the table is not in the directory.
    func table(_ number: UInt64) -> String? { names[number] }

    /// Deletes everything except table files.
    mutating func removeOtherFiles() throws(SystemError) {
        for name in otherNames { try directory.remove(name) }
        otherNames = []
    }

    /// Deletes the tables that are not in `numbers`. A manifest that does not name them would assign their numbers to
    /// new files, and LevelDB would truncate a file that is shared with the source.
    mutating func removeTables(except numbers: Set<UInt64>) throws(SystemError) {
        for (number, name) in names where !numbers.contains(number) {
            try directory.remove(name)
            names[number] = nil
            tables[number] = nil
        }
    }

    // MARK: - Publishing

    /// Flushes everything to the disk and gives the directory its final name.
    func publish(as destination: DatabaseDirectory) throws(LevelError) {
        do throws(SystemError) {
            try directory.publish(as: destination.name)
        } catch let error where error.number == EEXIST || error.number == ENOTEMPTY || error.number == ENOTDIR {
            throw LevelError(
                .databaseExists, "\(destination.path) was created by another process; choose another path")
        } catch {
            throw error.levelError("finish the checkpoint \(destination.path)")
        }
    }

    /// Deletes the directory with its content.
    func discard() { directory.discard() }
}
