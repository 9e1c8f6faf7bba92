public import DocIndex
package import DocSync

/// Shows a store in a browser.
///
/// The pages and their programming interface read the store and never write it. Without the token in the address that
/// ``address`` returns, nothing is shown. Requests that name another server are refused, so that pages of other sites
/// cannot read the store through the browser.
///
/// ```swift
/// let inspector = Inspector(store)
/// try await inspector.run { print(inspector.address ?? "") }
/// ```
public struct Inspector: Sendable {
    /// The options of an inspector: what it shows besides the store.
    public struct Options: Sendable {
        /// The name of the store on the pages; `nil` for the name of its directory.
        public var name: String?
        /// A line at the top of each page, such as that another process writes the store; `nil` for none.
        public var note: String?

        /// Creates the options of an inspector without a note.
        public init() {}
    }

    private let reading: StoreReading
    private let gate: AccessGate
    private let name: String
    private let note: String?
    /// The store to change; `nil` if nothing can be changed.
    private let writable: WritableStore?

    /// Creates an inspector with a new token. It answers when it runs.
    public init(_ store: DocumentStore, options: Options = Options()) {
        self.init(store, options: options, renew: nil)
    }

    /// Creates an inspector of a store that another process may write.
    ///
    /// - Parameters:
    ///   - renew: opens the store again, read-only, if it has changed; returns `nil` if it has not. Called at most ten
    ///     times a second, and only while somebody looks.
    ///   - services: what a shell provides.
    ///   - isWritable: whether documents can be changed.
    ///   - limits: how long requests may take.
    package init(
        _ store: DocumentStore, options: Options, renew: (@Sendable () throws -> DocumentStore?)?,
        services: ShellServices? = nil, isWritable: Bool = false, limits: ReadingLimits = ReadingLimits()
    ) {
        reading = StoreReading(store, renew: renew, services: services, limits: limits)
        writable = isWritable ? WritableStore(store) : nil
        gate = AccessGate(token: AccessToken(), names: ServerNames())
        name = options.name ?? store.path.split(separator: "/").last.map(String.init) ?? store.path
        note = options.note
    }

    /// The address to open in a browser, with the token; `nil` before the inspector listens.
    ///
    /// The name in it exists only in browsers. The second address works with every program.
    public var address: String? { addresses.first }

    /// The addresses with the token, the preferred one first; empty before the inspector listens.
    public var addresses: [String] {
        gate.names.authorities.prefix(2).map { "http://\($0)/?token=\(gate.token.text)" }
    }

    /// The token, for programs.
    package var token: String { gate.token.text }

    /// Sets the port at which the inspector is reached.
    package func setPort(_ port: Int) { gate.names.setPort(port) }
}

extension Inspector: Responder {
    package func respond(to request: SyncRequest) async -> SyncResponse {
        SecurityFields.added(to: await answer(request))
    }

    private func answer(_ request: SyncRequest) async -> SyncResponse {
        do {
            switch try gate.decide(request) {
            case .redirected(let link, let cookie):
                return SyncResponse(status: 303, fields: ["Location": link.text, "Set-Cookie": cookie])
            case .admitted(let target):
                return try await Self.withoutBody(request, answer(request, target))
            }
        } catch {
            return failure(Problem(error), request)
        }
    }

    /// A response to `HEAD` has no body.
    private static func withoutBody(_ request: SyncRequest, _ response: SyncResponse) -> SyncResponse {
        guard request.method == .head else { return response }
        var response = response
        if response.fields["Content-Length"] == nil, let count = response.body.byteCount {
            response.fields["Content-Length"] = "\(count)"
        }
        response.body = .none
        return response
    }

    private func answer(_ request: SyncRequest, _ target: Target) async throws -> SyncResponse {
        guard request.method == .get || request.method == .head else { return try await act(request, target) }
        if target.path.starts(with: ["api", "v1"]) {
            return try await APIRoutes(
                reading: reading, request: request, target: target, isWritable: writable != nil
            ).answer(target.path.dropFirst(2))
        }
        if target.path.first == "assets" { return try asset(target) }
        if target.path.first == "attachments", target.path.count == 2 {
            return try await AttachmentRoute(reading: reading, request: request, target: target).answer(target.path[1])
        }
        return try await pages(target).answer()
    }

    private func pages(_ target: Target) -> PageRoutes {
        PageRoutes(
            reading: reading, target: target, name: name, note: note,
            formToken: writable == nil ? nil : gate.formToken)
    }

    /// Answers a request that may do more than read: a command of the console, or a change where one is possible.
    private func act(_ request: SyncRequest, _ target: Target) async throws -> SyncResponse {
        let path = target.path
        if path == ["api", "v1", "console"] {
            guard request.method == .post else { throw Problem.methodNotAllowed(request.method, ["POST"]) }
            return try await ConsoleRoute(reading: reading, request: request, target: target).answer()
        }
        guard let writable else { throw Problem.methodNotAllowed(request.method, ["GET", "HEAD"]) }
        let routes = WriteRoutes(store: writable, reading: reading, request: request, target: target)
        if path.starts(with: ["api", "v1", "collections"]), (5...6).contains(path.count), path[4] == "documents",
            path.count == 6 || target["id"] != nil
        {
            guard WriteRoutes.methods.contains(request.method) else {
                throw Problem.methodNotAllowed(
                    request.method, ["GET", "HEAD"] + WriteRoutes.methods.map(\.rawValue))
            }
            return try await routes.answer(path.count == 6 ? path[5] : nil, of: path[3])
        }
        if path.first == "c", (3...4).contains(path.count), path[2] == "doc" {
            guard request.method == .post else {
                throw Problem.methodNotAllowed(request.method, ["GET", "HEAD", "POST"])
            }
            return try await pages(target).edit(request, routes)
        }
        throw Problem.methodNotAllowed(request.method, ["GET", "HEAD"])
    }

    private func asset(_ target: Target) throws -> SyncResponse {
        guard target.path.count == 2, let asset = Asset.all.first(where: { $0.name == target.path[1] }) else {
            throw Problem(.notFound, "There is no such file; reload the page.")
        }
        return SyncResponse(
            status: 200,
            fields: ["Content-Type": asset.type, "Cache-Control": "private, max-age=31536000, immutable"],
            body: .bytes(Array(String(describing: asset.text).utf8)))
    }

    /// The response for a problem: a page for people, JSON for programs.
    private func failure(_ problem: Problem, _ request: SyncRequest) -> SyncResponse {
        let isForPeople = !request.target.hasPrefix("/api/") && (request.method != .post || writable != nil)
        let response =
            isForPeople
            ? ProblemPage.make(problem, in: PageFrame(store: name)) : JSONResponse.make(problem)
        return Self.withoutBody(request, response)
    }
}
