internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A file of a ``ContentDirectory`` that is being written. Unless it is published it is deleted, or kept to be
/// continued.
package final class NewContentFile: @unchecked Sendable {
    // Unchecked: one thread at a time uses it, since it belongs to one writer.
    private let name: String
    private let directory: DirectoryHandle
    private let owner: ContentDirectory
    private let file: OpenFile
    /// The number of bytes that the system has not been told to write to the disk.
    private var pendingByteCount = 0
    private var isOpen = true
    /// Whether the file stays where it is if nothing more becomes of it; see
    /// ``ContentDirectory/continuedFile(_:limit:)``.
    private let isContinued: Bool

    /// The number of bytes after which the system starts to write them to the disk.
    private static let writtenByteCount = 512 << 10

    init(
        name: String, file: OpenFile, directory: DirectoryHandle, of owner: ContentDirectory, isContinued: Bool = false
    ) {
        self.name = name
        self.file = file
        self.directory = directory
        self.owner = owner
        self.isContinued = isContinued
    }

    deinit {
        if !isContinued {
            discard()
        } else if isOpen {
            owner.forget(name)
        }
    }

    /// Returns the number of bytes in the file.
    package func byteCount() throws(LevelError) -> UInt64 {
        do throws(SystemError) { return try file.status().byteCount } catch { throw failure(error, "read") }
    }

    /// Reads bytes of a continued file at an offset; fewer only at its end.
    package func read(at offset: UInt64, byteCount: Int) throws(LevelError) -> [UInt8] {
        do throws(SystemError) {
            return try file.read(at: offset, byteCount: byteCount)
        } catch {
            throw failure(error, "read")
        }
    }

    /// Deletes the content of a continued file.
    package func clear() throws(LevelError) {
        do throws(SystemError) { try file.truncate(to: 0) } catch { throw failure(error, "write") }
    }

    /// Appends bytes. The system starts to write them to the disk from time to time, while the caller prepares the next
    /// ones.
    ///
    /// - Parameter isLast: whether these are the last bytes.
    package func write(_ bytes: [UInt8], isLast: Bool = false) throws(LevelError) {
        do throws(SystemError) {
            try file.write(bytes)
            pendingByteCount += bytes.count
            guard isLast || pendingByteCount >= Self.writtenByteCount else { return }
            try file.startWriting()
            pendingByteCount = 0
        } catch {
            throw failure(error, "write")
        }
    }

    /// Waits until the system has written the content to the disk, so that ``publish(as:hasRecord:)`` does not have
    /// to. It is not safe from a power failure yet.
    package func waitUntilWritten() throws(LevelError) {
        do throws(SystemError) { try file.waitUntilWritten() } catch { throw failure(error, "write") }
    }

    /// Asks the system to start writing the bytes that are still pending.
    package func startWriting() throws(LevelError) {
        guard pendingByteCount > 0 else { return }
        do throws(SystemError) { try file.startWriting() } catch { throw failure(error, "write") }
        pendingByteCount = 0
    }

    /// Gives the file its name, and returns once its content and its name are on the disk.
    ///
    /// - Parameters:
    ///   - digest: the SHA-256 digest of the content, in hexadecimal.
    ///   - hasRecord: like ``ContentPublication/hasRecord``.
    /// - Throws: ``LevelError`` with `io`. The file is deleted then.
    package func publish(as digest: String, hasRecord: Bool) throws(LevelError) {
        try owner.publish([ContentPublication(self, as: digest, hasRecord: hasRecord)])
    }

    /// A file that has its name, but is not safe from a power failure yet.
    struct Placed {
        /// What a flush makes durable: this file, or one with the same content that is kept instead.
        let file: OpenFile
        let directory: DirectoryHandle
        /// Whether nothing relies on the file if it cannot be flushed.
        let isNew: Bool
    }

    /// Gives the file its name.
    func place(as digest: String, hasRecord: Bool) throws(LevelError) -> Placed {
        let shard = try owner.madeShard(of: digest)
        do throws(SystemError) {
            let existing = try ContentDirectory.open(digest, in: shard)
            if let existing, hasRecord, try hasSameContent(as: existing) {
                discard()
                return Placed(file: existing, directory: shard, isNew: false)
            }
            let isNew = existing == nil && !hasRecord
            // A record must not refer to a file that a crash makes incomplete.
            if !isNew { try file.synchronize() }
            guard unsafe renameat(directory.descriptor, name, shard.descriptor, digest) == 0 else { throw .last }
            isOpen = false
            owner.forget(name)
            return Placed(file: file, directory: shard, isNew: isNew)
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
