internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// An open file of a ``ContentDirectory``, or one to be stored there. It stays readable if it is deleted.
package final class ContentReader: Sendable {
    /// The path, for messages.
    package let path: String
    /// The size when the file was opened, in bytes.
    package let byteCount: UInt64
    private let file: OpenFile

    /// Opens any file.
    ///
    /// - Throws: ``LevelError`` with `io`, including for a directory, a pipe or a device.
    package convenience init(path: String) throws(LevelError) {
        do throws(SystemError) {
            try self.init(OpenFile(reading: path), path: path)
        } catch {
            throw error.levelError("read \(path)")
        }
    }

    init(_ file: OpenFile, path: String) throws(SystemError) {
        var status = stat()
        guard unsafe fstat(file.descriptor, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        self.file = file
        self.path = path
        byteCount = try file.status().byteCount
    }

    /// Reads bytes at an offset; fewer only at the end of the file.
    package func read(at offset: UInt64, byteCount: Int) throws(LevelError) -> [UInt8] {
        do throws(SystemError) {
            return try file.read(at: offset, byteCount: byteCount)
        } catch {
            throw error.levelError("read \(path)")
        }
    }

    /// Reads the whole file into one array; fewer bytes than ``byteCount`` if it was shortened in the meantime.
    ///
    /// - Parameter body: receives each part after it was read.
    package func readAll(
        partByteCount: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(LevelError) -> [UInt8] {
        do throws(SystemError) {
            return try unsafe file.readAll(byteCount: Int(clamping: byteCount), partByteCount: partByteCount, body)
        } catch {
            throw error.levelError("read \(path)")
        }
    }

    /// Calls `body` with the content mapped into memory. If another program truncates the file during the call, reading
    /// beyond its end terminates this process.
    package func withMapping<R>(_ body: (RawSpan) throws -> R) throws -> R {
        try withMapping(of: 0..<byteCount, body)
    }

    /// Calls `body` with a part of the content mapped into memory, as above. The range is clamped to the content.
    package func withMapping<R>(of range: Range<UInt64>, _ body: (RawSpan) throws -> R) throws -> R {
        let range = range.clamped(to: 0..<byteCount)
        // A mapping begins at a page.
        let lead = range.lowerBound % UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
        guard let count = Int(exactly: range.upperBound - range.lowerBound + lead), !range.isEmpty,
            let start = off_t(exactly: range.lowerBound - lead)
        else {
            return try unsafe body(UnsafeRawBufferPointer(start: nil, count: 0).bytes)
        }
        guard let pages = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, file.descriptor, start),
            unsafe pages != UnsafeMutableRawPointer(bitPattern: -1)
        else { throw SystemError.last.levelError("map \(path) into memory") }
        defer { unsafe munmap(pages, count) }
        let content = unsafe UnsafeRawBufferPointer(start: pages + Int(lead), count: count - Int(lead))
        return try unsafe body(content.bytes)
    }
}
