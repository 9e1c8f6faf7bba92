import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One run of exiftool on several files.
///
/// A thread reads the output while exiftool works: exiftool would wait for its reader after 64 KiB otherwise, which are
/// some ten pictures.
///
/// A persistent process (`-stay_open`) is not used: it would survive if its parent is killed, and startup is cheap
/// relative to reading several hundred files.
final class ExifToolRun {
    private let processID: pid_t
    private let output: AbandonableWork.Started<Result<[UInt8], SystemError>>
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
        let reading = FileDescriptor(rawValue: output.reading)
        self.output = AbandonableWork.start { Self.readAll(reading) }
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
        guard !isWaitedFor else { return }
        // With its own group, and so with what a wrapper started.
        kill(-processID, SIGTERM)
        _ = Spawning.wait(for: processID)
    }

    /// Reads a pipe to its end, and closes it.
    private static func readAll(_ pipe: FileDescriptor) -> Result<[UInt8], SystemError> {
        defer { try? pipe.closeFile() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        do {
            while true {
                let count = try pipe.read(into: &buffer)
                if count == 0 { return .success(bytes) }
                bytes += buffer[..<count]
            }
        } catch {
            return .failure(error)
        }
    }

    /// The complete output, after the process has ended.
    ///
    /// - Throws: ``RecordError`` with `interrupted` if the command must stop; ``CommandError`` if exiftool failed.
    func readAll() throws -> [UInt8] {
        let bytes: [UInt8]
        switch output.value() {
        case .success(let output)?: bytes = output
        case .failure(let error)? where !error.isInterruption:
            throw CommandError.system(error, "cannot read the output of exiftool")
        default:
            var fault = RecordError(.reading, "interrupted").final
            fault.exitCode = .interrupted
            throw fault
        }
        let code = Spawning.wait(for: processID)
        isWaitedFor = true
        // Code 1 means that a file could not be read; its object contains the error.
        guard code <= 128, !(bytes.isEmpty && code > 1) else {
            throw CommandError(
                .unavailable,
                code <= 128 ? "exiftool exited with code \(code)" : "exiftool was killed by signal \(code - 128)",
                hint: "see its messages above")
        }
        return bytes
    }
}
