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
        return try object(description["paths"]).map { path in
            let methods = try object(path.value)
            #expect(methods.map(\.name) == ["get"])
            let get = try object(methods["get"])
            guard case .array(let parameters)? = get["parameters"] else { throw TestFailure(message: "no parameters") }
            return Operation(
                path: path.name, parameters: try parameters.map(object),
                statuses: try object(get["responses"]).map(\.name))
        }
    }

    private static func target(_ path: String, _ digest: String) -> String {
        path.replacing("{name}", with: "photos").replacing("{id}", with: "p1").replacing("{digest}", with: digest)
    }

    @Test func `Each operation takes exactly the parameters of the description`() async throws {
        let operations = try Self.operations()
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

    @Test func `Each operation answers with the statuses of the description`() async throws {
        let operations = try Self.operations()
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
                let post = try await inspected.send(inspected.request(target, method: .post))
                #expect(post.status == 405)
            }
        }
    }
}
