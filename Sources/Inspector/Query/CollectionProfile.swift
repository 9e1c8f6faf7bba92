internal import DocIndex

/// What is known of a collection's documents, and thus what is shown if the request does not say it: learned from some
/// of the documents.
struct CollectionProfile: Sendable {
    /// The columns of a table, without the ID.
    let columns: [FieldPath]
    /// The fields whose values are counted beside a table.
    let facets: [Aggregation.GroupKey]
    /// The field with the date of a document; `nil` if there is none.
    let date: FieldPath?
    /// The field with the location of a document; `nil` if there is none.
    let location: GeoField?
    /// The field with the name of a place; `nil` if there is none.
    let place: FieldPath?
    /// The fields with attached pictures, the smallest pictures first.
    let pictures: [FieldPath]
    /// Whether searches are possible: the collection has a text index.
    let hasText: Bool

    private static let sampleCount = 50
    private static let columnLimit = 7
    private static let facetLimit = 4

    /// Reads some documents.
    ///
    /// - Parameter filter: the condition of the shown documents.
    init(of collection: ReadableCollection, where filter: Filter = .all) throws {
        var documents = try collection.sample(Query(filter), limit: Self.sampleCount).map(\.content)
        if documents.isEmpty, filter != .all {
            documents = try collection.sample(Query(), limit: Self.sampleCount).map(\.content)
        }
        let definition = collection.definition
        let indexed = definition.indexes.flatMap(\.fields)
        var fields = SampledFields()
        for document in documents { fields.add(document) }
        columns = Self.columns(of: documents, idField: definition.idField, indexed: indexed.map(\.description))
        facets = try Self.facets(of: documents, collection, where: filter)
        date = fields.date(preferring: indexed)
        location = Self.location(of: definition, in: documents)
        place = fields.place
        pictures = fields.pictures
        hasText = definition.indexes.contains { $0.kind == .text }
    }

    /// The fields at the top of the documents that tell most, in the order of the documents.
    private static func columns(of documents: [DocumentObject], idField: String, indexed: [String]) -> [FieldPath] {
        var names: [String] = []
        for document in documents {
            for member in document where !contains(names, member.name) { names.append(member.name) }
        }
        let others = names.filter { !$0.utf8.elementsEqual(idField.utf8) }
        let ranked = others.enumerated().map { position, name in
            let isIndexed = indexed.contains { $0.hasPrefix(FieldPath(names: name).description) }
            let rank = FieldRank(
                of: documents.lazy.compactMap { $0[name] }, in: documents.count, isPreferred: isIndexed
            ) { CellText($0).text.utf8.count }
            return (position: position, name: name, rank: rank)
        }
        let best = ranked.sorted { ($1.rank, $0.position) < ($0.rank, $1.position) }.prefix(columnLimit)
        return best.sorted { $0.position < $1.position }.map { FieldPath(names: $0.name) }
    }

    private static func contains(_ names: [String], _ name: String) -> Bool {
        names.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// The indexed fields with few different values, because their counts tell most and cost least.
    private static func facets(
        of documents: [DocumentObject], _ collection: ReadableCollection, where filter: Filter
    ) throws -> [Aggregation.GroupKey] {
        guard !documents.isEmpty else { return [] }
        var keys: [Aggregation.GroupKey] = []
        for index in collection.definition.indexes where index.kind == .value && keys.count < facetLimit {
            guard let path = index.fields.first, !keys.contains(.value(path)), isSuitable(path, in: documents),
                try filter != .all || collection.indexCounting(path, where: .all) != nil
            else { continue }
            keys.append(.value(path))
        }
        return keys
    }

    /// Whether the values of a field are short and repeat.
    private static func isSuitable(_ path: FieldPath, in documents: [DocumentObject]) -> Bool {
        var values: Set<DocumentValue> = []
        var count = 0
        for document in documents {
            path.forEachElement(in: document) { value in
                guard isShort(value) else { return }
                count += 1
                values.insert(value)
            }
        }
        return count >= 2 && values.count * 3 <= count * 2 + 2
    }

    private static func isShort(_ value: DocumentValue) -> Bool {
        switch value {
        case .bool, .int: true
        case .string(let text): text.utf8.count <= 64
        default: false
        }
    }

    /// The location of the index, or a usual field that a document has.
    private static func location(of definition: CollectionDefinition, in documents: [DocumentObject]) -> GeoField? {
        if let fields = definition.indexes.first(where: { $0.kind == .geo })?.fields, let first = fields.first {
            return fields.count == 2 ? .coordinates(latitude: first, longitude: fields[1]) : .location(first)
        }
        return GeoField.usual.first { field in documents.contains { field.point(in: $0) != nil } }
    }
}

/// The fields of some documents, to find those of a certain kind.
private struct SampledFields {
    private struct Field {
        let path: FieldPath
        var dateCount = 0
        var count = 0
        var pictureCount = 0
        var pictureByteCount: Int64 = 0
    }

    private var fields: [FieldPath: Field] = [:]
    private var order: [FieldPath] = []

    private static let depthLimit = 3
    /// A document with thousands of members need not be known in full.
    private static let fieldLimit = 500

    mutating func add(_ document: DocumentObject) { add(document, below: []) }

    private mutating func add(_ object: DocumentObject, below names: [String]) {
        for member in object where order.count < Self.fieldLimit {
            add(member.value, at: names + [member.name], isElement: false)
        }
    }

    private mutating func add(_ value: DocumentValue, at names: [String], isElement: Bool) {
        switch value {
        case .object(let object):
            if names.count < Self.depthLimit, !isElement { add(object, below: names) }
        case .array(let elements):
            guard !isElement else { return }
            for element in elements.prefix(20) { add(element, at: names, isElement: true) }
        default: note(value, at: names, isElement)
        }
    }

    private mutating func note(_ value: DocumentValue, at names: [String], _ isElement: Bool) {
        let text = names.map { FieldPath(names: $0).description }.joined(separator: ".") + (isElement ? "[]" : "")
        guard let path = try? FieldPath(parsing: text) else { return }
        var field = fields[path] ?? Field(path: path)
        if fields[path] == nil { order.append(path) }
        field.count += 1
        if Self.isDate(value) { field.dateCount += 1 }
        if case .attachment(let attachment) = value, PictureKind.isRaster(attachment.type) {
            field.pictureCount += 1
            field.pictureByteCount += attachment.byteCount
        }
        fields[path] = field
    }

    private static func isDate(_ value: DocumentValue) -> Bool {
        switch value {
        case .date: return true
        case .string(let text):
            let start = Array(text.utf8.prefix(10))
            guard start.count == 10, (start[4], start[7]) == (0x2d, 0x2d) || (start[4], start[7]) == (0x3a, 0x3a) else {
                return false
            }
            return [0, 1, 2, 3, 5, 6, 8, 9].allSatisfy { (0x30...0x39).contains(start[$0]) }
        default: return false
        }
    }

    private var ordered: [Field] { order.compactMap { fields[$0] } }

    /// The field whose values are dates, an indexed one if there are several.
    func date(preferring indexed: [FieldPath]) -> FieldPath? {
        let dates = ordered.filter { $0.dateCount * 2 > $0.count && !$0.path.hasArrayStep }
        return (dates.first { indexed.contains($0.path) } ?? dates.max { $0.dateCount < $1.dateCount })?.path
    }

    /// The field whose name is that of a place.
    var place: FieldPath? {
        let names = ["city", "town", "place", "sublocation", "location", "state", "country"]
        for name in names {
            let found = ordered.first { field in
                let last = field.path.description.lowercased().split { $0 == "." || $0 == ":" }.last.map(String.init)
                return last == name
            }
            if let found { return found.path }
        }
        return nil
    }

    /// The fields with pictures, the smallest pictures first.
    var pictures: [FieldPath] {
        ordered.filter { $0.pictureCount > 0 }
            .sorted { $0.pictureByteCount / Int64($0.pictureCount) < $1.pictureByteCount / Int64($1.pictureCount) }
            .map(\.path)
    }
}
