import DocIndex
import DocSync
import TestSupport
import Testing

@testable import Inspector

/// A store with an inspector, and a browser that has its token.
struct InspectedStore: Sendable {
    static let host = "127.0.0.1:8101"

    static let schema = Schema(
        version: 1,
        collections: [
            CollectionDefinition(
                "photos",
                indexes: [
                    .value("rating", on: "rating", counts: true), .value("keywords", on: "keywords[]", counts: true),
                    .value("taken", on: "taken"), .geo("gps", on: "gps"),
                    .text("words", on: "title", "keywords[]"),
                ]),
            CollectionDefinition("odd/names & <b>"),
            CollectionDefinition("empty"),
        ])

    /// Limits that a busy machine does not exceed.
    static var patient: ReadingLimits {
        var limits = ReadingLimits()
        limits.query = .seconds(600)
        limits.extra = .seconds(600)
        limits.keptExtra = .seconds(600)
        limits.picture = .seconds(600)
        limits.patience = .seconds(600)
        return limits
    }

    let store: DocumentStore
    let inspector: Inspector

    init(
        _ store: DocumentStore, services: ShellServices? = nil, isWritable: Bool = false,
        limits: ReadingLimits = Self.patient
    ) {
        self.store = store
        inspector = Inspector(
            store, options: Inspector.Options(), renew: nil, services: services, isWritable: isWritable, limits: limits)
        inspector.setPort(8101)
    }

    /// Returns a request of a browser that has the cookie.
    func request(
        _ target: String, method: SyncRequest.Method = .get, fields: HeaderFields = [:], body: String = ""
    ) -> SyncRequest {
        var all: HeaderFields = ["Host": Self.host, "Cookie": "lk-inspector-8101=\(inspector.token)"]
        for field in fields.fields { all.append(field.name, field.value) }
        return SyncRequest(method, target, fields: all, body: body.isEmpty ? .none : .bytes(Array(body.utf8)))
    }

    /// Sends a request, and checks what every response must have.
    func send(_ request: SyncRequest, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Answer {
        let response = await inspector.respond(to: request)
        let answer = Answer(
            status: response.status, fields: response.fields, text: try await response.body.collected(limit: 1 << 26))
        answer.check(request, sourceLocation: sourceLocation)
        return answer
    }

    func get(_ target: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Answer {
        try await send(request(target), sourceLocation: sourceLocation)
    }

    /// A photo.
    static func photo(_ number: Int) -> DocumentObject {
        let day = 1 + number % 28
        return [
            "id": .string("p\(number)"), "rating": .int(Int64(number % 6)),
            "title": .string(number % 3 == 0 ? "Fog over the harbour" : "Market square \(number)"),
            "keywords": .array([.string(number % 2 == 0 ? "sea" : "town"), .string("all")]),
            "taken": .string("20\(10 + number % 9)-0\(1 + number % 9)-\(day < 10 ? "0" : "")\(day)T10:00:00"),
            "gps": ["lat": .double(48 + Double(number % 10) / 10), "lon": .double(11 + Double(number % 7) / 10)],
            "exif": ["model": .string("M\(number % 4)"), "iso": .int(Int64(100 * (1 + number % 3)))],
        ]
    }
}

/// A response with its whole body.
struct Answer: Sendable, CustomStringConvertible {
    let status: Int
    let fields: HeaderFields
    let bytes: [UInt8]
    let text: String

    init(status: Int, fields: HeaderFields, text: [UInt8]) {
        self.status = status
        self.fields = fields
        bytes = text
        self.text = String(decoding: text, as: UTF8.self)
    }

    var description: String { "\(status) \(text.prefix(2000))" }

    var isPage: Bool { fields["Content-Type"]?.hasPrefix("text/html") == true }

    /// The body as JSON.
    func json() throws -> DocumentObject {
        guard case .object(let object) = try JSONParser(notation: .dump).parse(bytes) else {
            throw TestFailure(message: "not an object: \(self)")
        }
        return object
    }

    /// Checks the security fields, and the markup of pages.
    func check(_ request: SyncRequest, sourceLocation: SourceLocation) {
        #expect(fields["X-Content-Type-Options"] == "nosniff", sourceLocation: sourceLocation)
        #expect(fields["Referrer-Policy"] == "no-referrer", sourceLocation: sourceLocation)
        #expect(fields["Cross-Origin-Opener-Policy"] == "same-origin", sourceLocation: sourceLocation)
        #expect(fields["Cross-Origin-Resource-Policy"] == "same-origin", sourceLocation: sourceLocation)
        #expect(fields["Access-Control-Allow-Origin"] == nil, sourceLocation: sourceLocation)
        let policy = fields["Content-Security-Policy"] ?? ""
        let isStrict = policy.hasPrefix("default-src 'none'") || policy.hasPrefix("sandbox")
        #expect(isStrict && !policy.contains("unsafe"), "\(policy)", sourceLocation: sourceLocation)
        #expect(status != 500, "\(request.target): \(self)", sourceLocation: sourceLocation)
        if request.method == .head {
            #expect(bytes.isEmpty, sourceLocation: sourceLocation)
        } else if isPage {
            for mistake in HTMLCheck.mistakes(in: text) {
                Issue.record("\(request.target): \(mistake)", sourceLocation: sourceLocation)
            }
            #expect(bytes.count < 100_000 || status != 200 || text.contains("<pre"), sourceLocation: sourceLocation)
        } else if fields["Content-Type"] == "application/problem+json" {
            let problem = try? json()
            #expect(problem?["status"] == .int(Int64(status)), "\(self)", sourceLocation: sourceLocation)
            #expect(problem?["detail"]?.stringValue?.isEmpty == false, "\(self)", sourceLocation: sourceLocation)
        }
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

/// Runs `body` with an inspected store of 60 photos, on threads of its own. The store is verified afterwards.
func withInspectedStore(
    photoCount: Int = 60, services: ShellServices? = nil, isWritable: Bool = false,
    limits: ReadingLimits = InspectedStore.patient, _ body: @escaping @Sendable (InspectedStore) async throws -> Void
) async throws {
    let directory = try withTemporaryDirectory { $0 }
    try TestFiles.makeDirectory(directory)
    defer { try? TestFiles.remove(directory) }
    try await within {
        let store = try DocumentStore.open(at: directory + "/photos.store", schema: InspectedStore.schema)
        let photos = try store.collection("photos")
        for number in 0..<photoCount { try photos.put(InspectedStore.photo(number)) }
        let inspected = InspectedStore(store, services: services, isWritable: isWritable, limits: limits)
        try await body(inspected)
        try expectSound(store)
        try store.close()
    }
}
