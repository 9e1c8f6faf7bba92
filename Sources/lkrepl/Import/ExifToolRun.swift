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
        let input: (reading: Int32, writing: Int32)
        let output: (reading: Int32, writing: Int32)
        do throws(SystemError) {
            input = try Spawning.makePipe()
            do throws(SystemError) {
                output = try Spawning.makePipe()
            } catch {
                close(input.reading)
                close(input.writing)
                throw error
            }
        } catch {
            throw CommandFailure.system(error, "cannot make a pipe to exiftool")
        }
        defer {
            close(input.reading)
            close(output.writing)
        }
        do throws(SystemError) {
            processID = try Spawning.start(
                ["exiftool", "-@", "-"],
                Spawning.Surroundings(input: input.reading, output: output.writing, hasOwnGroup: true))
        } catch {
            close(input.writing)
            close(output.reading)
            throw CommandFailure(
                .unavailable, "cannot start exiftool: \(error)",
                hint: "install it: apt install libimage-exiftool-perl, or brew install exiftool")
        }
        self.output = FileDescriptor(rawValue: output.reading)
        let options = ["-json", "-n", "-G1", "-struct", "-q", "-q", "-charset", "filename=UTF8"]
        let arguments = FileDescriptor(rawValue: input.writing)
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
        _ = Spawning.wait(for: processID)
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
        let code = Spawning.wait(for: processID)
        isWaitedFor = true
        // 1 says that some file could not be read, which its object says as well.
        guard code <= 128, !(bytes.isEmpty && code > 1) else {
            throw CommandFailure(
                .unavailable, "exiftool ended with \(code <= 128 ? "code \(code)" : "signal \(code - 128)")",
                hint: "its own messages are above")
        }
        return bytes
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
