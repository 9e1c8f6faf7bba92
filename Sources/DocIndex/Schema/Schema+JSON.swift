extension Schema {
    /// Reads a schema from a JSON file.
    ///
    /// ```json
    /// {
    ///   "version": 1,
    ///   "collections": {
    ///     "photos": {
    ///       "id": "id",
    ///       "indexes": {
    ///         "year": { "fields": ["year"] },
    ///         "checksum": { "fields": ["checksum"], "unique": true },
    ///         "taken": { "fields": [{ "path": "taken", "order": "desc", "as": { "date": ["exif"] } }] },
    ///         "best": { "fields": ["rating", "name"], "where": "rating >= 4", "cover": ["name"] },
    ///         "place": { "type": "geo", "lat": "gps.lat", "lon": "gps.lon" },
    ///         "embedding": { "type": "vector", "fields": ["embedding"], "dimensions": 512 },
    ///         "text": { "type": "text", "fields": [{ "path": "title", "weight": 3 }, "caption"], "analyzer": "english"
    ///         }
    ///       }
    ///     }
    ///   }
    /// }
    /// ```
    ///
    /// `docs/schema.json` describes the format as a JSON Schema, for editors.
    ///
    /// - Throws: ``JSONError`` for invalid JSON; ``DocIndexError`` with `invalidSchema` if the JSON is not a valid
    ///   schema, with every violation and its place. Unknown members are errors and are never ignored.
    public init(json: [UInt8]) throws {
        var reader = SchemaReader()
        let schema = reader.schema(try JSONParser().parse(json))
        let violations = reader.violations + schema.violations(except: reader.faulty)
        guard violations.isEmpty else { throw DocIndexError.invalidSchema(violations) }
        self = schema
    }

    /// The schema in the JSON form of a file.
    public var jsonValue: DocumentValue {
        var collections = DocumentObject()
        for collection in self.collections {
            var indexes = DocumentObject()
            for index in collection.indexes { indexes[index.name] = index.jsonValue }
            var members: DocumentObject = ["id": .string(collection.idField)]
            if let history = collection.history { members["history"] = history.jsonValue }
            members["indexes"] = .object(indexes)
            collections[collection.name] = .object(members)
        }
        return ["version": .int(Int64(version)), "collections": .object(collections)]
    }
}

extension IndexDefinition {
    /// The definition in the JSON form of a file, without its name. Defaults are omitted, so equal definitions have
    /// equal texts.
    var jsonValue: DocumentValue {
        var object: DocumentObject = ["type": .string(kind.rawValue)]
        if kind == .geo, components.count == 2 {
            object["lat"] = .string(components[0].path.description)
            object["lon"] = .string(components[1].path.description)
        } else {
            object["fields"] = .array(components.map(\.jsonValue))
        }
        if let condition { object["where"] = .string(condition.text) }
        if isSparse { object["sparse"] = true }
        if isUnique { object["unique"] = true }
        if nullsAreEqual { object["nullsEqual"] = true }
        if !covered.isEmpty { object["cover"] = .array(covered.map { .string($0.description) }) }
        if countsValues { object["count"] = true }
        if let dimensions { object["dimensions"] = .int(Int64(dimensions)) }
        if similarity != .cosine { object["similarity"] = .string(similarity.rawValue) }
        if let languageField { object["languageField"] = .string(languageField.description) }
        if !documentLanguages.isEmpty {
            object["languages"] = .array(documentLanguages.map { .string($0.rawValue) })
        }
        return .object(object)
    }
}

extension IndexDefinition.Component {
    /// The component in the JSON form of a file. A component with only a path is a string.
    var jsonValue: DocumentValue {
        if isPathAlone { return .string(path.description) }
        var object: DocumentObject = ["path": .string(path.description)]
        if order != .ascending { object["order"] = .string(order.rawValue) }
        if collation != .binary { object["collation"] = .string(collation.rawValue) }
        if !dateFormats.isEmpty { object["as"] = ["date": .array(dateFormats.map { .string($0.rawValue) })] }
        if let part { object["part"] = .string(part.rawValue) }
        if let separator { object["split"] = .string(separator) }
        if weight != 1 { object["weight"] = .int(Int64(weight)) }
        if analyzer != .simple { object["analyzer"] = analyzer.jsonValue }
        return .object(object)
    }
}
