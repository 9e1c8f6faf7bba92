#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A file descriptor that becomes the standard input or output of a child process, and that no other child inherits.
final class ChildDescriptor: Sendable {
    let number: Int32

    /// Takes a descriptor, away from the numbers of standard input and output.
    private init(_ original: Int32) throws(RenditionError) {
        number = fcntl(original, F_DUPFD_CLOEXEC, 3)
        let error = errno
        close(original)
        guard number >= 0 else { throw Self.failure(error) }
    }

    deinit { if number >= 0 { close(number) } }

    private static func failure(_ error: Int32) -> RenditionError {
        RenditionError(
            .noRenderer,
            "cannot pass the picture to another program: \(unsafe String(cString: strerror(error))); try again later")
    }

    static func pipe() throws(RenditionError) -> (reading: ChildDescriptor, writing: ChildDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else { throw failure(errno) }
        let reading = try ChildDescriptor(ends[0])
        let writing = try ChildDescriptor(ends[1])
        return (reading, writing)
    }

    /// Creates a file without a name, positioned at its beginning.
    convenience init(temporaryFileOf bytes: [UInt8]) throws(RenditionError) {
        let directory = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(directory)/renditions-XXXXXX".utf8CString)
        let file = unsafe mkstemp(&template)
        guard file >= 0 else { throw Self.failure(errno) }
        unsafe unlink(template)
        try self.init(file)
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(number, buffer.baseAddress! + offset, buffer.count - offset)
            }
            guard written >= 0 || errno == EINTR else { throw Self.failure(errno) }
            offset += max(0, written)
        }
        lseek(number, 0, SEEK_SET)
    }
}

// The method shadows the name `pipe`.
private func systemPipe(_ ends: inout [Int32]) -> Int32 { unsafe pipe(&ends) }
