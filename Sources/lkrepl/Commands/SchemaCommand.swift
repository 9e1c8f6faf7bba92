import ArgumentParser
import DocIndex

/// Prints the declared schema, or infers one from documents.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the declared schema as JSON, for init and migrate.",
        discussion: """
            Example: lkrepl schema photos.store > mine.json
            With --infer N, the indexes of a collection are chosen from N documents instead, as init --infer does for \
            a file. With --json-schema N, prints a JSON Schema (draft 2020-12) that N documents of a collection \
            satisfy, for editors and validators. describe shows the same as rows.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection. Default: all.") var collection: String?
    @Option(
        name: .long, parsing: .unconditional,
        help: "Print a schema with indexes chosen from this many documents instead of the declared schema.")
    var infer: Int?
    @Option(name: .long, parsing: .unconditional, help: "Print a JSON Schema that this many documents satisfy.")
    var jsonSchema: Int?

    func validate() throws {
        guard infer ?? 1 > 0 else { throw ValidationError("--infer must be 1 or more") }
        guard jsonSchema ?? 1 > 0 else { throw ValidationError("--json-schema must be 1 or more") }
        guard infer == nil || jsonSchema == nil else {
            throw ValidationError("--infer and --json-schema cannot be combined")
        }
    }

    func run() throws {
        try Session.with(database, options) { session in
            let output = StandardOutput()
            output.terminalForm = .json
            var bytes: [UInt8] = []
            let isForPeople = options.mode == nil && !options.json || options.mode == "json-pretty"
            let value =
                try jsonSchema.map { try inferred($0, session) } ?? infer.map { try chosen($0, session) }
                ?? declared(session)
            value.writeJSON(to: &bytes, JSONWriter(layout: isForPeople ? .pretty : .compact))
            try output.write(bytes + [0x0a])
            try output.flush()
        }
    }

    private func declared(_ session: Session) throws -> DocumentValue {
        var schema = try session.store().schema
        if collection != nil {
            let name = try session.collection(collection).name
            schema.collections = schema.collections.filter { $0.name.hasSameBytes(as: name) }
        }
        return schema.jsonValue
    }

    /// The schema of a collection with indexes chosen from its documents.
    private func chosen(_ count: Int, _ session: Session) throws -> DocumentValue {
        let collection = try session.collection(collection)
        var inference = IndexInference()
        try collection.forEach(matching: Query(limit: count)) { document in
            try Interruption.check()
            inference.add(document.content)
            return true
        }
        var schema = try session.store().schema
        schema.collections = [inference.collection(collection.name, idField: collection.definition.idField)]
        return schema.jsonValue
    }

    private func inferred(_ count: Int, _ session: Session) throws -> DocumentValue {
        let collection = try session.collection(collection)
        var shape = InferredSchema()
        try collection.forEach(matching: Query(limit: count)) { document in
            try Interruption.check()
            shape.add(.object(document.content))
            return true
        }
        options.note(
            "schema: inferred from \(HumanNumber.grouped(shape.count)) of "
                + "\(HumanNumber.counted(try collection.count(), "document")) in \(collection.name)")
        return shape.jsonSchema(title: collection.name)
    }
}
