internal import DocIndex
internal import DocSync
internal import LevelKit

/// The programming interface below `/api/v1`. The pages show what it answers.
struct APIRoutes: Sendable {
    let reading: StoreReading
    let request: SyncRequest
    let target: Target
    let isWritable: Bool

    /// Answers a request for the path after `/api/v1`.
    func answer(_ path: ArraySlice<String>) async throws -> SyncResponse {
        let parts = Array(path)
        switch (parts.first, parts.count) {
        case (nil, _): return try await versions()
        case ("collections", 1): return try await collections()
        case ("collections", 2): return try await collection(parts[1])
        case ("changes", 1): return try await ChangeFeed(reading, request, target).response()
        case ("keys", 1): return try await keys()
        case ("stats", 1): return try await statistics()
        case ("console", 1): throw Problem.methodNotAllowed(request.method, ["POST"])
        case ("attachments", 2):
            return try await AttachmentRoute(reading: reading, request: request, target: target).answer(parts[1])
        case ("collections", 3...): return try await answer(parts[2], Array(parts[3...]), of: parts[1])
        default: throw Self.missing
        }
    }

    static let missing = Problem(.notFound, "Nothing exists at this address; /api/v1 lists what there is.")

    private func answer(_ what: String, _ rest: [String], of name: String) async throws -> SyncResponse {
        switch (what, rest.count) {
        case ("documents", 0): try await target["id"] == nil ? documents(of: name) : document(nil, of: name)
        case ("documents", 1): try await document(rest[0], of: name)
        case ("facets", 0): try await facets(of: name)
        case ("distinct", 0): try await distinct(of: name)
        case ("explain", 0): try await explain(of: name)
        case (let what, 0):
            if let read = try FindingRoutes(target: target).reader(what) {
                try await list { try read(try $0.collection(name)) }
            } else {
                throw Self.missing
            }
        default: throw Self.missing
        }
    }

    // MARK: - The store

    private func versions() async throws -> SyncResponse {
        _ = try Parameters(target, known: [])
        let store = try await reading.state()
        let tag = "W/\"\(store.tag)\""
        if let unchanged = JSONResponse.unchanged(request, tag: tag) { return unchanged }
        return JSONResponse.make(
            [
                "version": 1, "epoch": .string(store.epoch), "sequence": .int(Int64(clamping: store.sequence)),
                "schemaVersion": .int(Int64(store.schemaVersion)), "writable": .bool(isWritable),
                "collections": .array(store.collections.map { .string($0.name) }),
            ], tag: tag)
    }

    private func collections() async throws -> SyncResponse {
        _ = try Parameters(target, known: [])
        return try await list { store in
            [
                "collections": .array(
                    try store.collections.map { .object(try CollectionDescription.json($0, of: store)) })
            ]
        }
    }

    private func collection(_ name: String) async throws -> SyncResponse {
        _ = try Parameters(target, known: [])
        return try await list { store in try CollectionDescription.json(try store.collection(name), of: store) }
    }

    /// Answers with what a function reads from the newest state; with 304 if the client has that state.
    private func list(
        _ read: @escaping @Sendable (ReadableStore) throws -> DocumentObject
    ) async throws -> SyncResponse {
        let store = try await reading.state()
        let tag = "W/\"\(store.tag)\""
        if let unchanged = JSONResponse.unchanged(request, tag: tag) { return unchanged }
        return JSONResponse.make(try await reading.run { try read(store) }, tag: tag)
    }

    private func statistics() async throws -> SyncResponse {
        _ = try Parameters(target, known: [])
        return try await list { store in
            let statistics = try store.statistics()
            return [
                "bytes": .int(Int64(clamping: statistics.tableByteCount)),
                "levels": .array(
                    statistics.levels.filter { $0.tableCount > 0 }.map {
                        [
                            "level": .int(Int64($0.number)), "tables": .int(Int64($0.tableCount)),
                            "bytes": .int(Int64(clamping: $0.byteCount)),
                        ]
                    }),
            ]
        }
    }

    private func keys() async throws -> SyncResponse {
        let place = try KeyLevel.place(try Parameters(target, known: KeyLevel.parameters))
        return try await list { store in
            let level = try KeyLevel(of: store, below: place.prefix, from: place.from)
            return [
                "prefix": .string(HexBytes.text(level.prefix)), "meaning": level.meaning.map { .string($0) } ?? .null,
                "keys": .array(
                    level.nodes.map {
                        [
                            "key": .string(HexBytes.text($0.prefix)), "isBranch": .bool($0.isBranch),
                            "meaning": $0.meaning.map { .string($0) } ?? .null,
                            "bytes": .int(Int64(clamping: $0.byteCount)),
                        ]
                    }), "next": level.next.map { .string(HexBytes.text($0)) } ?? .null,
            ]
        }
    }

    // MARK: - Documents

    private func documents(of name: String) async throws -> SyncResponse {
        let parameters = try Parameters(target, known: TableRequest.names + ["count", "format"])
        if let format = try exportFormat(parameters) {
            let wanted = try TableRequest(parameters, usualCount: 100)
            let collection = try await reading.state().collection(name)
            return try await ExportStream(
                format: format, collection: collection, query: Query(wanted.filter, sort: wanted.sort),
                fields: wanted.fields, reading: reading
            ).response()
        }
        let wanted = try TableRequest(parameters, usualCount: 100)
        let counts = try parameters.choice("count", of: ["1", "true"]) != nil
        return try await list { store in
            let collection = try store.collection(name)
            var answer = try wanted.reading {
                try wanted.fields.map { try Self.rows(wanted, $0, of: collection) }
                    ?? Self.wholeDocuments(wanted, of: collection)
            }
            if counts { answer["count"] = .int(Int64(try collection.count(where: wanted.filter))) }
            return answer
        }
    }

    /// The format of an export, by the parameter `format` or the field `Accept`; `nil` for a page as JSON.
    private func exportFormat(_ parameters: Parameters) throws -> ExportStream.Format? {
        if let name = try parameters.choice("format", of: ["json", "ndjson", "csv"]) {
            return ExportStream.Format(rawValue: name)
        }
        let accepted = (request.fields["Accept"] ?? "*/*").lowercased()
        if accepted.contains("application/x-ndjson") { return .ndjson }
        if accepted.contains("text/csv") { return .csv }
        guard ["*/*", "application/*", "json"].contains(where: accepted.contains) else {
            throw Problem(
                .notAcceptable, "Documents are available as application/json, application/x-ndjson and text/csv.")
        }
        return nil
    }

    private static func wholeDocuments(
        _ wanted: TableRequest, of collection: ReadableCollection
    ) throws -> DocumentObject {
        let page = try collection.page(wanted.query, after: wanted.position)
        return answer(page.documents.map { .object($0.content) }, page.next, page.execution)
    }

    private static func rows(
        _ wanted: TableRequest, _ fields: [FieldPath], of collection: ReadableCollection
    ) throws -> DocumentObject {
        let page = try collection.rowPage(fields, wanted.query, after: wanted.position)
        let rows = page.rows.map { row in
            var object = DocumentObject()
            for (path, value) in zip(fields, row.values) {
                if let value { object[path.description] = value }
            }
            return DocumentValue.object(object)
        }
        return answer(rows, page.next, page.execution)
    }

    private static func answer(
        _ documents: [DocumentValue], _ next: DocumentCollection.Page.Token?, _ execution: Plan.Execution
    ) -> DocumentObject {
        [
            "documents": .array(documents), "next": next.map { .string($0.text) } ?? .null,
            "plan": PlanDescription.json(execution), "ms": .double(execution.milliseconds),
        ]
    }

    private func document(_ text: String?, of name: String) async throws -> SyncResponse {
        let parameters = try Parameters(target, known: text == nil ? ["kind", "id"] : ["kind"])
        let kind = try parameters.choice("kind", of: ["int", "string"])
        let ids = try DocumentAddress.candidates(text ?? target["id"] ?? "", kind: kind)
        let store = try await reading.state()
        let document = try await reading.run { () -> Document? in
            let collection = try store.collection(name)
            for id in ids { if let found = try collection.document(id) { return found } }
            return nil
        }
        guard let document else {
            throw Problem(.notFound, "The collection \(name.prefix(100)) has no document with this ID.")
        }
        let tag = "\"\(store.epoch)-\(document.sequence)\""
        if let unchanged = JSONResponse.unchanged(request, tag: tag) { return unchanged }
        return JSONResponse.make(document.content, tag: tag)
    }

    // MARK: - Values

    private func facets(of name: String) async throws -> SyncResponse {
        let parameters = try Parameters(target, known: ["where", "fields", "limit", "missing"])
        let filter = try parameters.filter()
        let keys = try parameters.reading("fields") { text in
            try text.split(separator: ",").map { try Aggregation.GroupKey(parsing: String($0)) }
        }
        guard let keys, !keys.isEmpty, keys.count <= 20 else {
            throw Problem(.badRequest, "fields must name 1 to 20 fields, separated by commas.", parameter: "fields")
        }
        let limit = try parameters.number("limit", in: 1...1000) ?? 20
        let countsMissing = try parameters.choice("missing", of: ["1", "true"]) != nil
        return try await list { store in
            let lists = try store.collection(name).facets(
                by: keys, where: filter, limit: limit, countsMissing: countsMissing)
            return [
                "facets": .array(
                    zip(keys, lists).map { key, list in
                        var object: DocumentObject = [
                            "field": .string(key.description),
                            "values": .array(
                                list.facets.map { ["value": $0.value, "count": .int(Int64($0.count))] }),
                        ]
                        if countsMissing { object["missing"] = .int(Int64(list.missingCount)) }
                        return .object(object)
                    })
            ]
        }
    }

    private func distinct(of name: String) async throws -> SyncResponse {
        let parameters = try Parameters(target, known: ["where", "field"])
        let filter = try parameters.filter()
        guard let path = try parameters.paths("field")?.first else {
            throw Problem(.badRequest, "field must name the field whose values to list.", parameter: "field")
        }
        return try await list { store in
            let values = try store.collection(name).distinct(path, where: filter)
            return [
                "field": .string(path.description), "values": .array(Array(values.prefix(TableRequest.largestCount))),
                "isCut": .bool(values.count > TableRequest.largestCount),
            ]
        }
    }

    private func explain(of name: String) async throws -> SyncResponse {
        let wanted = try TableRequest(
            try Parameters(target, known: ["where", "sort", "limit"]), usualCount: TableRequest.largestCount)
        return try await list { store in try store.collection(name).explain(wanted.query).json }
    }
}
