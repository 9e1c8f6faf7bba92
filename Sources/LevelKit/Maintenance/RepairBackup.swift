internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A backup of the files of a database before a repair, in a directory next to it.
struct RepairBackup {
    private let directory: DatabaseDirectory

    init(of directory: DatabaseDirectory) { self.directory = directory }

    /// Creates the backup. If that fails, nothing of it remains.
    ///
    /// All files are copied, including table files. A hard link would not protect them: it refers to the same file, so
    /// a program that truncates or overwrites one changes both.
    ///
    /// - Parameter mayGoOn: called before each file and at the end; returns whether to continue.
    /// - Returns: the path of the new directory.
    /// - Throws: ``LevelError``: `io`; `cancelled` if `mayGoOn` returns `false`.
    func make(mayGoOn: () -> Bool) throws(LevelError) -> String {
        let audience: Audience
        do throws(SystemError) {
            audience = try Audience(ofDirectory: directory.path)
        } catch {
            throw error.levelError("read \(directory.path)")
        }
        let copy = try UnpublishedDirectory(beside: directory, marker: ".before-repair-", for: audience)
        var isCancelled = false
        do throws(SystemError) {
            for name in try names() {
                isCancelled = !mayGoOn()
                if isCancelled { break }
                try keep(name, in: copy)
            }
        } catch {
            copy.discard()
            throw error.levelError("back up \(directory.path) before its repair")
        }
        do throws(LevelError) {
            // A repair does not open these files, so links protect them. It does not care what else is among them.
            let attachments = ContentDirectory(at: directory.path, isReadOnly: true)
            if !isCancelled {
                _ = try attachments.copyFiles(
                    to: copy, linksAllowed: !audience.isForeign, filesOnly: true)
            }
        } catch {
            copy.discard()
            throw error
        }
        guard !isCancelled, mayGoOn() else {
            copy.discard()
            throw LevelError(
                .cancelled, "the repair of \(directory.path) was canceled before it changed anything; start it again")
        }
        return try publish(copy)
    }

    /// Returns the files that a repair may change, except the lock file.
    private func names() throws(SystemError) -> [String] {
        guard let names = try? directory.names() else { throw .last }
        return names.filter { name in
            switch EngineFileName(name) {
            case nil, .lock: false
            default: true
            }
        }
    }

    private func keep(_ name: String, in copy: UnpublishedDirectory) throws(SystemError) {
        let source = try OpenFile(reading: directory.file(name))
        let target = try copy.create(name, permissions: source.status().permissions)
        _ = try target.fill(from: source)
        try target.synchronize()
    }

    /// Gives the backup the first free number.
    private func publish(_ copy: UnpublishedDirectory) throws(LevelError) -> String {
        var number = 1
        while true {
            let suffix = ".before-repair-\(number)"
            let path = directory.path + suffix
            do throws(SystemError) {
                try copy.publish(as: directory.name + suffix)
                return path
            } catch let error where [EEXIST, ENOTEMPTY, ENOTDIR].contains(error.number) {
                number += 1
            } catch {
                copy.discard()
                throw error.levelError("create the directory \(path)")
            }
        }
    }
}
