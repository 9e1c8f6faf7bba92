import DocIndex
import LevelKit

/// Keys and values between the command line and the database.
enum RawArgument {
    /// The most bytes that are read of a value or a document in a file.
    static let byteLimit = 1 << 30
    /// The most bytes that are read of a schema.
    static let schemaByteLimit = 16 << 20

    /// The bytes that an argument stands for.
    static func bytes(_ argument: String) throws -> [UInt8] {
        try ByteNotation.parse(Invocation.plain(argument))
    }

    /// The value that an argument stands for: `-` is standard input, `@FILE` the content of a file. In quotes both are
    /// texts like any other.
    static func value(_ argument: String) throws -> [UInt8] {
        let plain = Invocation.plain(argument)
        if plain == "-" {
            do {
                return try FileDescriptor.openForReading("-").readAll(limit: byteLimit, name: "standard input")
            } catch let error as SystemError {
                throw CommandFailure.system(error, "cannot read standard input")
            }
        }
        guard plain.hasPrefix("@") else { return try ByteNotation.parse(plain) }
        let file = try ArgumentOrigin.current.text(of: String(plain.dropFirst()))
        let descriptor = try FileDescriptor.openForReading(file)
        defer { try? descriptor.closeFile() }
        return try descriptor.readAll(limit: byteLimit, name: file)
    }

    /// Keeps a raw write from putting documents and indexes out of step.
    static func refuseDocumentStore(_ session: Session, _ command: String) throws {
        if try session.isDocumentStore() {
            throw CommandFailure(
                .usage,
                "\(command) writes raw keys, and \(session.path) is a document store whose indexes that would break",
                hint: "use doc \(command == "put" || command == "del" ? command : "put and doc del")")
        }
    }
}

extension RawArgument {
    /// Keeps the shell from pulling its own database out from under itself.
    static func refuseShell(_ command: String) throws {
        guard Session.shell == nil else {
            throw CommandFailure(
                .usage, "\(command) needs the database closed, and the shell has it open",
                hint: "leave the shell and run lkrepl \(command) DB")
        }
    }
}

extension RawArgument {
    /// The next line of a file that a command reads.
    static func nextLine(_ reader: inout LineReader, of name: String) throws -> LineReader.Line? {
        do throws(LineReadFailure) { return try reader.next() } catch { throw error.commandFailure(reading: name) }
    }
}
