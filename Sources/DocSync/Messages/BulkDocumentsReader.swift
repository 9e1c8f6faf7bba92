internal import DocIndex

/// Reads the answer of `_bulk_get` while it arrives: versions of documents, or why there is none.
package struct BulkDocumentsReader: Sendable {
    /// The peer's answer for one version.
    package enum Part: Sendable {
        case document(WireDocument)
        /// A version that cannot be stored.
        case fault(DocumentFault)
        /// A version that the peer does not have, or cannot read.
        case absent(id: String, revision: String)
    }

    private var envelope: EnvelopeReader
    private let idField: String
    private var parts: [Part] = []
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
        while parts.isEmpty {
            guard let part = try envelope.next() else { return nil }
            switch part {
            case .element(let text):
                byteCount += text.count
                try add(text)
            case .oversized(let beginning):
                parts.append(
                    .fault(
                        DocumentFault(
                            .tooLarge, id: Self.id(at: beginning),
                            "the document is larger than \(envelope.byteLimit) bytes; raise the limit")))
            case .member: continue
            }
        }
        return parts.removeFirst()
    }

    private mutating func add(_ text: [UInt8]) throws(MessageError) {
        var members = try JSONParts.members(of: text)
        var versions: [Range<Int>] = []
        var id = ""
        while let member = try members.nextMember() {
            switch member.name {
            case "id": id = Self.string(text, member.value) ?? ""
            case "docs":
                var elements = try JSONParts.elements(of: text, in: member.value)
                while let element = try elements.nextElement() { versions.append(element) }
            default: continue
            }
        }
        for version in versions { try add(text, version, id: id) }
    }

    /// Adds one version: `{"ok": document}` or `{"error": …}`; in an answer of `open_revs`, also `{"missing": revision}`.
    package mutating func add(_ text: [UInt8], _ version: Range<Int>, id: String) throws(MessageError) {
        var members = try JSONParts.members(of: text, in: version)
        while let member = try members.nextMember() {
            switch member.name {
            case "ok":
                do throws(DocumentFault) {
                    parts.append(.document(try WireDocument(reading: text, in: member.value, idField: idField)))
                } catch {
                    parts.append(.fault(error.id.isEmpty ? DocumentFault(error.code, id: id, error.message) : error))
                }
            case "missing": parts.append(.absent(id: id, revision: Self.string(text, member.value) ?? ""))
            case "error":
                var revision = ""
                var fields = try JSONParts.members(of: text, in: member.value)
                while let field = try fields.nextMember() {
                    if field.name == "rev" { revision = Self.string(text, field.value) ?? "" }
                }
                parts.append(.absent(id: id, revision: revision))
            default: continue
            }
        }
    }

    private static func string(_ text: [UInt8], _ range: Range<Int>) -> String? {
        guard case .string(let value)? = try? JSONParser().parse(text.span.extracting(range)) else { return nil }
        return value
    }

    private static func id(at beginning: [UInt8]) -> String {
        guard var members = try? JSONParts.members(of: beginning) else { return "" }
        while let member = try? members.nextMember() {
            if member.name == "id" { return string(beginning, member.value) ?? "" }
        }
        return ""
    }
}
