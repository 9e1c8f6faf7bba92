internal import DocIndex
internal import DocSync

/// A condition on the stored document that a request for a write states (RFC 9110, section 13.1). Without it, a program
/// could overwrite changes that it has not seen.
enum WritePrecondition: Sendable, Hashable {
    /// There is no document: `If-None-Match: *`.
    case absent
    /// There is any document: `If-Match: *`.
    case present
    /// The document has one of these tags.
    case tags([String])

    /// Reads the fields of a request.
    ///
    /// - Throws: ``Problem`` with `preconditionRequired`, or `badRequest` for both fields.
    init(_ request: SyncRequest) throws {
        switch (request.fields["If-Match"], request.fields["If-None-Match"]) {
        case (nil, nil):
            throw Problem(
                .preconditionRequired,
                "Set If-Match to the ETag of the document, or If-None-Match to * for a new document.")
        case (let match?, nil): self.init(match: match)
        case (nil, "*"?): self = .absent
        default:
            throw Problem(.badRequest, "Set either If-Match, or If-None-Match to *.", parameter: "If-Match")
        }
    }

    /// Reads the value of `If-Match`.
    init(match: String) {
        let tags = match.split(separator: ",").map { String($0.drop { $0 == " " }).trimmed }
        self = tags == ["*"] ? .present : .tags(tags)
    }

    /// Returns the tag of a version of a document.
    static func tag(_ epoch: String, _ sequence: UInt64) -> String { "\"\(epoch)-\(sequence)\"" }

    /// Returns the condition of the write.
    ///
    /// - Parameter stored: the stored document; `nil` if there is none.
    /// - Throws: ``Problem`` with `preconditionFailed`.
    func condition(on stored: Document?, epoch: String) throws -> Document.WriteCondition {
        switch (self, stored) {
        case (.absent, nil): return .absent
        case (.absent, .some):
            throw Problem(.preconditionFailed, "The document already exists; read it, and set If-Match.")
        case (_, nil):
            throw Problem(.preconditionFailed, "There is no such document; set If-None-Match to * to create it.")
        case (.present, .some): return .present
        case (.tags(let tags), let stored?):
            let current = Self.tag(epoch, stored.sequence)
            guard tags.contains(current) else {
                var problem = Problem(
                    .preconditionFailed, "The document has been changed by another writer; read it, and try again.")
                problem.fields["ETag"] = current
                throw problem
            }
            return .sequence(stored.sequence)
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
