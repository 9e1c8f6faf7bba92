internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The directory in which a checkpoint is put together, beside the place where it will be.
///
/// Named `<destination>.partial-<process>`, so that what a killed process left can be told from a checkpoint.
struct StagingArea {
    /// How a table came here.
    enum Origin {
        case linked, copied
    }

    let path: String
    /// Who may read the directory of the source, and so this one: a copy must not show more than its source.
    private let permissions: UInt32
    /// The tables that are here. They are kept from one try to the next, because LevelDB never uses a number again.
    private(set) var tables: [UInt64: Origin] = [:]
    private var names: [UInt64: String] = [:]
    private var otherNames: Set<String> = []

    /// Makes the directory.
    init(beside destination: DatabaseDirectory, like source: DatabaseDirectory) throws(LevelError) {
        do throws(SystemError) {
            permissions = try OpenFile(reading: source.path).status().permissions
        } catch {
            throw error.levelError("read \(source.path)")
        }
        let base = "\(destination.path).partial-\(getpid())"
        var attempt = 0
        while true {
            let path = attempt == 0 ? base : "\(base)-\(attempt)"
            do throws(SystemError) {
                // The owner must be able to write here, whatever the source is.
                try FileOperations.makeDirectory(path, permissions: permissions | 0o700)
                self.path = path
                return
            } catch let error where error.number == EEXIST && attempt < 100 {
                attempt += 1
            } catch {
                throw error.levelError("make the directory \(path)")
            }
        }
    }

    /// The path of a file here.
    func file(_ name: String) -> String { path + "/" + name }

    // MARK: - Files

    /// Links a table of the source.
    mutating func link(_ source: String, number: UInt64, name: String) throws(SystemError) {
        try FileOperations.link(source, to: file(name))
        tables[number] = .linked
        names[number] = name
    }

    /// Copies a table of the source that is open.
    mutating func copy(_ source: OpenFile, number: UInt64, name: String) throws(SystemError) {
        do throws(SystemError) {
            _ = try copy(source, to: name)
        } catch {
            try? FileOperations.remove(file(name))
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
        let copy = try OpenFile(creating: file(name), permissions: source.status().permissions | 0o600)
        otherNames.insert(name)
        let byteCount = try copy.fill(from: source)
        try copy.synchronize()
        return byteCount
    }

    /// Writes a file, and waits until it is on the disk.
    mutating func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
        let file = try OpenFile(creating: file(name), permissions: permissions & 0o666 | 0o600)
        otherNames.insert(name)
        try file.write(bytes)
        try file.synchronize()
    }

    /// The table with a number, if it is here.
    func table(_ number: UInt64) -> String? { names[number] }

    /// Takes away everything but tables.
    mutating func removeOtherFiles() throws(SystemError) {
        for name in otherNames { try FileOperations.remove(file(name)) }
        otherNames = []
    }

    /// Takes away the tables that are not in `numbers`: a manifest that does not name them would give their numbers to
    /// new files, and LevelDB would truncate a file that it shares with the source.
    mutating func removeTables(except numbers: Set<UInt64>) throws(SystemError) {
        for (number, name) in names where !numbers.contains(number) {
            try FileOperations.remove(file(name))
            names[number] = nil
            tables[number] = nil
        }
    }

    // MARK: - End

    /// Makes the directory appear under its name, with everything on the disk.
    func publish(as destination: DatabaseDirectory) throws(LevelError) {
        do throws(SystemError) {
            try FileOperations.synchronizeDirectory(path)
            try FileOperations.rename(path, to: destination.path)
            try FileOperations.synchronizeDirectory(destination.parentPath)
        } catch let error where error.number == EEXIST || error.number == ENOTEMPTY || error.number == ENOTDIR {
            throw LevelError(
                .databaseExists, "\(destination.path) was made meanwhile; choose a path that does not exist")
        } catch {
            throw error.levelError("finish the checkpoint \(destination.path)")
        }
    }

    /// Takes the directory away with everything in it.
    func discard() {
        for name in otherNames.union(names.values) { try? FileOperations.remove(file(name)) }
        try? FileOperations.removeDirectory(path)
    }
}
