package import DocIndex

/// The other side of a replication: a database, and the way to reach it.
public struct Peer: Sendable {
    package let transport: any Transport
    /// The parts of the path to the database, such as `["photos"]`.
    package let path: [String]
    package let credentials: Credentials
    package let policy: RetryPolicy
    /// The number of times that a request is sent before its failure ends the replication; `nil` for any number.
    package var attemptLimit: Int?
    /// The size of a document in bytes above which it is left out.
    package let documentLimit: Int
    /// Is told of every failure that is followed by another attempt.
    package var onRetry: @Sendable (_ error: any Error, _ delay: Duration) -> Void = { _, _ in }
    /// Is told of every request.
    package var onRequest: @Sendable () -> Void = {}

    package init(
        _ transport: any Transport, database path: [String], credentials: Credentials = .none,
        policy: RetryPolicy = RetryPolicy(), attemptLimit: Int? = 6, documentLimit: Int = 8_000_000
    ) {
        self.transport = transport
        self.path = path
        self.credentials = credentials
        self.policy = policy
        self.attemptLimit = attemptLimit
        self.documentLimit = documentLimit
    }

    /// The largest answer that is held in memory as a whole.
    private static let answerLimit = 16 << 20
    /// The time between signs of life of a feed that waits, in milliseconds.
    private static let heartbeat = 15_000
    /// The number of times that a request is sent whose answer is the status 500, which can be permanent.
    private static let serverErrorLimit = 3
}

// MARK: - Sending

extension Peer {
    /// Sends a request until it succeeds, and reads its answer.
    ///
    /// - Parameter read: reads the body. Each attempt starts from the beginning.
    /// - Throws: ``PeerError`` for an answer that will be the same next time; ``TransportError`` or ``MessageError``
    ///   once the attempts are used up.
    func perform<R>(
        _ method: SyncRequest.Method, _ target: String, fields: HeaderFields = ["Accept": "application/json"],
        body: SyncBody = .none, silenceLimit: Duration = .seconds(60), repeatsAfterSilence: Bool = true,
        repeatsAfterCut: Bool = true, _ read: (SyncResponse) async throws -> R
    ) async throws -> R {
        var attempt = 1
        while true {
            do {
                return try await performOnce(method, target, fields, body, silenceLimit, read)
            } catch {
                try Task.checkCancellation()
                if !repeatsAfterSilence, (error as? TransportError)?.code == .timedOut { throw error }
                if !repeatsAfterCut, let cut = error as? TransportError, cut.isInterruption {
                    onRetry(error, .zero)
                    throw error
                }
                try await wait(after: error, attempt: attempt)
                attempt += 1
            }
        }
    }

    /// Waits until a request that failed may be sent again.
    ///
    /// - Parameter attempt: the number of failures so far, from 1.
    /// - Throws: the error if the request would fail again, or if the attempts are used up; `CancellationError`.
    func wait(after error: any Error, attempt: Int) async throws {
        try Task.checkCancellation()
        guard let retryAfter = Self.retry(after: error, attempt: attempt), attemptLimit.map({ attempt < $0 }) ?? true
        else { throw error }
        var random = SystemRandomNumberGenerator()
        let delay = policy.delay(attempt: attempt, retryAfter: retryAfter, using: &random)
        onRetry(error, delay)
        try await Task.sleep(for: delay)
    }

    private func performOnce<R>(
        _ method: SyncRequest.Method, _ target: String, _ fields: HeaderFields, _ body: SyncBody,
        _ silenceLimit: Duration, _ read: (SyncResponse) async throws -> R
    ) async throws -> R {
        var request = SyncRequest(method, target, fields: fields, body: body, silenceLimit: silenceLimit)
        if let authorization = try await credentials.authorization() {
            request.fields["Authorization"] = authorization
        }
        onRequest()
        let response = try await transport.send(request)
        guard response.isSuccess else {
            throw PeerError(try await response.body.collected(limit: Self.answerLimit), of: response)
        }
        return try await read(response)
    }

    /// Sends a request, repeatedly if necessary, and returns the response before its body has arrived.
    func open(_ method: SyncRequest.Method, _ target: String, fields: HeaderFields) async throws -> SyncResponse {
        try await perform(method, target, fields: fields) { $0 }
    }

    /// Returns how long to wait at least before the same request is sent again; `nil` if it would fail again.
    private static func retry(after error: any Error, attempt: Int) -> Duration? {
        switch error {
        case let error as PeerError:
            guard RetryPolicy.isTransient(status: error.status) || error.status == 500 && attempt < serverErrorLimit
            else { return nil }
            return error.retryAfter ?? .zero
        case let error as TransportError: return error.code.isTransient ? .zero : nil
        case let error as MessageError: return error.code == .tooLarge ? nil : .zero
        default: return nil
        }
    }

    func target(_ parts: String..., query: KeyValuePairs<String, String> = [:]) -> String {
        Target.text(path + parts, query)
    }

    /// Sends a request whose answer is an object.
    func object(
        _ method: SyncRequest.Method, _ target: String, _ body: [UInt8]? = nil
    ) async throws -> DocumentObject {
        try await perform(
            method, target, fields: Self.fields(hasBody: body != nil), body: body.map(SyncBody.bytes) ?? .none
        ) { response in
            try Self.object(try await response.body.collected(limit: Self.answerLimit))
        }
    }

    static func fields(hasBody: Bool) -> HeaderFields {
        hasBody
            ? ["Accept": "application/json", "Content-Type": "application/json"] : ["Accept": "application/json"]
    }

    private static func object(_ text: [UInt8]) throws(MessageError) -> DocumentObject {
        do throws(JSONError) {
            if case .object(let object) = try JSONParser().parse(text) { return object }
        } catch {
            throw MessageError(error, in: "The answer of the peer")
        }
        throw MessageError(.malformed, "The answer of the peer is not an object; check the address.")
    }
}

// MARK: - Requests

extension Peer {
    /// Returns what identifies the server; `nil` if it does not say.
    package func serverID() async throws -> String? {
        do {
            let welcome = try await object(.get, "/")
            if case .string(let text)? = welcome["uuid"] { return text }
            return nil
        } catch let error as PeerError where error.status == 404 || error.status == 403 {
            return nil
        }
    }

    /// Returns what the peer says about the database.
    package func information() async throws -> DatabaseInformation {
        DatabaseInformation(try await object(.get, target()))
    }

    /// Returns a document that is not replicated; `nil` if there is none.
    package func localRecord(_ name: String) async throws -> DocumentObject? {
        do {
            return try await object(.get, target("_local", name))
        } catch let error as PeerError where error.status == 404 {
            return nil
        }
    }

    /// Stores a document that is not replicated.
    package func setLocalRecord(_ name: String, to object: DocumentObject) async throws {
        try await setLocalRecord(name, to: object, replacing: try await localRecord(name))
    }

    /// Stores a document that is not replicated in place of another one; `nil` if there is none.
    package func setLocalRecord(
        _ name: String, to object: DocumentObject, replacing stored: DocumentObject?
    ) async throws {
        var object = object
        object["_id"] = .string("_local/\(name)")
        // Without the revision of the stored document, some peers refuse it and others replace it.
        object["_rev"] = stored?["_rev"]
        _ = try await self.object(.put, target("_local", name), Array(DocumentValue.object(object).json.utf8))
    }

    /// Makes the peer write everything to its disk.
    package func commit() async throws {
        _ = try await object(.post, target("_ensure_full_commit"), Array("{}".utf8))
    }

    /// Reads rows of the feed.
    ///
    /// - Parameters:
    ///   - waits: whether to wait for a change if there is none. The peer then sends a sign of life now and then; if
    ///     none comes, the request is not repeated.
    ///   - add: takes each part. It starts from the beginning if the request is repeated.
    package func changes(
        since position: PeerPosition, limit: Int, waits: Bool = false,
        begin: () -> Void, _ add: (ChangesReader.Part) throws -> Void
    ) async throws {
        var query: [(String, String)] = [
            ("style", "all_docs"), ("since", position.parameter), ("limit", "\(limit)"), ("seq_interval", "\(limit)"),
        ]
        if waits { query += [("feed", "longpoll"), ("heartbeat", "\(Self.heartbeat)")] }
        let text = query.map { "\($0.0)=\(PercentCoding.encoded($0.1))" }.joined(separator: "&")
        try await perform(
            .get, target("_changes") + "?" + text, silenceLimit: .milliseconds(Self.heartbeat * 3),
            repeatsAfterSilence: !waits
        ) { response in
            begin()
            var reader = ChangesReader(byteLimit: documentLimit)
            for try await chunk in response.body.chunks {
                reader.append(chunk)
                while let part = try reader.next() { try add(part) }
            }
            reader.finish()
            while let part = try reader.next() { try add(part) }
        }
    }

    /// Returns which revisions the peer lacks, by ID.
    package func missing(
        _ revisions: [(id: String, revisions: [Revision])]
    ) async throws -> [String: RevisionsDifference.Entry] {
        let body = RevisionsDifference.request(revisions)
        return try await perform(.post, target("_revs_diff"), fields: Self.fields(hasBody: true), body: .bytes(body)) {
            try RevisionsDifference.entries(in: try await $0.body.collected(limit: Self.answerLimit))
        }
    }

    /// Reads versions of documents with their attachments.
    ///
    /// If the answer breaks off, the versions that have arrived are all.
    ///
    /// - Parameter add: takes each version, with the size of all so far. It starts from the beginning if the request is
    ///   repeated. If it returns `false`, the rest is not read.
    package func documents(
        _ requests: [(id: String, revision: Revision)], idField: String, begin: () -> Void,
        _ add: (BulkDocumentsReader.Part, _ byteCount: Int) throws -> Bool
    ) async throws {
        let body = Self.list(requests)
        let target = target("_bulk_get", query: ["revs": "true", "latest": "true", "attachments": "false"])
        try await perform(.post, target, fields: Self.fields(hasBody: true), body: .bytes(body)) { response in
            begin()
            var reader = BulkDocumentsReader(idField: idField, byteLimit: 2 * documentLimit)
            var count = 0
            do {
                for try await chunk in response.body.chunks {
                    reader.append(chunk)
                    while let part = try reader.next() {
                        count += 1
                        if try !add(part, reader.byteCount) { return }
                    }
                }
            } catch let error as TransportError where error.code.isTransient && count > 0 {
                // What has arrived need not be sent again. The caller requests the rest.
                onRetry(error, .zero)
                return
            }
            reader.finish()
            while let part = try reader.next() {
                if try !add(part, reader.byteCount) { return }
            }
        }
    }

    /// Asks for versions of documents together with the contents of their attachments.
    ///
    /// - Parameter read: reads the message: parts of the type `multipart/related`, one for each document.
    /// - Returns: `false` if the peer does not answer in that form.
    package func documentsWithContents(
        _ requests: [(id: String, revision: Revision)], _ read: (MediaType, ByteStream) async throws -> Void
    ) async throws -> Bool {
        let target = target("_bulk_get", query: ["revs": "true", "attachments": "true"])
        let fields: HeaderFields = ["Accept": "multipart/mixed", "Content-Type": "application/json"]
        return try await perform(.post, target, fields: fields, body: .bytes(Self.list(requests))) { response in
            let type = MediaType(response.fields["Content-Type"] ?? "")
            guard type.name == "multipart/mixed" else { return false }
            try await read(type, response.body.chunks)
            return true
        }
    }

    /// Returns the body of a request for versions.
    private static func list(_ requests: [(id: String, revision: Revision)]) -> [UInt8] {
        var body = Array(#"{"docs":["#.utf8)
        for (index, request) in requests.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            let entry: DocumentValue = [
                "id": .string(request.id), "rev": .string(request.revision.description),
            ]
            JSONWriter().write(entry, to: &body)
        }
        return body + Array("]}".utf8)
    }

    /// Returns all versions of a document, also deletions; an empty array if the peer does not have it.
    package func versions(of id: String, idField: String) async throws -> [BulkDocumentsReader.Part] {
        let target = target(id, query: ["open_revs": "all", "revs": "true"])
        do {
            return try await perform(.get, target) { response in
                let text = try await response.body.collected(limit: 8 * documentLimit)
                var reader = BulkDocumentsReader(idField: idField, byteLimit: documentLimit)
                var elements = try JSONParts.elements(of: text)
                try reader.add(&elements, id: id)
                var parts: [BulkDocumentsReader.Part] = []
                while let part = try reader.next() { parts.append(part) }
                return parts
            }
        } catch let error as PeerError where error.status == 404 {
            return []
        }
    }

    /// Stores versions as they are.
    ///
    /// - Parameter repeatsAfterCut: whether the request is sent again if the connection breaks off while it is sent.
    /// - Returns: the errors of single documents. All others are stored.
    package func store(
        _ documents: BulkBody, repeatsAfterCut: Bool = true
    ) async throws -> [(id: String, error: PeerError)] {
        try await perform(
            .post, target("_bulk_docs"), fields: Self.fields(hasBody: true), body: documents.content,
            repeatsAfterCut: repeatsAfterCut
        ) { response in
            try Self.errors(try await response.body.collected(limit: Self.answerLimit))
        }
    }

    /// Stores a version with the contents of its attachments.
    package func store(_ document: MultipartBody, id: String) async throws {
        let target = target(id, query: ["new_edits": "false"])
        let fields: HeaderFields = ["Accept": "application/json", "Content-Type": document.contentType]
        try await perform(.put, target, fields: fields, body: document.body) { response in
            _ = try await response.body.collected(limit: Self.answerLimit)
        }
    }

    /// Returns what the peer has attached to a version; `nil` if it has no such version.
    package func attachments(of id: String, _ revision: Revision) async throws -> [WireAttachment]? {
        do {
            return try await perform(.get, target(id, query: ["rev": revision.description])) { response in
                let text = try await response.body.collected(limit: documentLimit)
                return try WireDocument(reading: text, idField: "_id").attachments
            }
        } catch let error as PeerError where error.status == 404 {
            return nil
        }
    }

    private static func errors(_ text: [UInt8]) throws(MessageError) -> [(id: String, error: PeerError)] {
        let value: DocumentValue
        do throws(JSONError) {
            value = try JSONParser().parse(text)
        } catch {
            throw MessageError(error, in: "The answer of _bulk_docs")
        }
        guard case .array(let entries) = value else {
            throw MessageError(.malformed, "The answer of _bulk_docs is not an array.")
        }
        return entries.compactMap { entry in
            guard case .object(let entry) = entry, case .string(let id)? = entry["id"],
                case .string(let error)? = entry["error"]
            else { return nil }
            var reason = ""
            if case .string(let text)? = entry["reason"] { reason = text }
            return (id, PeerError(status: 0, error: error, reason: reason))
        }
    }
}
