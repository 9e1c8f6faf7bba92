package import DocIndex

/// A document that changed, with its leaves.
package struct ChangeRow: Sendable {
    package let id: String
    /// The leaves, or only the winner, depending on the request.
    package let revisions: [Revision]
}

/// Reads the rows of a feed of changes while they arrive.
package struct ChangesReader: Sendable {
    /// A part of the feed.
    package enum Part: Sendable {
        case row(ChangeRow)
        /// A row that cannot be used.
        case problem(DocumentError)
        /// Where the feed ended.
        case end(PeerPosition)
        /// The number of rows that follow.
        case pending(Int)
    }

    private var envelope: EnvelopeReader

    package init(byteLimit: Int) {
        envelope = EnvelopeReader(elementsOf: "results", of: "The answer of _changes", byteLimit: byteLimit)
    }

    package mutating func append(_ chunk: [UInt8]) { envelope.append(chunk) }

    package mutating func finish() { envelope.finish() }

    /// Returns the next part; `nil` if more input is needed.
    package mutating func next() throws(MessageError) -> Part? {
        while let part = try envelope.next() {
            switch part {
            case .element(let text): return try Self.row(text)
            case .oversized(let beginning):
                return .problem(
                    DocumentError(
                        .tooLarge, id: Self.id(at: beginning) ?? "",
                        "the document is larger than \(envelope.byteLimit) bytes; raise the limit"))
            case .member("last_seq", let text): return .end(PeerPosition(try Self.value(text)))
            case .member("pending", let text):
                if case .int(let count) = try Self.value(text) { return .pending(Int(count)) }
            case .member: continue
            }
        }
        return nil
    }

    /// Reads one row.
    static func row(_ text: [UInt8]) throws(MessageError) -> Part {
        var id: String?
        var revisions: [Revision] = []
        var isReadable = true
        var members = try JSONParts.members(of: text)
        while let name = try members.nextName() {
            switch name {
            case "id": if case .string(let text) = try value(&members) { id = text }
            case "changes":
                guard case .array(let changes) = try value(&members) else { throw malformed }
                for change in changes {
                    guard case .object(let object) = change, case .string(let text)? = object["rev"],
                        let revision = Revision(text)
                    else {
                        isReadable = false
                        continue
                    }
                    revisions.append(revision)
                }
            default: _ = try members.skipValue()
            }
        }
        guard let id else { throw malformed }
        guard isReadable else {
            return .problem(
                DocumentError(.malformed, id: id, "the peer lists a revision that is none; it cannot be replicated"))
        }
        return .row(ChangeRow(id: id, revisions: revisions))
    }

    private static var malformed: MessageError {
        MessageError(.malformed, "A row of _changes has no ID or no revisions.")
    }

    private static func value(_ text: inout JSONParts) throws(MessageError) -> DocumentValue {
        switch try text.parseValue() {
        case .success(let value): return value
        case .failure(let error): throw MessageError(error, in: "A row of _changes")
        }
    }

    private static func value(_ text: [UInt8]) throws(MessageError) -> DocumentValue {
        do throws(JSONError) {
            return try JSONParser().parse(text)
        } catch {
            throw MessageError(error, in: "A row of _changes")
        }
    }

    /// Returns the ID of a row whose end is not at hand.
    private static func id(at beginning: [UInt8]) -> String? {
        guard var members = try? JSONParts.members(of: beginning) else { return nil }
        while let member = try? members.nextMember() {
            if member.name == "id", case .string(let id)? = try? value(Array(beginning[member.value])) { return id }
        }
        return nil
    }
}
