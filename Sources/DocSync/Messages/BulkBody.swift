package import DocIndex

/// The body of a request to `_bulk_docs` that stores versions as they are.
package struct BulkBody: Sendable {
    /// The documents as JSON, separated by commas.
    private var documents: [UInt8] = []
    private static let beginning = Array(#"{"new_edits":false,"docs":["#.utf8)
    private static let end = Array("]}".utf8)
    /// The IDs and revisions of the documents in it.
    package private(set) var entries: [(id: String, revision: String, range: Range<Int>)] = []

    package init() {}

    package var byteCount: Int { documents.count }

    /// Adds a document in JSON.
    package mutating func add(_ text: [UInt8], id: String, revision: String) {
        if !entries.isEmpty { documents.append(UInt8(ascii: ",")) }
        let start = documents.count
        documents += text
        entries.append((id, revision, start..<documents.count))
    }

    /// The body.
    package var text: [UInt8] { Self.beginning + documents + Self.end }

    /// The body, without a copy of the documents.
    package var content: SyncBody { .stream(ByteStream([Self.beginning, documents, Self.end])) }

    /// Returns the first and the second half of the documents; `nil` if there is only one.
    package var halves: (BulkBody, BulkBody)? {
        guard entries.count > 1 else { return nil }
        var halves = (BulkBody(), BulkBody())
        for (index, entry) in entries.enumerated() {
            let text = Array(documents[entry.range])
            if index < entries.count / 2 {
                halves.0.add(text, id: entry.id, revision: entry.revision)
            } else {
                halves.1.add(text, id: entry.id, revision: entry.revision)
            }
        }
        return halves
    }
}

/// The messages of `_revs_diff`.
package enum RevisionsDifference {
    /// The revisions of one document that a target lacks.
    package struct Entry: Sendable, Hashable {
        package let missing: [Revision]
        package let possibleAncestors: [Revision]

        package init(missing: [Revision], possibleAncestors: [Revision]) {
            self.missing = missing
            self.possibleAncestors = possibleAncestors
        }
    }

    /// Returns the body of a request.
    package static func request(_ revisions: [(id: String, revisions: [Revision])]) -> [UInt8] {
        object(revisions.map { ($0.id, texts($0.revisions)) })
    }

    /// Reads the body of a request.
    ///
    /// CouchDB's replicator names a document twice if it changed twice since the last request. The lists of equal names
    /// are joined.
    package static func revisions(
        in body: [UInt8]
    ) throws(MessageError) -> [(id: String, revisions: [Revision])] {
        var result: [(id: String, revisions: [Revision])] = []
        var places: [String: Int] = [:]
        var joined: Set<Int> = []
        for member in try members(of: body, in: "The body of _revs_diff") {
            guard let revisions = revisions(member.value) else {
                throw MessageError(.malformed, "The body of _revs_diff has a member that is not a list of revisions.")
            }
            if let place = places[member.name] {
                result[place].revisions += revisions
                joined.insert(place)
            } else {
                places[member.name] = result.count
                result.append((member.name, revisions))
            }
        }
        for place in joined {
            var known: Set<Revision> = []
            result[place].revisions.removeAll { !known.insert($0).inserted }
        }
        return result
    }

    /// Returns the members of an object, of which several may have the same name.
    private static func members(
        of body: [UInt8], in what: String
    ) throws(MessageError) -> [(name: String, value: DocumentValue)] {
        var parsed: DocumentValue?
        do throws(JSONError) {
            parsed = try JSONParser().parse(body)
        } catch {
            guard error.code == .duplicateName else { throw MessageError(error, in: what) }
        }
        if case .object(let object)? = parsed { return object.map { ($0.name, $0.value) } }
        guard parsed == nil else { throw MessageError(.malformed, "\(what) is not an object.") }
        var reader = EnvelopeReader(elementsOf: nil, of: what, byteLimit: body.count, allowsRepeatedNames: true)
        reader.append(body)
        reader.finish()
        var members: [(name: String, value: DocumentValue)] = []
        while let part = try reader.next() {
            guard case .member(let name, let text) = part else {
                throw MessageError(.malformed, "\(what) is not an object.")
            }
            do throws(JSONError) {
                members.append((name, try JSONParser().parse(text)))
            } catch {
                throw MessageError(error, in: what)
            }
        }
        return members
    }

    /// Reads the body of an answer.
    package static func entries(in body: [UInt8]) throws(MessageError) -> [String: Entry] {
        var result: [String: Entry] = [:]
        for member in try parsed(body, in: "The answer of _revs_diff") {
            guard case .object(let entry) = member.value, let missing = entry["missing"].flatMap(revisions) else {
                throw MessageError(.malformed, "The answer of _revs_diff has a member without revisions.")
            }
            result[member.name] = Entry(
                missing: missing, possibleAncestors: entry["possible_ancestors"].flatMap(revisions) ?? [])
        }
        return result
    }

    /// Returns the body of an answer.
    package static func answer(_ entries: [(id: String, entry: Entry)]) -> [UInt8] {
        object(
            entries.map { id, entry in
                var object: DocumentObject = ["missing": texts(entry.missing)]
                if !entry.possibleAncestors.isEmpty { object["possible_ancestors"] = texts(entry.possibleAncestors) }
                return (id, .object(object))
            })
    }

    private static func parsed(_ body: [UInt8], in what: String) throws(MessageError) -> DocumentObject {
        do throws(JSONError) {
            if case .object(let object) = try JSONParser().parse(body) { return object }
        } catch {
            throw MessageError(error, in: what)
        }
        throw MessageError(.malformed, "\(what) is not an object.")
    }

    private static func revisions(_ value: DocumentValue) -> [Revision]? {
        guard case .array(let values) = value else { return nil }
        var revisions: [Revision] = []
        for value in values {
            guard case .string(let text) = value, let revision = Revision(text) else { return nil }
            revisions.append(revision)
        }
        return revisions
    }

    private static func texts(_ revisions: [Revision]) -> DocumentValue {
        .array(revisions.map { .string($0.description) })
    }

    private static func object(_ members: [(String, DocumentValue)]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (name, value) in members {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            JSONWriter().write(.string(name), to: &text)
            text.append(UInt8(ascii: ":"))
            JSONWriter().write(value, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }
}
