internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The files of a database as they are before a repair, in a directory beside it.
struct RepairBackup {
    private let directory: DatabaseDirectory

    init(of directory: DatabaseDirectory) { self.directory = directory }

    /// Makes the backup. If that fails nothing is left of it.
    ///
    /// Every file is copied, tables as well: a link is the same file, and what truncates or overwrites one, such as a
    /// program that takes a number again, has done so to both.
    ///
    /// - Parameter mayGoOn: asked before each file, and at the end.
    /// - Returns: the path of the new directory.
    /// - Throws: ``LevelError``: `io`; `cancelled` if it may not.
    func make(mayGoOn: () -> Bool) throws(LevelError) -> String {
        let path = try makeDirectory()
        var made: [String] = []
        func remove() {
            for copy in made { try? FileOperations.remove(copy) }
            try? FileOperations.removeDirectory(path)
        }
        var isCancelled = false
        do throws(SystemError) {
            for name in try names() {
                isCancelled = !mayGoOn()
                if isCancelled { break }
                let copy = path + "/" + name
                try keep(name, as: copy)
                made.append(copy)
            }
            try FileOperations.synchronizeDirectory(path)
        } catch {
            remove()
            throw error.levelError("back up \(directory.path) to \(path) before its repair")
        }
        guard !isCancelled, mayGoOn() else {
            remove()
            throw LevelError(
                .cancelled, "the repair of \(directory.path) was called off before it changed anything; begin it again")
        }
        return path
    }

    /// The files that a repair may touch, without the lock.
    private func names() throws(SystemError) -> [String] {
        guard let names = try? directory.names() else { throw .last }
        return names.filter { name in
            switch EngineFileName(name) {
            case nil, .lock: false
            default: true
            }
        }
    }

    private func keep(_ name: String, as copy: String) throws(SystemError) {
        let source = try OpenFile(reading: directory.file(name))
        let target = try OpenFile(creating: copy, permissions: source.status().permissions | 0o600)
        do throws(SystemError) {
            _ = try target.fill(from: source)
            try target.synchronize()
        } catch {
            try? FileOperations.remove(copy)
            throw error
        }
    }

    private func makeDirectory() throws(LevelError) -> String {
        var number = 1
        while true {
            let path = "\(directory.path).before-repair-\(number)"
            do throws(SystemError) {
                let permissions = try OpenFile(reading: directory.path).status().permissions
                try FileOperations.makeDirectory(path, permissions: permissions | 0o700)
                return path
            } catch let error where error.number == EEXIST {
                number += 1
            } catch {
                throw error.levelError("make the directory \(path)")
            }
        }
    }
}
