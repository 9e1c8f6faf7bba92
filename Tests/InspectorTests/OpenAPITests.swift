import DocIndex
import DocSync
import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite struct `OpenAPI description` {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/inspector.openapi.json")

    /// An operation of the description.
    private struct Operation: Sendable {
        let path: String
        let method: String
        let parameters: [DocumentObject]
        let statuses: [String]

        /// The names of the parameters of the query.
        var names: Set<String> {
            Set(parameters.filter { $0["in"] == "query" }.compactMap { $0["name"]?.stringValue })
        }
    }

    private static func object(_ value: DocumentValue?) throws -> DocumentObject {
        guard case .object(let object)? = value else { throw TestFailure(message: "no object") }
        return object
    }

    private static func operations() throws -> [Operation] {
        let text = try String(contentsOf: file, encoding: .utf8)
        let description = try object(try DocumentValue(json: text))
        #expect(description["openapi"] == "3.1.0")
        return try object(description["paths"]).flatMap { path in
            try object(path.value).map { method in
                let operation = try object(method.value)
                guard case .array(let parameters)? = operation["parameters"] else {
                    throw TestFailure(message: "no parameters")
                }
                return Operation(
                    path: path.name, method: method.name, parameters: try parameters.map(object),
                    statuses: try object(operation["responses"]).map(\.name))
            }
        }
    }

    private static func reading() throws -> [Operation] { try operations().filter { $0.method == "get" } }

    private static func target(_ path: String, _ digest: String) -> String {
        path.replacing("{name}", with: "photos").replacing("{id}", with: "p1").replacing("{digest}", with: digest)
    }

    @Test func `Each operation takes exactly the parameters of the description`() async throws {
        let operations = try Self.reading()
        #expect(operations.count >= 17)
        try await withInspectedStore { inspected in
            for operation in operations {
                let target = Self.target(operation.path, String(repeating: "0", count: 64))
                let answer = try await inspected.get(target + "?nonsense=1").json()
                let detail = answer["detail"]?.stringValue ?? ""
                let known = detail.split(separator: "it takes ").last?.dropLast() ?? ""
                let names = known == "none" ? [] : Set(known.split(separator: ", ").map(String.init))
                #expect(names == operation.names, "\(operation.path): \(detail)")
                #expect(
                    operation.path.matches(of: /\{\w+\}/).count == operation.parameters.count { $0["in"] == "path" })
            }
        }
    }

    @Test func `Each operation that changes something answers with the statuses of the description`() async throws {
        let operations = try Self.operations().filter { $0.method != "get" }
        #expect(Set(operations.map(\.method)) == ["post", "put", "patch", "delete"])
        let console = CommandConsole(commands: [], refusals: []) { line, _, _ in
            var output = CommandConsole.Output()
            output.results = line
            return output
        }
        try await withInspectedStore(
            services: ShellServices(console: console) { _ in [] }, isWritable: true
        ) { inspected in
            for operation in operations {
                let method = SyncRequest.Method(rawValue: operation.method.uppercased())
                let target = Self.target(operation.path, "")
                let tag = try await inspected.get(Self.target("/api/v1/collections/{name}/documents/{id}", ""))
                    .fields["ETag"]
                let body = operation.method == "post" ? #"{"command":"stats"}"# : #"{"title":"new"}"#
                func status(_ fields: HeaderFields, _ body: String) async throws -> String {
                    let answer = try await inspected.send(
                        inspected.request(target, method: method, fields: fields, body: body))
                    #expect(operation.statuses.contains("\(answer.status)"), "\(operation): \(answer)")
                    return "\(answer.status)"
                }
                if operation.method != "post" {
                    #expect(try await status(["Content-Type": "application/json"], body) == "428")
                    let stale: HeaderFields = ["Content-Type": "application/json", "If-Match": "\"x\""]
                    #expect(try await status(stale, body) == "412")
                }
                let json: HeaderFields = ["Content-Type": "application/json", "If-Match": tag ?? ""]
                if operation.method != "delete" {
                    #expect(try await status(["Content-Type": "text/plain", "If-Match": tag ?? ""], body) == "415")
                    #expect(try await status(json, "{") == "400")
                    #expect(try await status(json, String(repeating: " ", count: 1 << 21)) == "413")
                }
                #expect(try await status(json, body).hasPrefix("20"))
                let foreign: HeaderFields = ["Origin": "http://evil.example", "If-Match": tag ?? ""]
                #expect(try await status(foreign, body) == "403")
            }
        }
    }

    @Test func `Each operation answers with the statuses of the description`() async throws {
        let operations = try Self.reading()
        try await withInspectedStore { inspected in
            let content = try inspected.store.attachments.add(Array("content".utf8), type: "text/plain", name: nil)
            let values = [
                "fields": "rating", "field": "taken", "q": "fog", "point": "48,11", "where": "rating = 3", "by": "year",
                "sort": "rating", "limit": "5", "count": "1", "missing": "1", "within": "5", "kind": "string",
                "name": "a",
                "prefix": "44", "format": "csv",
            ]
            for operation in operations {
                let target = Self.target(operation.path, content.digest.description)
                let required = operation.parameters.filter { $0["required"] == true && $0["in"] == "query" }
                    .compactMap { $0["name"]?.stringValue }
                let least = required.map { "\($0)=\(values[$0] ?? "")" }.joined(separator: "&")
                let all = operation.names.filter { values[$0] != nil && !["since", "after"].contains($0) }.sorted()
                let most = all.map { "\($0)=\(PercentCoding.encoded(values[$0] ?? ""))" }.joined(separator: "&")
                for query in [least, most] {
                    // A stream of events does not end.
                    let request = inspected.request(target + "?" + query)
                    let response = await inspected.inspector.respond(to: request)
                    #expect(response.status == 200, "\(target)?\(query)")
                }
                if !required.isEmpty {
                    let lacking = try await inspected.get(target)
                    #expect(lacking.status == 400, "\(target)")
                }
                for (status, request) in [
                    ("401", SyncRequest(.get, target, fields: ["Host": InspectedStore.host])),
                    ("421", SyncRequest(.get, target)), ("400", inspected.request(target + "?nonsense=1")),
                ] {
                    let answer = try await inspected.send(request)
                    #expect("\(answer.status)" == status && (operation.statuses.contains(status) || status == "400"))
                }
                let put = try await inspected.send(inspected.request(target, method: .put))
                #expect(put.status == 405)
            }
        }
    }
}
