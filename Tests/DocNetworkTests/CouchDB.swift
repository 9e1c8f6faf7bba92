#if Network
    import DocNetwork
    import DocSync
    import Foundation
    import TestSupport
    import Testing

    /// A database of the CouchDB that `COUCHDB_URL` names, or anything else that answers its requests.
    struct TestDatabase: Sendable {
        let transport: any Transport
        let name: String
        var authorization: String?

        /// Sends a request with or without a JSON body, and returns the answer.
        @discardableResult
        func send(
            _ method: SyncRequest.Method, _ path: String, _ body: String? = nil, type: String = "application/json",
            bytes: [UInt8]? = nil
        ) async throws -> (status: Int, body: [UInt8]) {
            var request = SyncRequest(method, path, silenceLimit: .seconds(120))
            request.fields["Authorization"] = authorization
            if let bytes = bytes ?? body.map({ Array($0.utf8) }) {
                request.fields["Content-Type"] = type
                request.body = .bytes(bytes)
            }
            let response = try await transport.send(request)
            return (response.status, try await response.body.collected(limit: 1 << 26))
        }

        /// Sends a request to the database that must succeed, and returns the answer's object.
        @discardableResult
        func object(
            _ method: SyncRequest.Method, _ path: String, _ body: String? = nil
        ) async throws -> [String: Any] {
            let (status, answer) = try await send(method, "/\(name)\(path)", body)
            try #require(
                (200..<300).contains(status), "\(method.rawValue) \(path): \(String(decoding: answer, as: UTF8.self))")
            return try #require(JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any])
        }

        /// The newest version of a document.
        func document(_ id: String) async throws -> [String: Any] { try await object(.get, "/\(id)") }

        /// Stores the document with some members changed.
        func edit(_ id: String, _ change: (inout [String: Any]) -> Void) async throws {
            var document = try await document(id)
            change(&document)
            try await object(.put, "/\(id)", Self.json(document))
        }

        func delete(_ id: String) async throws {
            let revision = try #require(try await document(id)["_rev"] as? String)
            try await object(.delete, "/\(id)?rev=\(revision)")
        }

        static func json(_ value: Any) throws -> String {
            String(decoding: try JSONSerialization.data(withJSONObject: value, options: .sortedKeys), as: UTF8.self)
        }

        /// A version without children: its content, its path and its attachments.
        struct Leaf: Hashable {
            var text: String
            var attachments: [String: [UInt8]]
        }

        /// All leaves, by ID and revision.
        func leaves() async throws -> [String: Leaf] {
            var leaves: [String: Leaf] = [:]
            let rows = try #require(try await object(.get, "/_changes?style=all_docs")["results"] as? [[String: Any]])
            for row in rows {
                let id = try #require(row["id"] as? String)
                for change in try #require(row["changes"] as? [[String: String]]) {
                    let revision = try #require(change["rev"])
                    var document = try await object(.get, "/\(id)?rev=\(revision)&revs=true")
                    var contents: [String: [UInt8]] = [:]
                    let listed = document.removeValue(forKey: "_attachments") as? [String: [String: Any]] ?? [:]
                    var types: [String] = []
                    for (attachment, entry) in listed {
                        let (status, bytes) = try await send(.get, "/\(name)/\(id)/\(attachment)?rev=\(revision)")
                        try #require(status == 200, "\(id) \(revision) \(attachment): \(status)")
                        contents[attachment] = bytes
                        types.append("\(attachment) \(entry["content_type"] ?? "") \(entry["length"] ?? "")")
                    }
                    // A served store shows the member with the ID, which the protocol does not have.
                    document["id"] = nil
                    let text = try Self.json(document) + types.sorted().joined(separator: ", ")
                    leaves["\(id) \(revision)"] = Leaf(text: text, attachments: contents)
                }
            }
            return leaves
        }
    }

    /// The server that `COUCHDB_URL` names, with a name and a password, such as `http://admin:secret@127.0.0.1:5984/`.
    struct CouchServer: Sendable {
        /// Whether there is one.
        static let isConfigured = ProcessInfo.processInfo.environment["COUCHDB_URL"].map { !$0.isEmpty } ?? false
        /// The comment on tests that are skipped.
        static let absence: Comment =
            "skipped: COUCHDB_URL does not name a CouchDB; CONTRIBUTING.md says how to test with one"

        private let parts: URLComponents
        private let transport: any Transport

        init() throws {
            let text = ProcessInfo.processInfo.environment["COUCHDB_URL"] ?? ""
            var parts = try #require(URLComponents(string: text))
            while parts.path.hasSuffix("/") { parts.path.removeLast() }
            self.parts = parts
            var configuration = HTTPClientTransport.Configuration()
            configuration.executor = OwnThreads.shared
            parts.user = nil
            parts.password = nil
            transport = try HTTPClientTransport(
                to: PeerAddress(parsing: try #require(parts.string)), configuration: configuration)
        }

        private var login: (name: String, password: String)? {
            parts.user.map { ($0, parts.password ?? "") }
        }

        /// Returns the address of a database, with the password, for CouchDB's own replicator.
        func address(of database: TestDatabase) throws -> String {
            var parts = parts
            parts.path += "/" + database.name
            return try #require(parts.string)
        }

        /// Returns the database as a peer of a replication.
        func peer(_ database: TestDatabase) -> Peer {
            let credentials: Credentials = login.map { login in .basic { login } } ?? .none
            return Peer(transport, database: [database.name], credentials: credentials)
        }

        /// Runs `body` with new databases, and deletes them afterwards.
        func withDatabases(_ count: Int, _ body: ([TestDatabase]) async throws -> Void) async throws {
            let tag = String(UInt64.random(in: .min ... .max), radix: 16)
            let authorization = login.map {
                "Basic " + Data("\($0.name):\($0.password)".utf8).base64EncodedString()
            }
            let databases = (0..<count).map {
                TestDatabase(transport: transport, name: "levelkit-test-\(tag)-\($0)", authorization: authorization)
            }
            let result: Result<Void, any Error>
            do {
                for database in databases { try await database.object(.put, "") }
                result = .success(try await body(databases))
            } catch {
                result = .failure(error)
            }
            for database in databases { _ = try? await database.send(.delete, "/\(database.name)") }
            try result.get()
        }
    }
#endif
