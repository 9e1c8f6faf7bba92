import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that is written under a random name next to its destination, readable only by this user, and replaces the
/// destination when complete.
struct PartialFile {
    /// The final path.
    let path: String
    /// The path until then.
    let partialPath: String
    let descriptor: FileDescriptor
    private let place: OutputPlace
    private let partialName: String
    /// The permissions of this user's file that it replaces; `nil` if there is none.
    private let permissions: mode_t?

    /// Creates the file, which is also removed when the process ends.
    init(for place: OutputPlace) throws {
        self.place = place
        path = place.path
        permissions = place.ownPermissions
        (descriptor, partialName) = try place.makeTemporary(place.name + ".partial-")
        partialPath = place.directoryPath + "/" + partialName
        Interruption.removeAtExit(partialPath)
    }

    /// Sets the final permissions: the permissions of this user's previous file if there is one, otherwise the default
    /// under the process's umask. A file planted by another user has no influence. Must be called before the descriptor
    /// is closed.
    func setPermissions() {
        if let permissions {
            _ = fchmod(descriptor.rawValue, permissions)
        } else {
            // The mask can be read only by setting it.
            let mask = umask(0o077)
            umask(mask)
            _ = fchmod(descriptor.rawValue, 0o666 & ~mask)
        }
    }

    /// Moves the file to its destination; its content must have been written.
    func appear() throws {
        guard place.take(partialName) else {
            throw CommandError.system(SystemError(number: errno), "cannot rename \(partialPath) to \(path)")
        }
        Interruption.keep(partialPath)
    }

    /// Removes the file.
    func discard() {
        place.remove(partialName)
        Interruption.keep(partialPath)
    }

    /// Writes a file by calling `body`, which must neither synchronize nor close the output. Removes the file on
    /// errors.
    static func write<R>(_ path: String, isSynchronized: Bool, _ body: (StandardOutput) throws -> R) throws -> R {
        try write(OutputPlace(path), isSynchronized: isSynchronized, body)
    }

    /// Writes a file by calling `body`, as above.
    static func write<R>(_ place: OutputPlace, isSynchronized: Bool, _ body: (StandardOutput) throws -> R) throws -> R {
        let file = try PartialFile(for: place)
        let output = StandardOutput(descriptor: file.descriptor, name: place.path)
        output.isWrittenEarly = isSynchronized
        do {
            let result = try body(output)
            if isSynchronized { try output.synchronize() }
            file.setPermissions()
            try output.close()
            try file.appear()
            if isSynchronized { place.synchronizeNames() }
            return result
        } catch {
            file.discard()
            throw error
        }
    }
}
