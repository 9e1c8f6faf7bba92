/// The destinations of output set by `.once` and `.output`.
struct Redirections {
    /// A file, or a program that reads the output.
    struct Sink {
        var target: OutputTarget
        /// The program; `nil` for a file.
        var child: ChildCommand?

        /// Opens the sink that an argument names: a file, which is created or overwritten, or a program after `|`.
        ///
        /// - Throws: ``CommandError`` if it cannot be opened or started.
        init(_ argument: String) throws {
            if argument.hasPrefix("|") {
                let command = String(argument.dropFirst().drop(while: \.isWhitespace))
                let child = try ChildCommand(command, takesInput: true)
                guard let input = child.input else { throw CommandError(.unavailable, "cannot start \(command)") }
                self.child = child
                target = OutputTarget(descriptor: input, name: command)
            } else {
                let descriptor = try FileDescriptor.openForOverwriting(argument)
                target = OutputTarget(descriptor: descriptor, name: argument)
            }
        }

        /// Closes the file, or waits for the program.
        ///
        /// - Throws: ``CommandError`` if the file cannot be written completely, or the program failed.
        func close() throws {
            do {
                try target.descriptor.closeFile()
            } catch {
                throw CommandError.system(error, "cannot write \(target.name)")
            }
            guard let child else { return }
            let code = child.wait()
            guard code == 0 else {
                throw CommandError(
                    code == 127 ? .unavailable : .inputOutput, "\(target.name) exited with code \(code)")
            }
        }
    }

    /// The sink for every command.
    var lasting: Sink?
    /// The sink for the next command only.
    var once: Sink?

    /// Closes the open sinks.
    mutating func close() throws {
        defer {
            lasting = nil
            once = nil
        }
        try once?.close()
        try lasting?.close()
    }
}
