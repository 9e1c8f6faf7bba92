import Dispatch
import LevelFiles
import Synchronization

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An unnamed file that disappears with its last descriptor.
struct TemporaryFile: ~Copyable {
    let descriptor: FileDescriptor

    /// Creates a file that contains `bytes`, positioned at its start.
    init(_ bytes: [UInt8] = []) throws {
        var path = Array("/tmp/lkrepl-test-XXXXXX".utf8CString)
        descriptor = FileDescriptor(rawValue: unsafe mkstemp(&path))
        guard descriptor.rawValue >= 0 else { throw SystemError(number: errno) }
        _ = fcntl(descriptor.rawValue, F_SETFD, FD_CLOEXEC)
        unsafe unlink(&path)
        try descriptor.writeAll(bytes)
        rewind()
    }

    deinit {
        close(descriptor.rawValue)
    }

    func rewind() {
        lseek(descriptor.rawValue, 0, SEEK_SET)
    }

    func contents() throws -> [UInt8] {
        rewind()
        return try readAll(descriptor)
    }
}

/// A pipe whose writing end does not block.
struct TestPipe: ~Copyable {
    let reader: FileDescriptor
    let writer: FileDescriptor

    init() throws {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw SystemError(number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reader = FileDescriptor(rawValue: ends[0])
        writer = FileDescriptor(rawValue: ends[1])
        _ = fcntl(writer.rawValue, F_SETFL, O_NONBLOCK)
    }
}

/// Reads `descriptor` to its end.
func readAll(_ descriptor: FileDescriptor) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var bytes: [UInt8] = []
    while case let count = try descriptor.read(into: &buffer), count > 0 { bytes += buffer[..<count] }
    return bytes
}

/// Work on a separate thread.
///
/// Not a task: a test that blocks in `read` holds a thread of the cooperative pool, and two of them can hold all of it.
final class Background<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () throws -> Value) {
        DispatchQueue(label: "test").async {
            let result = Result { try work() }
            self.result.withLock { $0 = result }
            self.isDone.signal()
        }
    }

    /// Returns the result of the work once it is done; may be called once.
    func value() throws -> Value? {
        isDone.wait()
        return try result.withLock { try $0?.get() }
    }
}
