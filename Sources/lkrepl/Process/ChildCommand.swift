#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A command line that runs in `sh` beside this process: a pager, an editor, the reader of an output.
struct ChildCommand: Sendable {
    /// The child.
    let processID: pid_t
    /// What the child reads on its standard input; `nil` if it has ours.
    let input: FileDescriptor?

    /// Starts a command line.
    ///
    /// - Parameter takesInput: whether the child reads from ``input`` and not from our standard input.
    /// - Throws: ``CommandFailure`` with `unavailable` if there is no `sh`.
    init(_ commandLine: String, takesInput: Bool) throws {
        var pipe: (reading: Int32, writing: Int32)?
        do throws(SystemError) {
            if takesInput { pipe = try Spawning.makePipe() }
        } catch {
            throw CommandFailure.system(error, "cannot make a pipe to \(commandLine)")
        }
        defer { if let pipe { close(pipe.reading) } }
        do throws(SystemError) {
            processID = try Spawning.start(
                ["/bin/sh", "-c", commandLine], Spawning.Surroundings(input: pipe?.reading, resetsSignals: true))
        } catch {
            if let pipe { close(pipe.writing) }
            throw CommandFailure(.unavailable, "cannot start \(commandLine): \(error)")
        }
        input = pipe.map { FileDescriptor(rawValue: $0.writing) }
    }

    /// Lets the child see the end of its input.
    func endInput() {
        if let input { try? input.closeFile() }
    }

    /// Waits until the child has ended; its exit code, 128 and the signal if a signal ended it.
    func wait() -> Int32 { Spawning.wait(for: processID) }

    /// Whether `PATH` has a program of a name.
    static func isInPath(_ program: String) -> Bool {
        (Terminal.environment("PATH") ?? "").split(separator: ":").contains { directory in
            unsafe access("\(directory)/\(program)", X_OK) == 0
        }
    }
}
