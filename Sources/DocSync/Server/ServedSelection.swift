internal import DocIndex

/// The documents of which a peer wants the changes.
///
/// The filters `_doc_ids` and `_selector` of CouchDB; source: its documentation of `_changes`. A selector is applied to
/// each version that is listed, with the ID as its member `_id` and, for a deletion, the member `_deleted`. Filters of
/// design documents are programs, which this server does not run.
enum ServedSelection: Sendable {
    case all
    case ids(Set<String>)
    case filter(Filter)

    /// Reads the selection of a request, from its body or, for IDs, from its target.
    ///
    /// - Parameter limit: The size of the body in bytes above which it is refused.
    init(_ request: SyncRequest, _ target: Target, limit: Int) async throws {
        guard let name = target["filter"] else {
            self = .all
            return
        }
        var members = DocumentObject()
        if request.method == .post {
            let body = try await request.body.collected(limit: limit)
            // Dates and bytes of a selector are written as in documents.
            guard case .object(let object)? = try? JSONParser(notation: .tagged).parse(body) else {
                throw ServerError(400, "bad_request", "the body is not a JSON object")
            }
            members = object
        } else if let text = target["doc_ids"] {
            members["doc_ids"] = try? JSONParser().parse(text)
        }
        switch name {
        case "_doc_ids":
            guard case .array(let values)? = members["doc_ids"] else {
                throw ServerError(400, "bad_request", "the filter _doc_ids needs an array doc_ids")
            }
            // A number is the ID of no document of a peer.
            self = .ids(Set(values.compactMap(\.stringValue)))
        case "_selector":
            guard let selector = members["selector"] else {
                throw ServerError(400, "bad_request", "the filter _selector needs a body with a selector")
            }
            do {
                self = .filter(try Filter(selector: selector))
            } catch let error as DocIndexError {
                throw ServerError(400, "bad_request", error.message)
            }
        default: throw ServerError(404, "not_found", "this server has no filter \(name.prefix(100))")
        }
    }

    /// Whether documents must be read.
    var readsDocuments: Bool { if case .filter = self { true } else { false } }

    /// Returns the versions of a document that a peer wants.
    ///
    /// - Parameters:
    ///   - leaves: the revisions to choose from.
    ///   - versions: returns their content, if it is needed.
    /// - Throws: `DocIndexError` if a pattern takes too long; `CancellationError`; the errors of `versions`.
    func wanted(
        _ leaves: [Revision], of id: String, _ versions: () throws -> [DocumentRevision]
    ) throws -> [Revision] {
        switch self {
        case .all: return leaves
        case .ids(let ids): return ids.contains(id) ? leaves : []
        case .filter(let filter):
            return try versions().filter { version in
                var content = version.content ?? DocumentObject()
                content["_id"] = .string(id)
                if version.isDeleted { content["_deleted"] = true }
                return try filter.matchesBounded(content)
            }.map(\.path.revision)
        }
    }
}
