import ArgumentParser
import DocIndex

/// Finds the documents whose vectors are most similar to a vector.
struct NearestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearest", abstract: "Find documents with similar vectors, most similar first.",
        discussion: """
            Example: lkrepl nearest photos.store photos 'rating >= 4' --id 2019-07-14-0031 --limit 10 --fields id,title
            The collection needs an index of type vector. The vectors, such as the embeddings of pictures, come from a \
            program. --id finds documents similar to a document. --vector takes a vector of the same model: a JSON array \
            of numbers, or the base64 of 32-bit floats. The similarity is the cosine, at most 1. Documents without a \
            vector are left out.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var shape: RowShape
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The condition. Default: all documents.") var condition: [String] = []
    @Option(name: .long, parsing: .unconditional, help: "Find documents similar to the one with this ID.")
    var id: String?
    @Option(name: .long, parsing: .unconditional, help: "Find documents similar to this vector, in JSON or base64.")
    var vector: String?
    @Option(name: .long, parsing: .unconditional, help: "Read the vector from this file; - is standard input.")
    var vectorFile: String?
    @Option(name: .long, parsing: .unconditional, help: "Use this index. Default: the only one of type vector.")
    var index: String?
    @Option(name: .long, parsing: .unconditional, help: "Return at most this many.") var limit = 20
    @Option(name: .long, parsing: .unconditional, help: "Compute the similarity of this many candidates.")
    var candidates: Int?
    @Flag(name: .long, help: "Compute every similarity, instead of those of the best candidates.") var exact = false

    /// The name of the column with the similarity.
    static let column = "similarity"

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or more") }
        guard candidates ?? 1 >= 1 else { throw ValidationError("--candidates must be 1 or more") }
        guard !exact || candidates == nil else {
            throw ValidationError("--exact and --candidates cannot be combined")
        }
        guard [id, vector, vectorFile].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("give one of --id, --vector and --vector-file")
        }
    }

    func run() throws {
        let condition = try conditions.filter(words: condition)
        let shown = try shape.selection()
        let value = try vectorValue()
        try Session.with(database, options) { session in
            let source = try session.selection(collection)
            let filter = try source.filter(condition)
            let collection = source.collection
            let query = Query(filter, limit: limit)
            try conditions.requireSound(query, fields: shown.paths, in: collection)
            let matches = try matches(filter, value, in: collection)
            if try shape.printsRawIDs(options) {
                let writer = IDWriter(endsWithZero: shape.endsWithZero)
                for match in matches { try writer.write(match.document.id) }
                try writer.finish(isQuiet: options.quiet)
            } else {
                let writer = try shown.writer(options, of: collection, isWide: shape.wide, leading: [Self.column])
                for match in matches {
                    let rounded = (match.similarity * 10_000).rounded() / 10_000
                    try writer.write(shown.row(match.document, leading: [Self.column: .double(rounded)]))
                }
                try writer.finish()
            }
            try conditions.warn(
                of: query, fields: shown.paths, in: collection, foundSomething: !matches.isEmpty, options)
        }
    }

    private func matches(
        _ filter: Filter, _ value: DocumentValue?, in collection: DocumentCollection
    ) throws -> [DocumentCollection.VectorMatch] {
        let index = try indexName(in: collection)
        if let value {
            return try collection.nearest(
                to: try collection.vector(value, in: index), in: index, where: filter, limit: limit, exact: exact,
                candidates: candidates, options: conditions.queryOptions)
        }
        let text = try ArgumentOrigin.current.text(of: ProtectedArgument.plain(id ?? ""))
        guard let id = try DocumentID.named(text, options, isThere: { try collection.document($0) != nil }) else {
            throw CommandError.noDocument(text, in: collection.name)
        }
        let matches = try collection.nearest(
            toDocument: id, in: index, where: filter, limit: limit, exact: exact, candidates: candidates,
            options: conditions.queryOptions)
        if matches.isEmpty { options.note("nearest: \(text) has no vector, or no other document has one") }
        return matches
    }

    /// The name of the index to use.
    private func indexName(in collection: DocumentCollection) throws -> String {
        if let index { return try ArgumentOrigin.current.text(of: ProtectedArgument.plain(index)) }
        let names = collection.definition.indexes.filter { $0.kind == .vector }.map(\.name)
        guard names.count <= 1 else {
            throw CommandError(
                .usage, "the collection \(collection.name) has \(names.count) indexes of type vector",
                hint: "choose one: " + names.map { "--index \(ShellWord.quoted($0))" }.joined(separator: " or "))
        }
        guard let name = names.first else {
            throw CommandError(
                .usage, "the collection \(collection.name) has no index of type vector",
                hint: "create one, such as index create --write STORE \(ShellWord.quoted(collection.name)) "
                    + "embedding embedding --dimensions 512")
        }
        return name
    }

    /// The vector of `--vector` or `--vector-file` as a value; `nil` with `--id`.
    private func vectorValue() throws -> DocumentValue? {
        let text: [UInt8]
        if let vector {
            text = Array(try ArgumentOrigin.current.text(of: ProtectedArgument.plain(vector)).utf8)
        } else if let vectorFile {
            let path = ProtectedArgument.plain(vectorFile)
            text = TextEncoding.decoded(
                try FileDescriptor.openForReading(path).readAll(
                    limit: RawArgument.byteLimit, name: path == "-" ? "standard input" : path))
        } else {
            return nil
        }
        let trimmed = text.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
        // Base64 needs no quotes.
        guard let first = trimmed.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "\"") else {
            return .string(String(decoding: trimmed, as: UTF8.self))
        }
        do {
            return try JSONParser().parse(Array(trimmed))
        } catch {
            throw CommandError(
                .badData, "the vector is not valid JSON: \(error)", hint: "write numbers, such as [0.25, -0.5]")
        }
    }
}
