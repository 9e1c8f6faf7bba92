internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A file of a ``ContentDirectory`` that is being written. It is deleted unless it is published.
package final class NewContentFile: @unchecked Sendable {
    // Unchecked: one thread at a time uses it, since it belongs to one writer.
    private let name: String
    private let directory: DirectoryHandle
    private let owner: ContentDirectory
    private let file: OpenFile
    private var isDurable = false
    private var isOpen = true

    init(name: String, file: OpenFile, directory: DirectoryHandle, of owner: ContentDirectory) {
        self.name = name
        self.file = file
        self.directory = directory
        self.owner = owner
    }

    deinit { discard() }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(LevelError) {
        do throws(SystemError) { try file.write(bytes) } catch { throw failure(error, "write") }
    }

    /// Flushes the content to the disk.
    package func synchronize() throws(LevelError) {
        do throws(SystemError) { try file.synchronize() } catch { throw failure(error, "write") }
        isDurable = true
    }

    /// Gives the file its name, and returns once the name is on the disk.
    ///
    /// If a file with that name exists and has the same content, it is kept. If its content differs, it is damaged, and
    /// this file replaces it.
    ///
    /// - Parameter digest: the SHA-256 digest of the content, in hexadecimal.
    /// - Returns: whether there was no such file.
    /// - Throws: ``LevelError`` with `io`.
    @discardableResult
    package func publish(as digest: String) throws(LevelError) -> Bool {
        let shard = try owner.madeShard(of: digest)
        do throws(SystemError) {
            let existing = try ContentDirectory.open(digest, in: shard)
            if let existing, try hasSameContent(as: existing) {
                discard()
                // The process that wrote it may have been killed before it flushed it.
                try existing.synchronize()
                try OpenFile.synchronize(directory: shard.descriptor)
                return false
            }
            if !isDurable { try file.synchronize() }
            guard unsafe renameat(directory.descriptor, name, shard.descriptor, digest) == 0 else { throw .last }
            isOpen = false
            owner.forget(name)
            try OpenFile.synchronize(directory: shard.descriptor)
            return existing == nil
        } catch {
            discard()
            throw failure(error, "finish")
        }
    }

    /// Deletes the file unless it has been published.
    package func discard() {
        guard isOpen else { return }
        isOpen = false
        try? directory.removeFile(name)
        owner.forget(name)
    }

    private func hasSameContent(as other: OpenFile) throws(SystemError) -> Bool {
        let own = try OpenFile(reading: name, in: directory.descriptor)
        guard try own.status().byteCount == other.status().byteCount else { return false }
        while true {
            let part = try own.read(upTo: 256 << 10)
            guard try other.read(upTo: 256 << 10) == part else { return false }
            if part.isEmpty { return true }
        }
    }

    private func failure(_ error: SystemError, _ verb: String) -> LevelError {
        error.levelError("\(verb) a file in \(owner.path)")
    }
}
