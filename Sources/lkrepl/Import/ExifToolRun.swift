#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One run of exiftool on several files.
///
/// A persistent process (`-stay_open`) is not used: it would survive if its parent is killed, and startup is cheap
/// relative to reading several hundred files.
final class ExifToolRun {
    private let processID: pid_t
    private let output: FileDescriptor
    private var isWaitedFor = false

    /// Starts exiftool.
    ///
    /// - Throws: ``CommandError`` with `unavailable` if exiftool is not installed.
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
            throw CommandError.system(error, "cannot create a pipe to exiftool")
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
            throw CommandError(
                .unavailable, "cannot start exiftool: \(error)",
                hint: "install it: apt install libimage-exiftool-perl, or brew install exiftool")
        }
        self.output = FileDescriptor(rawValue: output.reading)
        let options = ["-json", "-n", "-G1", "-struct", "-q", "-q", "-charset", "filename=UTF8"]
        let arguments = FileDescriptor(rawValue: input.writing)
        defer { try? arguments.closeFile() }
        do {
            // exiftool reads all arguments before it writes output, so this cannot deadlock.
            try arguments.writeAll(Array((options + files).map { $0 + "\n" }.joined().utf8))
        } catch {
            throw CommandError.system(error, "cannot pass the file names to exiftool")
        }
    }

    deinit {
        try? output.closeFile()
        guard !isWaitedFor else { return }
        kill(processID, SIGTERM)
        _ = Spawning.wait(for: processID)
    }

    /// The complete output, after the process has ended.
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
            if error.isInterruption { throw RecordError(.reading, "interrupted").interrupted }
            throw CommandError.system(error, "cannot read the output of exiftool")
        }
        let code = Spawning.wait(for: processID)
        isWaitedFor = true
        // Code 1 means that a file could not be read; its object contains the error.
        guard code <= 128, !(bytes.isEmpty && code > 1) else {
            throw CommandError(
                .unavailable, "exiftool exited with \(code <= 128 ? "code \(code)" : "signal \(code - 128)")",
                hint: "see its messages above")
        }
        return bytes
    }
}

extension RecordError {
    /// The fault of a read that a signal interrupted.
    fileprivate var interrupted: RecordError {
        var fault = final
        fault.exitCode = .interrupted
        return fault
    }
}
