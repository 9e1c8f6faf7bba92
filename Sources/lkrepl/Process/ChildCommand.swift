import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A command line that runs in `sh` as a child process: a pager, an editor, or a reader of output.
struct ChildCommand: Sendable {
    /// The process ID of the child.
    let processID: pid_t
    /// The pipe to the child's standard input; `nil` if it shares that of this process.
    let input: FileDescriptor?

    /// Starts a command line.
    ///
    /// - Parameter takesInput: Whether the child reads from ``input`` instead of this process's standard input.
    /// - Throws: ``CommandError`` with `unavailable` if it cannot be started.
    init(_ commandLine: String, takesInput: Bool) throws {
        var pipe: (reading: Int32, writing: Int32)?
        do throws(SystemError) {
            if takesInput { pipe = try Spawning.makePipe() }
        } catch {
            throw CommandError.system(error, "cannot create a pipe to \(commandLine)")
        }
        defer { if let pipe { close(pipe.reading) } }
        do throws(SystemError) {
            processID = try Spawning.start(
                ["/bin/sh", "-c", commandLine], Spawning.Surroundings(input: pipe?.reading, resetsSignals: true))
        } catch {
            if let pipe { close(pipe.writing) }
            throw CommandError(.unavailable, "cannot start \(commandLine): \(error)")
        }
        input = pipe.map { FileDescriptor(rawValue: $0.writing) }
    }

    /// Closes the child's input.
    func endInput() {
        if let input { try? input.closeFile() }
    }

    /// Waits for the child. Returns its exit code, or 128 plus the signal that ended it.
    func wait() -> Int32 { Spawning.wait(for: processID) }

    /// Whether `PATH` contains a program with the given name.
    static func isInPath(_ program: String) -> Bool {
        (Terminal.environment("PATH") ?? "").split(separator: ":").contains { directory in
            unsafe access("\(directory)/\(program)", X_OK) == 0
        }
    }
}
