import ArgumentParser
import DocIndex
import LevelKit

/// The options that name a range of keys.
struct RangeOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: "Keys that begin with this.") var prefix: String?
    @Option(name: .long, parsing: .unconditional, help: "Keys from this one on.") var from: String?
    @Option(name: .long, parsing: .unconditional, help: "Keys behind this one.") var after: String?
    @Option(name: .long, parsing: .unconditional, help: "Keys before this one.") var to: String?
    @Option(name: .long, parsing: .unconditional, help: "Keys up to this one, with it.") var upto: String?

    func keyRange() throws -> KeyRange {
        if let prefix {
            guard from == nil, after == nil, to == nil, upto == nil else {
                throw CommandFailure(.usage, "--prefix names a range by itself", hint: "leave out the other bounds")
            }
            return .prefix(try ByteNotation.parse(prefix))
        }
        guard from == nil || after == nil, to == nil || upto == nil else {
            throw CommandFailure(.usage, "a range has one lower and one upper bound")
        }
        var range = KeyRange.all
        if let from { range.lower = .included(try ByteNotation.parse(from)) }
        if let after { range.lower = .excluded(try ByteNotation.parse(after)) }
        if let to { range.upper = .excluded(try ByteNotation.parse(to)) }
        if let upto { range.upper = .included(try ByteNotation.parse(upto)) }
        return range
    }
}

/// Keys and values between the command line and the database.
enum RawArgument {
    /// The bytes that an argument stands for.
    static func bytes(_ argument: String) throws -> [UInt8] {
        try ByteNotation.parse(Invocation.plain(argument))
    }

    /// Keeps a raw write from putting documents and indexes out of step.
    static func refuseDocumentStore(_ session: Session, _ command: String) throws {
        if try session.isDocumentStore() {
            throw CommandFailure(
                .usage,
                "\(command) writes raw keys, and \(session.path) is a document store whose indexes that would break",
                hint: "use doc \(command)")
        }
    }
}
