internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The files in the directory of a database that LevelDB may open, create or replace, checked before LevelDB opens the
/// database.
///
/// LevelDB opens new files with `O_TRUNC` and follows symbolic links, so a prepared link under the right name would
/// make it overwrite the target of the link. A store unpacked from an archive may contain such links. Nothing here
/// follows a link, and names are resolved from an open directory, so renaming the directory has no effect.
struct EngineFolder {
    /// A directory entry with one of LevelDB's names.
    private struct File {
        let name: String
        let kind: EngineFileName
        let status: stat
    }

    private let directory: DatabaseDirectory
    private var status = stat()
    private var files: [File] = []
    /// Whether an access control list lets another user change the directory or one of the files.
    private var isListed = false

    /// A log is no longer than a write buffer plus one batch, each at most 1 GiB.
    private static let logByteLimit: Int64 = 4 << 30

    /// Lists the directory.
    init(_ directory: DatabaseDirectory) throws(LevelError) {
        self.directory = directory
        do throws(SystemError) {
            let handle = try DirectoryHandle(path: directory.path, followsLink: false)
            guard unsafe fstat(handle.descriptor, &status) == 0 else { throw .last }
            for name in try handle.names() {
                guard let kind = EngineFileName(name) else { continue }
                var status = stat()
                guard unsafe fstatat(handle.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                    // The process that has the database open deleted the file.
                    if errno == ENOENT { continue }
                    throw .last
                }
                files.append(File(name: name, kind: kind, status: status))
            }
            isListed = AccessControlList.letsOthersWrite(to: handle.descriptor) || files.contains(where: isListed)
        } catch {
            throw LevelError(.io, "could not list \(directory.path); check its permissions", cause: error.text)
        }
    }

    /// The names of LevelDB's files.
    var names: Set<String> { Set(files.map(\.name)) }

    // MARK: - Checks

    /// Checks that every entry with one of LevelDB's names is a regular file with a plausible size and number.
    ///
    /// - Throws: ``LevelError`` with `corruption` that names the file.
    func check() throws(LevelError) {
        for file in files {
            if let reason = Self.fault(of: file) {
                throw LevelError(.corruption, "\(directory.file(file.name)) \(reason)")
            }
        }
    }

    private static func fault(of file: File) -> String? {
        switch file.status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK:
            return "is a symbolic link, and LevelDB would read or overwrite its target; "
                + "remove the link, or restore a backup"
        default: return "is not a regular file; check the path, or restore a backup"
        }
        if isImpossible(file.kind) {
            return
                "has a number that LevelDB cannot have assigned; move the file to another directory, or restore a backup"
        }
        if let usual = EngineFileName.usual(of: file.name), usual != file.name {
            return
                "has a name that LevelDB does not write: it looks for \(usual); rename the file, or move it to another directory"
        }
        let byteCount = Int64(file.status.st_size)
        switch file.kind {
        case .manifest where byteCount > EngineFileName.manifestByteLimit:
            return "has \(byteCount) bytes, more than a manifest can have; restore a backup, or salvage the data with "
                + "repair"
        case .log where byteCount > logByteLimit:
            return "has \(byteCount) bytes, more than a log can have; restore a backup, or salvage the data with repair"
        default: return nil
        }
    }

    /// Returns whether LevelDB cannot have assigned the number of a file. It ends the process at a log or table with the
    /// number 0; other implementations use 0 for manifests.
    static func isImpossible(_ kind: EngineFileName) -> Bool {
        switch kind {
        case .log(0), .table(0): true
        default: (kind.number ?? 0) >= EngineFileName.numberLimit
        }
    }

    /// Checks that no file that LevelDB will create has a second hard link elsewhere. LevelDB would overwrite that file
    /// too.
    ///
    /// After a crash the directory may contain files with numbers that LevelDB assigns again. LevelDB truncates them,
    /// which is correct if they belong to the database alone.
    ///
    /// - Throws: ``LevelError`` with `corruption` that names the file.
    func checkNewFiles(after manifest: Manifest) throws(LevelError) {
        let logs = files.compactMap { file -> UInt64? in
            if case .log(let number) = file.kind, manifest.needsLog(number) { number } else { nil }
        }
        let next = max(manifest.nextFileNumber, (logs.max() ?? 0) + 1)
        for file in files where file.status.st_nlink > 1 {
            guard let number = file.kind.number, number >= next else { continue }
            throw LevelError(
                .corruption,
                "\(directory.file(file.name)) has another hard link elsewhere, and LevelDB would overwrite that file; "
                    + "remove \(file.name), which contains no data of this database")
        }
    }

    /// Checks that LevelDB will not append to a file elsewhere that is hard-linked to `LOG`.
    ///
    /// LevelDB first renames `LOG` to `LOG.old`. The rename does nothing if both names refer to one file (rename(2)),
    /// and may fail in a directory of another user.
    ///
    /// - Throws: ``LevelError`` with `corruption` that names the file.
    func checkMessages() throws(LevelError) {
        guard let log = files.first(where: { $0.name == "LOG" }), log.status.st_nlink > 1 else { return }
        let old = files.first { $0.name == "LOG.old" }.map { FileIdentity($0.status) }
        guard old == FileIdentity(log.status) || !DirectoryTrust.isClosed(directory.path) else { return }
        throw LevelError(
            .corruption,
            "\(directory.file("LOG")) has another hard link elsewhere, and LevelDB would append to that file; "
                + "remove LOG, which contains only messages")
    }

    /// Returns the size of a readable copy of the database: the table files, the logs, and the tables that recovery
    /// writes from the logs. At most half of the integer range.
    func copiedByteCount(of manifest: Manifest) -> UInt64 {
        let logs = files.reduce(Int64(0)) { sum, file in
            guard case .log(let number) = file.kind, manifest.needsLog(number) else { return sum }
            return sum.addingReportingOverflow(Int64(file.status.st_size)).partialValue
        }
        return min(manifest.tableByteCount, .max / 4) + 2 * min(UInt64(max(0, logs)), .max / 8)
    }

    // MARK: - Trust

    /// Whether only this user and root can change the files.
    ///
    /// If the files are group-writable, the group of the process counts as this user, because many systems give each
    /// user a private group.
    var isTrusted: Bool { !isListed && Self.isTrusted(status) && files.allSatisfy { Self.isTrusted($0.status) } }

    /// Returns the same for an open file.
    static func isTrusted(_ file: OpenFile) -> Bool {
        var status = stat()
        guard unsafe fstat(file.descriptor, &status) == 0 else { return false }
        return isTrusted(status) && !(mayBeListed(status) && AccessControlList.letsOthersWrite(to: file.descriptor))
    }

    private func isListed(_ file: File) -> Bool {
        Self.mayBeListed(file.status) && AccessControlList.letsOthersWrite(at: directory.file(file.name))
    }

    /// Whether a list may let somebody write to the file. The permissions of the group limit every list.
    private static func mayBeListed(_ status: stat) -> Bool { status.st_mode & S_IWGRP != 0 }

    private static func isTrusted(_ status: stat) -> Bool {
        let isOwn = status.st_uid == geteuid() || status.st_uid == 0
        let isOpenToGroup = status.st_mode & S_IWGRP != 0 && status.st_gid != getegid()
        return isOwn && !isOpenToGroup && status.st_mode & S_IWOTH == 0
    }
}
