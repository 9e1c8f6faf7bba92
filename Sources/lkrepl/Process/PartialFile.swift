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
    private let place: OutputPlace
    private let partialName: String
    /// Those of the file of this user that it replaces; `nil` if there is none.
    private let permissions: mode_t?

    /// Makes the file; the end of the process removes it.
    init(for place: OutputPlace) throws {
        self.place = place
        path = place.path
        permissions = place.ownPermissions
        (descriptor, partialName) = try place.makeTemporary(place.name + ".partial-")
        partialPath = place.directoryPath + "/" + partialName
        Interruption.removeAtExit(partialPath)
    }

    /// Who may use the file in the end: those who could use the one of this user that was there at the beginning, else as the
    /// mask of the process has it. A file that another user has put there decides nothing. To be called while the descriptor
    /// is open.
    func setPermissions() {
        if let permissions {
            _ = fchmod(descriptor.rawValue, permissions)
        } else {
            // The mask can only be read by setting it.
            let mask = umask(0o077)
            umask(mask)
            _ = fchmod(descriptor.rawValue, 0o666 & ~mask)
        }
    }

    /// Puts the file in its place; its content must be on its way to the disk.
    func appear() throws {
        guard place.take(partialName) else {
            throw CommandFailure.system(SystemError(number: errno), "cannot rename \(partialPath) to \(path)")
        }
        Interruption.keep(partialPath)
    }

    /// Removes the file.
    func discard() {
        place.remove(partialName)
        Interruption.keep(partialPath)
    }

    /// Writes a file by `body`, which neither synchronizes nor closes; removes it where that fails.
    static func write<R>(_ path: String, isSynchronized: Bool, _ body: (StandardOutput) throws -> R) throws -> R {
        try write(OutputPlace(path), isSynchronized: isSynchronized, body)
    }

    /// Writes a file by `body`; see above.
    static func write<R>(_ place: OutputPlace, isSynchronized: Bool, _ body: (StandardOutput) throws -> R) throws -> R {
        let file = try PartialFile(for: place)
        let output = StandardOutput(descriptor: file.descriptor, name: place.path)
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
