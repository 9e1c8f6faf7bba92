#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that is written under a random name beside its place, where only this user can read it, and takes its place when it
/// is whole.
struct PartialFile {
    /// The name that it gets.
    let path: String
    /// The name that it has until then.
    let partialPath: String
    let descriptor: FileDescriptor

    /// Makes the file; the end of the process removes it.
    init(for path: String) throws {
        self.path = path
        (descriptor, partialPath) = try FileDescriptor.makeTemporary(path + ".partial-")
        Interruption.removeAtExit(partialPath)
    }

    /// Who may use the file in the end: those who could use the one that it replaces, else as the mask of the process has it.
    /// To be called while the descriptor is open.
    func setPermissions() {
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            // Only root can give files away, and who replaces a file of another user keeps it theirs.
            if geteuid() == 0 { _ = fchown(descriptor.rawValue, status.st_uid, status.st_gid) }
            _ = fchmod(descriptor.rawValue, status.st_mode & 0o777)
        } else {
            // The mask can only be read by setting it.
            let mask = umask(0o077)
            umask(mask)
            _ = fchmod(descriptor.rawValue, 0o666 & ~mask)
        }
    }

    /// Puts the file in its place; its content must be on its way to the disk.
    func appear() throws {
        guard unsafe rename(partialPath, path) == 0 else {
            throw CommandFailure.system(SystemError(number: errno), "cannot rename \(partialPath) to \(path)")
        }
        Interruption.keep(partialPath)
    }

    /// Removes the file.
    func discard() {
        unsafe unlink(partialPath)
        Interruption.keep(partialPath)
    }

    /// Writes a file by `body`, which neither synchronizes nor closes; removes it where that fails.
    static func write<R>(_ path: String, isSynchronized: Bool, _ body: (StandardOutput) throws -> R) throws -> R {
        let file = try PartialFile(for: path)
        let output = StandardOutput(descriptor: file.descriptor, name: path)
        do {
            let result = try body(output)
            if isSynchronized { try output.synchronize() }
            file.setPermissions()
            try output.close()
            try file.appear()
            return result
        } catch {
            file.discard()
            throw error
        }
    }
}
