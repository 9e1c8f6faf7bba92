import DocIndex

/// One line of the input of `doc apply`.
struct DocumentOperation {
    /// The operation.
    enum Action {
        case put(DocumentObject)
        case patch(DocumentID, DocumentObject)
        case update(DocumentID, DocumentUpdate)
        case delete(DocumentID)
    }

    /// The condition on the stored document.
    enum Condition {
        case write(Document.WriteCondition)
        /// The stored document has exactly this content.
        case content(DocumentObject)
    }

    let action: Action
    /// The collection; `nil` for the only one.
    let collection: String?
    let condition: Condition

    /// Whether the line deletes a document.
    var isDeletion: Bool { if case .delete = action { true } else { false } }

    /// The ID of the document in a collection with this ID field; `nil` for a new one whose ID the store chooses.
    func id(named idField: String) -> DocumentID? {
        switch action {
        case .put(let content): content[idField].flatMap(DocumentID.init)
        case .patch(let id, _), .update(let id, _), .delete(let id): id
        }
    }

    /// Reads `{"put":{…}}`, `{"patch":{…},"id":…}`, `{"update":…,"id":…}` or `{"delete":…}`, each with optional members
    /// `in` and `if`.
    ///
    /// - Parameter isLiteral: whether objects such as `{"$date":"…"}` are kept as plain objects.
    /// - Throws: `JSONError`; `DocIndexError` for an invalid update; ``CommandError`` with `badData` and what is wrong.
    init(line: [UInt8], isLiteral: Bool) throws {
        guard case .object(let object) = try JSONParser(notation: isLiteral ? .plain : .tagged).parse(line) else {
            throw CommandError(.badData, "an operation must be a JSON object such as {\"delete\":\"a1\"}")
        }
        let verbs = object.map(\.name).filter { ["put", "patch", "update", "delete"].contains($0) }
        guard let verb = verbs.first, verbs.count == 1, let argument = object[verb] else {
            throw CommandError(.badData, "an operation needs one of the members put, patch, update and delete")
        }
        let takesID = verb == "patch" || verb == "update"
        for member in object where member.name != verb && !["in", "if"].contains(member.name) {
            guard takesID, member.name == "id" else {
                throw CommandError(
                    .badData, "unknown member \(member.name) of a \(verb)",
                    hint: takesID ? "use \(verb), id, in and if" : "use \(verb), in and if")
            }
        }
        switch verb {
        case "put": action = .put(try Self.object(argument, "put"))
        case "patch": action = .patch(try Self.id(object["id"], verb), try Self.object(argument, "patch"))
        case "update":
            let id = try Self.id(object["id"], verb)
            let update =
                if case .string(let text) = argument {
                    try DocumentUpdate(parsing: text)
                } else {
                    try DocumentUpdate(json: argument)
                }
            action = .update(id, update)
        default: action = .delete(try Self.id(argument, verb))
        }
        collection = try object["in"].map {
            guard case .string(let name) = $0 else {
                throw CommandError(.badData, "in must be the name of a collection")
            }
            return name
        }
        condition = try Self.condition(object["if"])
    }

    private static func object(_ value: DocumentValue, _ what: String) throws -> DocumentObject {
        guard case .object(let object) = value else { throw CommandError(.badData, "\(what) must be a JSON object") }
        return object
    }

    private static func id(_ value: DocumentValue?, _ verb: String) throws -> DocumentID {
        guard let id = value.flatMap(DocumentID.init) else {
            throw CommandError(.badData, "\(verb) needs an id that is a string or an integer")
        }
        return id
    }

    private static func condition(_ value: DocumentValue?) throws -> Condition {
        switch value {
        case nil: return .write(.none)
        case .string("absent"): return .write(.absent)
        case .string("present"): return .write(.present)
        case .object(let object) where object.count == 1:
            if let sequence = object["sequence"]?.intValue.flatMap({ UInt64(exactly: $0) }) {
                return .write(.sequence(sequence))
            }
            if case .object(let content)? = object["content"] { return .content(content) }
        default: break
        }
        throw CommandError(
            .badData, "the member \"if\" must be \"absent\", \"present\", {\"sequence\": NUMBER} or {\"content\": {…}}")
    }

    // MARK: - Applying

    /// Applies the operation within a transaction.
    ///
    /// - Parameter collection: the collection, if the operation names none.
    /// - Returns: whether a deletion found its document; `true` for other operations.
    /// - Throws: `DocIndexError`.
    func apply(to transaction: Transaction, in collection: CollectionDefinition) throws -> Bool {
        let write = try writeCondition(transaction, in: collection)
        let collection = collection.name
        switch action {
        case .put(let content): try transaction.put(content, in: collection, if: write)
        case .patch(let id, let patch): try transaction.patch(id, patch, in: collection, if: write)
        case .update(let id, let update):
            try transaction.update(id, in: collection, if: write) { try update.apply(to: &$0) }
        case .delete(let id): return try transaction.delete(id, in: collection, if: write)
        }
        return true
    }

    private func writeCondition(
        _ transaction: Transaction, in collection: CollectionDefinition
    ) throws -> Document.WriteCondition {
        switch condition {
        case .write(let condition): return condition
        case .content(let content):
            guard let id = id(in: collection) else { return .none }
            guard let stored = try transaction.document(id, in: collection.name)?.content else { return .present }
            guard stored == content else {
                throw DocIndexError(
                    .conflict,
                    "the document \(id) of \(collection.name) has different content than expected; read it again and "
                        + "repeat the change")
            }
            return .present
        }
    }

    /// The ID of the document; `nil` for a new one without an ID.
    private func id(in collection: CollectionDefinition) -> DocumentID? {
        switch action {
        case .patch(let id, _), .update(let id, _), .delete(let id): id
        case .put(let content): content[collection.idField].flatMap(DocumentID.init)
        }
    }
}
