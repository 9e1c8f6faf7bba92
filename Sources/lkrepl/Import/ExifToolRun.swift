#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One run of exiftool over some files.
///
/// Not one process that is kept (`-stay_open`): that one does not end when its parent is killed, and a start is a small
/// part of what some hundred files cost.
final class ExifToolRun {
    private let processID: pid_t
    private let output: FileDescriptor
    private var isWaitedFor = false

    /// Starts exiftool.
    ///
    /// - Throws: ``CommandFailure`` with `unavailable` where it is not installed.
    init(_ files: [String]) throws {
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        guard unsafe pipe(&input) == 0 else { throw Self.pipeFailure }
        guard unsafe pipe(&output) == 0 else {
            for end in input { close(end) }
            throw Self.pipeFailure
        }
        for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, input[0], 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output[1], 1)
        // A group of its own: ^C is for this process, which then ends at a good place.
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let texts = ["exiftool", "-@", "-"]
        var words = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var child: pid_t = 0
        let result = unsafe posix_spawnp(&child, "exiftool", &actions, &attributes, &words, environ)
        close(input[0])
        close(output[1])
        guard result == 0 else {
            close(input[1])
            close(output[0])
            throw CommandFailure(
                .unavailable, "cannot start exiftool: \(SystemError(number: result))",
                hint: "install it: apt install libimage-exiftool-perl, or brew install exiftool")
        }
        processID = child
        self.output = FileDescriptor(rawValue: output[0])
        let options = ["-json", "-n", "-G1", "-struct", "-q", "-q", "-charset", "filename=UTF8"]
        let arguments = FileDescriptor(rawValue: input[1])
        defer { try? arguments.closeFile() }
        do {
            // It reads all of its arguments before it writes anything.
            try arguments.writeAll(Array((options + files).map { $0 + "\n" }.joined().utf8))
        } catch {
            throw CommandFailure.system(error, "cannot tell exiftool which files to read")
        }
    }

    deinit {
        try? output.closeFile()
        guard !isWaitedFor else { return }
        kill(processID, SIGTERM)
        var status: Int32 = 0
        while unsafe waitpid(processID, &status, 0) < 0, errno == EINTR {}
    }

    /// Everything it printed, when it has ended.
    func readAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        do {
            while true {
                let count = try output.read(into: &buffer)
                if count == 0 { break }
                bytes += buffer[..<count]
            }
        } catch {
            if error.isInterruption { throw RecordFault(.reading, "interrupted").interrupted }
            throw CommandFailure.system(error, "cannot read what exiftool prints")
        }
        var status: Int32 = 0
        while unsafe waitpid(processID, &status, 0) < 0, errno == EINTR {}
        isWaitedFor = true
        // 1 says that some file could not be read, which its object says as well.
        guard status & 0x7f == 0, !(bytes.isEmpty && status >> 8 & 0xff > 1) else {
            throw CommandFailure(
                .unavailable,
                "exiftool ended with \(status & 0x7f == 0 ? "code \(status >> 8)" : "signal \(status & 0x7f)")",
                hint: "its own messages are above")
        }
        return bytes
    }

    private static var pipeFailure: CommandFailure {
        CommandFailure.system(SystemError(number: errno), "cannot make a pipe to exiftool")
    }
}

extension RecordFault {
    /// The fault of a read that a signal ended.
    fileprivate var interrupted: RecordFault {
        var fault = final
        fault.exitCode = .interrupted
        return fault
    }
}
