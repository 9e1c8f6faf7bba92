import DocIndex
import LevelFiles
import StorePackages

/// The files of a database for commands that inspect files: nothing is locked or changed.
struct InspectedFiles {
    let files: DatabaseFiles

    /// Lists the directory of a database.
    ///
    /// - Throws: ``CommandError`` with `noInput` if the directory does not exist or contains no LevelDB files, or with
    ///   `usage` for a package; `FileError`.
    init(at path: String) throws {
        try Self.requireNoPackage(path)
        guard FileDescriptor.isDirectory(path) else {
            throw CommandError(.noInput, "no database at \(path)", hint: "check the path")
        }
        files = try DatabaseFiles(at: path)
        guard !files.files.isEmpty else {
            throw CommandError(.noInput, "\(path) contains no LevelDB files", hint: "check the path")
        }
    }

    /// Throws if a path is that of a package, which has no files of a database.
    static func requireNoPackage(_ path: String) throws {
        guard Package.isPackage(at: path) else { return }
        throw CommandError(
            .usage, "\(path) is a package: documents and pictures in one file, without the files of a database",
            hint: "stats describes it, verify checks it, and commands such as find, dump and keys read its documents")
    }

    /// The file with the given name or number.
    ///
    /// - Throws: ``CommandError`` with `noInput` and a list of the existing files.
    func file(_ argument: String, _ what: String, where isWanted: (EngineFileName) -> Bool) throws -> DatabaseFiles.File
    {
        let name = try ArgumentOrigin.current.text(of: argument)
        let wanted = files.files.filter { isWanted($0.kind) }
        if let file = wanted.first(where: { $0.name == name }) { return file }
        if let number = UInt64(name),
            let file = wanted.first(where: { [.table(number), .log(number), .manifest(number)].contains($0.kind) })
        {
            return file
        }
        throw CommandError(
            .noInput, "\(what) \(name) does not exist in \(files.path)",
            hint: wanted.isEmpty
                ? "there are none" : "use one of " + wanted.prefix(20).map(\.name).joined(separator: ", "))
    }

    /// Returns every version of a key that is still on disk. Starts over if a writing process deleted a file meanwhile.
    static func history(of key: [UInt8], at path: String) throws -> KeyHistory {
        for _ in 0..<5 {
            let history = KeyHistory(of: key, in: try InspectedFiles(at: path).files)
            guard history.faults.contains(where: { $0.kind == .missing }) else { return history }
        }
        throw CommandError(
            .temporaryFailure, "the files of \(path) change faster than they can be read", hint: "try again")
    }

    /// Adds the file's name, size and use to a row.
    func append(_ file: DatabaseFiles.File, to row: inout DocumentObject) {
        let (use, level) = files.use(of: file)
        row["file"] = .string(file.name)
        row["bytes"] = .int(Int64(clamping: file.byteCount))
        row["use"] = .string(use.rawValue)
        if let level { row["level"] = .int(Int64(level)) }
    }
}
