import DocIndex

/// Chooses indexes for documents by their values: a start for a schema, not an analysis of the queries.
///
/// Memory is proportional to the number of distinct paths.
struct IndexInference {
    /// Statistics of the values at one path.
    private struct Field {
        var order: Int
        /// The documents with a value.
        var documentCount = 0
        var valueCount = 0
        var numberCount = 0
        var stringCount = 0
        var dateCount = 0
        var placeCount = 0
        var wordCount = 0
        var byteCount = 0
        var otherCount = 0
        /// Distinct values, up to a limit.
        var distinct: Set<DocumentValue> = []
        var isIdentity = true
    }

    /// The maximum number of value indexes: each costs time with every write.
    static let valueIndexLimit = 12
    private static let textFieldLimit = 8
    private static let distinctLimit = 10_000
    private static let identityNames = ["id", "_id", "uuid", "key", "sourcefile"]

    private(set) var documentCount = 0
    private var fields: [FieldPath: Field] = [:]

    /// Adds a document.
    mutating func add(_ document: DocumentObject) {
        documentCount += 1
        add(document, below: [], depth: 0)
    }

    private mutating func add(_ object: DocumentObject, below names: [FieldPath.Step], depth: Int) {
        for member in object {
            let text = (names + [.name(member.name)]).map(Self.notation).joined(separator: ".")
            guard let path = try? FieldPath(parsing: text) else { continue }
            switch member.value {
            case .object(let inner):
                if Self.isPlace(inner) {
                    change(path) { $0.placeCount += 1 }
                } else if depth < 3 {
                    add(inner, below: names + [.name(member.name)], depth: depth + 1)
                }
            case .array(let elements):
                guard let elementPath = try? FieldPath(parsing: text + "[]") else { continue }
                change(elementPath) { field in
                    for element in elements { Self.add(element, to: &field) }
                    field.isIdentity = false
                }
            default: change(path) { Self.add(member.value, to: &$0) }
            }
        }
    }

    private static func notation(_ step: FieldPath.Step) -> String {
        if case .name(let name) = step { FieldPath(names: name).description } else { "" }
    }

    private static func isPlace(_ object: DocumentObject) -> Bool {
        [["lat", "lon"], ["latitude", "longitude"]].contains { names in
            names.allSatisfy { [.int, .double].contains(object[$0]?.kind) }
        }
    }

    private mutating func change(_ path: FieldPath, _ body: (inout Field) -> Void) {
        var field = fields[path] ?? Field(order: fields.count)
        field.documentCount += 1
        body(&field)
        fields[path] = field
    }

    private static func add(_ value: DocumentValue, to field: inout Field) {
        field.valueCount += 1
        switch value {
        case .int, .double: field.numberCount += 1
        case .date: field.dateCount += 1
        case .string(let text):
            field.stringCount += 1
            field.byteCount += text.utf8.count
            if DocumentDate(iso8601: text) != nil { field.dateCount += 1 }
            field.wordCount += text.prefix(1000).split(whereSeparator: \.isWhitespace).count
        case .bool: break
        case .null, .array, .object, .bytes, .attachment: field.otherCount += 1
        }
        guard field.distinct.count < distinctLimit else { return }
        if !field.distinct.insert(value).inserted { field.isIdentity = false }
    }

    // MARK: - Choices

    /// The schema with the chosen indexes.
    ///
    /// - Parameters:
    ///   - name: The name of the collection.
    ///   - idField: The field with the IDs; `nil` to choose one.
    func collection(_ name: String, idField: String?) -> CollectionDefinition {
        let idField = idField ?? self.idField ?? "id"
        var indexes: [IndexDefinition] = []
        var names: Set<String> = []
        func add(_ definition: IndexDefinition) {
            var definition = definition
            let base = definition.name
            var number = 2
            while !names.insert(definition.name).inserted {
                definition.name = "\(base)-\(number)"
                number += 1
            }
            indexes.append(definition)
        }
        let ranked = fields.filter { !$0.key.description.hasSameBytes(as: FieldPath(names: idField).description) }
            .sorted { $0.value.order < $1.value.order }
        let valued = ranked.map { ($0.key, usefulness($0.value, of: $0.key)) }.filter { $0.1 >= 1 }
        let best = Set(valued.sorted { $0.1 > $1.1 }.prefix(Self.valueIndexLimit).map(\.0))
        for (path, _) in valued where best.contains(path) {
            var definition = IndexDefinition(Self.name(path), kind: .value, fields: [path])
            definition.countsValues = fields[path].map(isFacet) ?? false
            add(definition)
        }
        for (path, field) in ranked where field.placeCount > 0 { add(.geo(Self.name(path), on: path)) }
        let texts = ranked.filter { isProse($0.value) }.sorted { $0.value.byteCount > $1.value.byteCount }
            .prefix(Self.textFieldLimit).sorted { $0.value.order < $1.value.order }.map(\.key)
        if !texts.isEmpty { add(IndexDefinition("text", kind: .text, fields: texts)) }
        return CollectionDefinition(name, id: idField, indexes: indexes)
    }

    /// The field whose values identify the documents, by its name; `nil` if there is none.
    var idField: String? {
        let candidates = fields.filter { path, field in
            path.steps.count == 1 && field.documentCount == documentCount && field.isIdentity && field.otherCount == 0
                && field.numberCount + field.stringCount == documentCount
        }.sorted { $0.value.order < $1.value.order }.compactMap { candidate -> String? in
            if case .name(let name)? = candidate.key.steps.first { name } else { nil }
        }
        return Self.identityNames.lazy.compactMap { wanted in candidates.first { $0.lowercased() == wanted } }.first
            ?? candidates.first { $0.lowercased().hasSuffix("id") }
    }

    /// How useful an index on a field probably is; at least 1 for a good one.
    private func usefulness(_ field: Field, of path: FieldPath) -> Double {
        let scalarCount = field.valueCount - field.otherCount
        guard scalarCount > 0, field.distinct.count > 1, field.documentCount * 50 >= documentCount else { return 0 }
        if field.dateCount * 10 >= scalarCount * 9 { return 3 }
        // Long strings are for the text index.
        if field.stringCount > 0, field.byteCount / field.stringCount > 40 { return 0 }
        let repeats = Double(scalarCount) / Double(field.distinct.count)
        if field.distinct.count <= 2, field.stringCount == 0 { return 1 }
        // Elements of lists, such as keywords, are what one looks for even if many occur once.
        let coverage = Double(field.documentCount) / Double(documentCount)
        if path.hasArrayStep { return repeats >= 1.2 ? 2.3 + 0.6 * coverage : 0.5 }
        let isNested = path.steps.count > 1
        return repeats >= 2 ? 2 + 0.6 * coverage + (isNested ? 0 : 0.2) : 0.5
    }

    /// Whether the values of a field repeat so often that their counts are of interest. Counting costs a little with each
    /// write, and makes facets independent of the number of documents.
    private func isFacet(_ field: Field) -> Bool {
        let scalarCount = field.valueCount - field.otherCount
        return field.distinct.count < Self.distinctLimit && scalarCount >= 10 * field.distinct.count
            && field.dateCount * 10 < scalarCount * 9
    }

    /// Whether a field holds text in which one searches for words.
    private func isProse(_ field: Field) -> Bool {
        guard field.stringCount * 2 > field.valueCount, field.dateCount * 2 < field.stringCount else { return false }
        return field.wordCount >= field.stringCount + (field.stringCount + 4) / 5
    }

    /// The name of an index: that of its field.
    private static func name(_ path: FieldPath) -> String {
        path.steps.compactMap { if case .name(let name) = $0 { name } else { nil } }.joined(separator: ".")
    }
}
