package import DocIndex

/// A position in the feed of a peer. Its form is the peer's own affair: usually a string, with some peers a number or an
/// array.
package struct PeerPosition: Sendable, Hashable {
    package let value: DocumentValue

    package init(_ value: DocumentValue) { self.value = value }

    /// Before everything.
    package static let start = PeerPosition(.int(0))

    /// The position as a query parameter.
    package var parameter: String {
        if case .string(let text) = value { return text }
        return value.json
    }
}

/// A peer's description of a database.
package struct DatabaseInformation: Sendable, Hashable {
    /// The last position of the feed; `nil` if the peer does not say.
    package let position: PeerPosition?
    /// Distinguishes the database from one that is later made under its name; `nil` if the peer does not say.
    package let instance: String?
    /// The number of documents; `nil` if the peer does not say.
    package let documentCount: Int?

    package init(_ object: DocumentObject) {
        position = object["update_seq"].map(PeerPosition.init)
        instance = object["instance_start_time"].flatMap { if case .string(let text) = $0 { text } else { nil } }
        documentCount = object["doc_count"].flatMap { if case .int(let count) = $0 { Int(count) } else { nil } }
    }
}

/// An error that a peer reports, in a response or for one document of several.
package struct PeerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The status of the response; 0 for an error of one document.
    package let status: Int
    /// The kind of error, such as `not_found`.
    package let error: String
    package let reason: String
    /// The time to wait before the next request, as the peer demands.
    package let retryAfter: Duration?

    package init(status: Int, error: String, reason: String, retryAfter: Duration? = nil) {
        self.status = status
        self.error = error
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// Reads the body of a response.
    package init(_ body: [UInt8], of response: SyncResponse) {
        var (error, reason) = ("", "")
        if case .object(let object)? = try? JSONParser().parse(body) {
            if case .string(let text)? = object["error"] { error = text }
            if case .string(let text)? = object["reason"] { reason = text }
        }
        self.init(
            status: response.status, error: String(error.prefix(100)), reason: String(reason.prefix(500)),
            retryAfter: response.fields.count("Retry-After").map { .seconds(min($0, 3600)) })
    }

    /// Returns an error of one document as if it were that of a response.
    func withStatus(_ status: Int) -> PeerError {
        PeerError(status: status, error: error, reason: reason, retryAfter: retryAfter)
    }

    package var description: String {
        let status = status == 0 ? "" : "\(status) "
        return "\(status)\(error)\(error.isEmpty || reason.isEmpty ? "" : ": ")\(reason)"
    }
}
