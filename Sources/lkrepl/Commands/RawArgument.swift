import DocIndex
import LevelFiles
import LevelKit

/// Conversion of command-line arguments to keys and values.
enum RawArgument {
    /// The maximum size in bytes of a value or a document that is read from a file.
    static let byteLimit = 1 << 30
    /// The maximum size in bytes of a schema file.
    static let schemaByteLimit = 16 << 20

    /// The bytes that an argument denotes.
    static func bytes(_ argument: String) throws -> [UInt8] {
        try ByteNotation.parse(ProtectedArgument.plain(argument))
    }

    /// The value that an argument denotes: `-` reads standard input, `@FILE` the contents of a file. Quoted, both
    /// are plain strings.
    static func value(_ argument: String) throws -> [UInt8] {
        let plain = ProtectedArgument.plain(argument)
        if plain == "-" {
            do {
                return try FileDescriptor.openForReading("-").readAll(limit: byteLimit, name: "standard input")
            } catch let error as SystemError {
                throw CommandError.system(error, "cannot read standard input")
            }
        }
        guard plain.hasPrefix("@") else { return try ByteNotation.parse(plain) }
        let file = try ArgumentOrigin.current.text(of: String(plain.dropFirst()))
        let descriptor = try FileDescriptor.openForReading(file)
        defer { try? descriptor.closeFile() }
        return try descriptor.readAll(limit: byteLimit, name: file)
    }

    /// Throws a ``CommandError`` for raw writes to a document store, which would leave its indexes inconsistent.
    static func refuseDocumentStore(_ session: Session, _ command: String) throws {
        if try session.isDocumentStore() {
            throw CommandError(
                .usage,
                "\(command) writes raw keys, which would break the indexes of the document store \(session.path)",
                hint: "use doc \(command == "put" || command == "del" ? command : "put and doc del")")
        }
    }
}

extension RawArgument {
    /// Throws a ``CommandError`` for commands that need the database closed while the shell has it open.
    static func refuseShell(_ command: String) throws {
        guard Session.shell == nil else {
            throw CommandError(
                .usage, "\(command) cannot run in the shell, which has the database open",
                hint: "leave the shell and run lkrepl \(command) DB")
        }
    }
}

extension RawArgument {
    /// The next line of a file that a command reads; `nil` at the end.
    static func nextLine(_ reader: inout LineReader, of name: String) throws -> LineReader.Line? {
        do throws(LineReadError) { return try reader.next() } catch { throw error.commandError(reading: name) }
    }
}
