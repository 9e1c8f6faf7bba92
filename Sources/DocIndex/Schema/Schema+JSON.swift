extension Schema {
    /// The schema in a JSON file.
    ///
    /// ```json
    /// {
    ///   "version": 1,
    ///   "collections": {
    ///     "photos": {
    ///       "id": "id",
    ///       "indexes": {
    ///         "year": { "type": "value", "fields": ["year"] },
    ///         "text": { "type": "text", "fields": ["title", "caption"] }
    ///       }
    ///     }
    ///   }
    /// }
    /// ```
    ///
    /// - Throws: ``JSONError`` for text that is no JSON; ``DocIndexError`` with `invalidSchema` for JSON that is no
    ///   schema, naming the member at fault. Members that are not known are refused, never ignored.
    public init(json: [UInt8]) throws {
        let root = try SchemaReader(try JSONParser().parse(json), at: "the schema")
        // `$schema` tells an editor what the file is.
        try root.allow(["$schema", "version", "collections"])
        let version = try root.optionalInt("version") ?? 1
        let collections = try root.members("collections").map { name, value in
            try Self.collection(name, SchemaReader(value, at: "collection \(name)"))
        }
        self.init(version: version, collections: collections)
        try validate()
    }

    private static func collection(_ name: String, _ reader: SchemaReader) throws -> CollectionDefinition {
        try reader.allow(["id", "indexes"])
        let indexes = try reader.members("indexes", optional: true).map { index, value in
            try self.index(index, SchemaReader(value, at: "index \(index) of \(name)"))
        }
        return CollectionDefinition(name, id: try reader.optionalString("id") ?? "id", indexes: indexes)
    }

    private static func index(_ name: String, _ reader: SchemaReader) throws -> IndexDefinition {
        try reader.allow(["type", "fields"])
        let type = try reader.optionalString("type") ?? IndexDefinition.Kind.value.rawValue
        guard let kind = IndexDefinition.Kind(rawValue: type) else {
            let known = IndexDefinition.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw DocIndexError(.invalidSchema, "\(reader.place): there is no type \(type); the types are \(known)")
        }
        return IndexDefinition(name, kind: kind, fields: try reader.paths("fields"))
    }

    /// The schema as it is written in a file.
    public var jsonValue: DocumentValue {
        var collections = DocumentObject()
        for collection in self.collections {
            var indexes = DocumentObject()
            for index in collection.indexes { indexes[index.name] = index.jsonValue }
            collections[collection.name] = ["id": .string(collection.idField), "indexes": .object(indexes)]
        }
        return ["version": .int(Int64(version)), "collections": .object(collections)]
    }
}

extension IndexDefinition {
    /// The definition as it is written in a file, without its name.
    var jsonValue: DocumentValue {
        ["type": .string(kind.rawValue), "fields": .array(fields.map { .string($0.description) })]
    }
}

/// Reads members of an object of a schema, with the place in every error.
private struct SchemaReader {
    let object: DocumentObject
    let place: String

    init(_ value: DocumentValue, at place: String) throws {
        guard case .object(let object) = value else {
            throw DocIndexError(.invalidSchema, "\(place) is no object; write it in braces")
        }
        self.object = object
        self.place = place
    }

    func allow(_ names: [String]) throws {
        for member in object where !names.contains(member.name) {
            throw DocIndexError(
                .invalidSchema,
                "\(place) has a member \(member.name) that is not known; "
                    + "the members are \(names.joined(separator: ", "))")
        }
    }

    func optionalInt(_ name: String) throws -> Int? {
        guard let value = object[name] else { return nil }
        guard case .int(let number) = value else { throw wrong(name, "a whole number") }
        return Int(number)
    }

    func optionalString(_ name: String) throws -> String? {
        guard let value = object[name] else { return nil }
        guard case .string(let text) = value else { throw wrong(name, "a text") }
        return text
    }

    func members(_ name: String, optional: Bool = false) throws -> [(String, DocumentValue)] {
        guard let value = object[name] else {
            if optional { return [] }
            throw wrong(name, "an object")
        }
        guard case .object(let members) = value else { throw wrong(name, "an object") }
        return members.map { ($0.name, $0.value) }
    }

    func paths(_ name: String) throws -> [FieldPath] {
        guard case .array(let values) = object[name] else { throw wrong(name, "an array of paths") }
        return try values.map { value in
            guard case .string(let text) = value else { throw wrong(name, "an array of paths") }
            do {
                return try FieldPath(parsing: text)
            } catch {
                throw DocIndexError(.invalidSchema, "\(place): \(error)")
            }
        }
    }

    private func wrong(_ name: String, _ expected: String) -> DocIndexError {
        DocIndexError(.invalidSchema, "\(place): \(name) must be \(expected)")
    }
}
