public import DocIndex
internal import Synchronization

/// Answers replication requests. Each collection of a store appears as a database of the same name.
///
/// It has what the replicators of CouchDB, PouchDB and this library use. Other requests are refused in CouchDB's form.
/// Source: the replication protocol of Apache CouchDB.
public struct SyncServer: Responder {
    /// The permissions and limits of a server.
    public struct Options: Sendable {
        /// The collections that are served.
        public var collections: Set<String>
        /// Whether peers may store documents.
        public var isWritable = true
        /// The name and the password that every request must have; `nil` to serve every program of this machine, and no
        /// web page.
        public var login: (name: String, password: String)?
        /// The size of a document in bytes above which it is refused.
        public var documentLimit = 8_000_000
        /// The size of a request in bytes above which it is refused. Contents of attachments do not count.
        public var bodyLimit = 64 << 20
        /// The size of a request that lists revisions, in bytes. A list takes ten times as much memory.
        let messageLimit = 8 << 20
        /// Called for a document that is not sent to peers because the protocol has no form for it. Called once for
        /// each document, up to ``unsentLimit`` documents.
        public var onUnsent: (@Sendable (_ collection: String, _ problem: DocumentError) -> Void)?
        /// The maximum number of documents that ``onUnsent`` is called for.
        public static let unsentLimit = 1000

        /// Creates the options of a server for some collections.
        public init(collections: Set<String>) { self.collections = collections }
    }

    let store: AsyncDocumentStore
    let options: Options
    /// Stores the attachments that peers send.
    let contents: ContentQueue
    private let unsent = UnsentDocuments()

    /// Creates a server. The collections take part in replications from now on.
    ///
    /// - Throws: `DocIndexError` with `unknownCollection`; `LevelError`.
    public init(_ store: DocumentStore, options: Options) throws {
        for name in options.collections { try store.collection(name).startReplication() }
        self.store = store.asynchronous
        self.options = options
        contents = ContentQueue(of: store)
    }

    /// Reports a document that is not sent, unless it was reported before.
    func tellUnsent(_ id: DocumentID, _ problem: DocumentError, of collection: String) {
        guard let onUnsent = options.onUnsent, unsent.insert(id, of: collection) else { return }
        onUnsent(collection, problem)
    }

    package func respond(to request: SyncRequest) async -> SyncResponse {
        do {
            return try await answer(request)
        } catch {
            return ServerError(error).response
        }
    }

    private func answer(_ request: SyncRequest) async throws -> SyncResponse {
        guard let target = Target(request.target) else {
            throw ServerError(400, "bad_request", "the path is not valid")
        }
        // CouchDB's replicator first requests a session. If the server has no sessions, the replicator sends the
        // password with each request.
        if target.path.first == "_session" { throw ServerError.missing }
        guard isAuthorized(request) else {
            throw ServerError(401, "unauthorized", "a name and a password are needed")
        }
        try refusePages(request)
        guard let name = target.path.first else {
            return .json([
                "couchdb": "Welcome", "version": "3.5.0", "uuid": .string(store.store.epoch.description),
                "vendor": ["name": "LevelKit"],
            ])
        }
        if name.utf8.first == UInt8(ascii: "_") { throw ServerError.missing }
        guard options.collections.contains(name) else {
            throw ServerError(404, "not_found", "Database does not exist.")
        }
        let database = ServedDatabase(server: self, collection: try store.store.collection(name))
        return try await database.answer(request, target)
    }

    /// Refuses the requests of web pages: no peer is a page, and a page of any site could use the server from a browser
    /// of this machine, or from one that knows the password.
    ///
    /// A page sends requests to the address of the server, which say so (`Origin`; `Sec-Fetch-Site`, W3C Fetch
    /// Metadata), or to a name of its own that resolves to this machine (DNS rebinding), which `Host` then contains. A
    /// browser has no password for such a name.
    private func refusePages(_ request: SyncRequest) throws {
        func values(of name: String) -> [String] {
            request.fields.fields.filter { $0.name.lowercased() == name }.map(\.value)
        }
        guard request.fields["Origin"] == nil,
            values(of: "sec-fetch-site").allSatisfy({ $0 == "none" || $0 == "same-origin" })
        else {
            throw ServerError(403, "forbidden", "the request comes from a web page, and pages are not served")
        }
        // A page can send text to another site without being asked whether it may, but not JSON. Old browsers do not
        // say that it is a page. A request over the network has a host.
        let types = values(of: "content-type")
        if request.method == .post, request.fields["Host"] != nil,
            types.count != 1 || MediaType(types[0]).name != "application/json"
        {
            throw ServerError(415, "bad_content_type", "Content-Type must be application/json")
        }
        for field in request.fields.fields where options.login == nil && field.name.lowercased() == "host" {
            guard Self.namesThisMachine(field.value) else {
                throw ServerError(
                    403, "forbidden",
                    "the field Host does not name this machine; use localhost or an IP address, or configure a password"
                )
            }
        }
    }

    /// Returns whether a `Host` field has an IP address or a name that no other machine can have.
    private static func namesThisMachine(_ host: String) -> Bool {
        let host = host.lowercased()
        return host.wholeMatch(of: /(\[[0-9a-f:.%]+\]|[0-9]+(\.[0-9]+){3}|([a-z0-9-]+\.)*localhost\.?)(:[0-9]*)?/)
            != nil
    }

    private func isAuthorized(_ request: SyncRequest) -> Bool {
        guard let login = options.login else { return true }
        let expected = Array(("Basic " + Base64.text(of: Array("\(login.name):\(login.password)".utf8))).utf8)
        let given = Array((request.fields["Authorization"] ?? "").utf8)
        // Takes the same time wherever the first difference is.
        var difference = given.count ^ expected.count
        for (index, byte) in given.enumerated() { difference |= Int(byte ^ expected[index % expected.count]) }
        return difference == 0
    }
}

/// Why a request is refused.
struct ServerError: Error {
    let status: Int
    let error: String
    let reason: String

    init(_ status: Int, _ error: String, _ reason: String) {
        self.status = status
        self.error = error
        self.reason = reason
    }

    init(_ failure: any Error) {
        switch failure {
        case let failure as ServerError: self = failure
        case let failure as MessageError:
            self.init(
                failure.code == .tooLarge ? 413 : 400, failure.code == .tooLarge ? "too_large" : "bad_request",
                failure.message)
        case let failure as DocumentError:
            // After these, CouchDB's replicator continues with the other documents. At any other status, it stops.
            self.init(
                failure.code == .tooLarge ? 413 : 403, failure.code == .tooLarge ? "too_large" : "forbidden",
                "\(failure.code.rawValue): \(failure.message)")
        case is CancellationError: self.init(503, "service_unavailable", "the server is stopping")
        default: self.init(500, "internal_error", "\(failure)")
        }
    }

    static let missing = ServerError(404, "not_found", "missing")

    var response: SyncResponse {
        var response = SyncResponse.json(["error": .string(error), "reason": .string(reason)], status: status)
        if status == 401 { response.fields["WWW-Authenticate"] = #"Basic realm="LevelKit""# }
        return response
    }
}

extension SyncResponse {
    /// Returns a response with a JSON value.
    static func json(_ value: DocumentValue, status: Int = 200) -> SyncResponse {
        var text: [UInt8] = []
        JSONWriter().write(value, to: &text)
        return json(text: text + [UInt8(ascii: "\n")], status: status)
    }

    /// Returns a response with JSON text.
    static func json(text: [UInt8], status: Int = 200) -> SyncResponse {
        SyncResponse(status: status, fields: ["Content-Type": "application/json"], body: .bytes(text))
    }
}

/// The documents that were reported as not sent.
private final class UnsentDocuments: Sendable {
    private struct Document: Hashable {
        let collection: String
        let id: DocumentID
    }

    private let known = Mutex<Set<Document>>([])

    /// Adds a document. Returns false if it is known already, or if there are too many.
    func insert(_ id: DocumentID, of collection: String) -> Bool {
        known.withLock {
            $0.count < SyncServer.Options.unsentLimit
                && $0.insert(Document(collection: collection, id: id)).inserted
        }
    }
}
