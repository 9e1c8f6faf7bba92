/// Where the output of commands goes, if not to standard output: `.once` and `.output`.
struct Redirections {
    /// A file, or a program that reads.
    struct Sink {
        var target: OutputTarget
        /// The program; `nil` for a file.
        var child: ChildCommand?

        /// Opens what an argument names: a file that is made or written anew, or a program after `|`.
        ///
        /// - Throws: ``CommandFailure``.
        init(_ argument: String) throws {
            if argument.hasPrefix("|") {
                let command = String(argument.dropFirst().drop(while: \.isWhitespace))
                let child = try ChildCommand(command, takesInput: true)
                guard let input = child.input else { throw CommandFailure(.unavailable, "cannot start \(command)") }
                self.child = child
                target = OutputTarget(descriptor: input, name: command)
            } else {
                let descriptor = try FileDescriptor.openForOverwriting(argument)
                target = OutputTarget(descriptor: descriptor, name: argument)
            }
        }

        /// Ends the file, or waits for the program.
        ///
        /// - Throws: ``CommandFailure`` if the file cannot be written to its end, or the program failed.
        func close() throws {
            do {
                try target.descriptor.closeFile()
            } catch {
                throw CommandFailure.system(error, "cannot write \(target.name)")
            }
            guard let child else { return }
            let code = child.wait()
            guard code == 0 else {
                throw CommandFailure(
                    code == 127 ? .unavailable : .inputOutput, "\(target.name) ended with exit code \(code)")
            }
        }
    }

    /// For every command.
    var lasting: Sink?
    /// For the next command alone.
    var once: Sink?

    /// Ends what is open.
    mutating func close() throws {
        defer {
            lasting = nil
            once = nil
        }
        try once?.close()
        try lasting?.close()
    }
}
