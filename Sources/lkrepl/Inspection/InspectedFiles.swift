import DocIndex
import LevelFiles

/// The files of a database as the commands see them that look into files: nothing is locked, and nothing changes.
struct InspectedFiles {
    let files: DatabaseFiles

    /// Looks at the directory of a database.
    ///
    /// - Throws: ``CommandFailure`` with `noInput` where there is no such directory, or nothing of LevelDB's in it.
    init(at path: String) throws {
        guard FileDescriptor.isDirectory(path) else {
            throw CommandFailure(.noInput, "there is no database at \(path)", hint: "check the path")
        }
        do throws(FileFault) {
            files = try DatabaseFiles(at: path)
        } catch {
            throw CommandFailure(error)
        }
        guard !files.files.isEmpty else {
            throw CommandFailure(.noInput, "\(path) holds no file of LevelDB's", hint: "check the path")
        }
    }

    /// The file that an argument names: its name, or the number in it.
    ///
    /// - Throws: ``CommandFailure`` with `noInput` that lists what there is.
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
        throw CommandFailure(
            .noInput, "there is no \(what) \(name) in \(files.path)",
            hint: wanted.isEmpty
                ? "there is none" : "there are " + wanted.prefix(20).map(\.name).joined(separator: ", "))
    }

    /// Whether a file is in use, as members of a row.
    func append(_ file: DatabaseFiles.File, to row: inout DocumentObject) {
        let (use, level) = files.use(of: file)
        row["file"] = .string(file.name)
        row["bytes"] = .int(Int64(clamping: file.byteCount))
        row["use"] = .string(use.rawValue)
        if let level { row["level"] = .int(Int64(level)) }
    }
}
