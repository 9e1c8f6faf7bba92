internal import DocIndex

/// Reads the answer of `_bulk_get` while it arrives: versions of documents, or why there is none.
package struct BulkDocumentsReader: Sendable {
    /// The peer's answer for one version.
    package enum Part: Sendable {
        case document(WireDocument)
        /// A version that cannot be stored.
        case problem(DocumentError)
        /// A version that the peer does not have, or cannot read.
        case absent(id: String, revision: String)
    }

    private var envelope: EnvelopeReader
    private let idField: String
    private var parts: [Part] = []
    /// The number of ``parts`` that have been returned.
    private var returnedCount = 0
    /// The number of bytes of the versions that have been returned.
    package private(set) var byteCount = 0

    package init(idField: String, byteLimit: Int) {
        self.idField = idField
        envelope = EnvelopeReader(elementsOf: "results", of: "The answer of _bulk_get", byteLimit: byteLimit)
    }

    package mutating func append(_ chunk: [UInt8]) { envelope.append(chunk) }

    package mutating func finish() { envelope.finish() }

    /// Returns the next part; `nil` if more input is needed.
    package mutating func next() throws(MessageError) -> Part? {
        while returnedCount == parts.count {
            parts.removeAll(keepingCapacity: true)
            returnedCount = 0
            guard let part = try envelope.next() else { return nil }
            switch part {
            case .element(let text):
                byteCount += text.count
                try add(text)
            case .oversized(let beginning):
                parts.append(
                    .problem(
                        DocumentError(
                            .tooLarge, id: Self.id(at: beginning),
                            "the document is larger than \(envelope.byteLimit) bytes; raise the limit")))
            case .member: continue
            }
        }
        returnedCount += 1
        return parts[returnedCount - 1]
    }

    private mutating func add(_ text: [UInt8]) throws(MessageError) {
        var members = try JSONParts.members(of: text)
        var id = ""
        while let name = try members.nextName() {
            switch name {
            case "id": id = try Self.string(&members)
            case "docs":
                var elements = try members.enterArray()
                try add(&elements, id: id)
                members.leave(elements)
            default: _ = try members.skipValue()
            }
        }
        // The ID may follow the versions.
        for index in parts.indices { parts[index] = parts[index].named(id) }
    }

    /// Adds versions: each is `{"ok": document}` or `{"error": …}`; in an answer of `open_revs`, also
    /// `{"missing": revision}`.
    package mutating func add(_ versions: inout JSONParts, id: String) throws(MessageError) {
        while try versions.moveToElement() {
            var members = try versions.enterObject()
            while let name = try members.nextName() {
                switch name {
                case "ok": try addDocument(&members, id: id)
                case "missing": parts.append(.absent(id: id, revision: try Self.string(&members)))
                case "error":
                    var revision = ""
                    var fields = try members.enterObject()
                    while let field = try fields.nextName() {
                        if field == "rev" { revision = try Self.string(&fields) } else { _ = try fields.skipValue() }
                    }
                    members.leave(fields)
                    parts.append(.absent(id: id, revision: revision))
                default: _ = try members.skipValue()
                }
            }
            versions.leave(members)
        }
    }

    private mutating func addDocument(_ text: inout JSONParts, id: String) throws(MessageError) {
        do throws(DocumentError) {
            var members: JSONParts
            do throws(MessageError) {
                members = try text.enterObject()
            } catch {
                throw DocumentError(.malformed, id: id, error.message)
            }
            parts.append(.document(try WireDocument(reading: &members, idField: idField)))
            text.leave(members)
        } catch {
            _ = try text.skipValue()
            parts.append(Part.problem(error).named(id))
        }
    }

    /// Takes a string; returns an empty one for another value.
    private static func string(_ text: inout JSONParts) throws(MessageError) -> String {
        guard case .success(.string(let value)) = try text.parseValue() else { return "" }
        return value
    }

    private static func id(at beginning: [UInt8]) -> String {
        guard var members = try? JSONParts.members(of: beginning) else { return "" }
        while let member = try? members.nextMember() {
            guard member.name == "id" else { continue }
            guard case .string(let id)? = try? JSONParser().parse(beginning.span.extracting(member.value)) else {
                break
            }
            return id
        }
        return ""
    }
}

extension BulkDocumentsReader.Part {
    /// Returns the part with the ID of its document, unless it has one.
    fileprivate func named(_ id: String) -> Self {
        switch self {
        case .problem(let problem) where problem.id.isEmpty:
            .problem(DocumentError(problem.code, id: id, revision: problem.revision, problem.message))
        case .absent("", let revision): .absent(id: id, revision: revision)
        default: self
        }
    }
}
