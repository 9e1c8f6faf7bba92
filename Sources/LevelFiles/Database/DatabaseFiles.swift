#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The files of a database, read without a lock and without changes. Another process may be writing.
package struct DatabaseFiles: Sendable {
    /// A file.
    package struct File: Hashable, Sendable {
        /// Its name, without the directory.
        package let name: String
        /// The kind of file that the name denotes.
        package let kind: EngineFileName
        /// Its size in bytes.
        package let byteCount: UInt64
    }

    /// The directory.
    package let path: String
    /// The files with LevelDB's names, sorted by name.
    package let files: [File]
    /// The manifest that `CURRENT` names, or `nil` if it is missing or unreadable.
    package let manifest: ManifestFile?
    /// The reason that ``manifest`` is `nil`.
    package let manifestFault: FileError?

    /// Reads a directory.
    ///
    /// - Throws: ``FileError`` if the directory cannot be listed.
    package init(at path: String) throws(FileError) {
        self.path = path
        var manifest: ManifestFile?
        var fault: FileError?
        // A writing process may replace the manifest between the reads of its name and its content.
        for _ in 0..<5 {
            do throws(FileError) {
                let name = try Self.currentManifestName(in: path)
                manifest = try ManifestFile(at: path + "/" + name)
                fault = nil
                break
            } catch {
                fault = error
                guard error.kind == .missing, error.file != "CURRENT" else { break }
            }
        }
        self.manifest = manifest
        manifestFault = fault
        files = try Self.list(path)
    }

    /// Returns the name of the manifest in `CURRENT`.
    package static func currentManifestName(in path: String) throws(FileError) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try OpenFile.content(of: path + "/CURRENT", limit: EngineFileName.lengthLimit)
        } catch {
            throw FileError(error, file: "CURRENT")
        }
        let name = String(decoding: bytes.dropLast(), as: UTF8.self)
        guard bytes.last == 0x0a, case .manifest = EngineFileName(name) else {
            throw FileError(.damaged, file: "CURRENT", reason: "it does not name a manifest")
        }
        return name
    }

    private static func list(_ path: String) throws(FileError) -> [File] {
        let names: [String]
        do throws(SystemError) { names = try DirectoryNames.list(path) } catch { throw FileError(error, file: path) }
        var files: [File] = []
        for name in names {
            guard let kind = EngineFileName(name) else { continue }
            var status = stat()
            // Skips files that have been deleted, and devices. Links are followed, because a database that is open for
            // reading consists of links to files.
            guard unsafe stat(path + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            files.append(File(name: name, kind: kind, byteCount: UInt64(max(0, status.st_size))))
        }
        return files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}

extension DatabaseFiles {
    /// Whether a file belongs to the database.
    package enum Use: String, Sendable {
        /// The file is a part of the database.
        case live
        /// The file was replaced. LevelDB will delete it.
        case obsolete
        /// Unknown, because the manifest is unreadable.
        case unknown
    }

    /// Returns whether a file belongs to the database, and the level of a table in use.
    package func use(of file: File) -> (use: Use, level: Int?) {
        guard let manifest else { return (.unknown, nil) }
        let version = manifest.version
        switch file.kind {
        case .table(let number):
            let level = version.level(ofTable: number)
            return (level == nil ? .obsolete : .live, level)
        case .log(let number): return (version.needsLog(number) ? .live : .obsolete, nil)
        case .manifest: return (file.name == manifest.name ? .live : .obsolete, nil)
        case .temporary: return (.obsolete, nil)
        case .current, .lock, .messages: return (.live, nil)
        }
    }

    /// Returns the path of a file.
    package func path(of name: String) -> String { path + "/" + name }

    /// Returns the file of a table, whatever its extension, or `nil` if it is missing.
    package func tableFile(_ number: UInt64) -> File? { files.first { $0.kind == .table(number) } }
}
