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
        /// The dates in the notation of cameras, which are among the dates.
        var cameraDateCount = 0
        var placeCount = 0
        /// The strings with a coordinate in degrees, minutes and seconds.
        var degreeCount = 0
        /// The words without digits.
        var wordCount = 0
        var byteCount = 0
        var otherCount = 0
        /// Distinct values, up to a limit.
        var distinct: Set<DocumentValue> = []
        var isIdentity = true
    }

    /// The maximum number of value indexes: each costs time with every write.
    static let valueIndexLimit = 12
    /// The maximum number of indexes of dates. Pictures have many, of which most say when a file was changed.
    static let dateIndexLimit = 3
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
            if text.contains(" deg ") { field.degreeCount += 1 }
            if isDate(text, separator: "-") { field.dateCount += 1 }
            if isDate(text, separator: ":") {
                field.dateCount += 1
                field.cameraDateCount += 1
            }
            field.wordCount += text.prefix(1000).split(whereSeparator: \.isWhitespace).count {
                !$0.contains(where: \.isNumber)
            }
        case .bool: break
        case .null, .array, .object, .bytes, .attachment: field.otherCount += 1
        }
        guard field.distinct.count < distinctLimit else { return }
        if !field.distinct.insert(value).inserted { field.isIdentity = false }
    }

    /// Whether a string is a date with this separator, such as `2012:06:08 18:02:11` with a colon, with or without a
    /// time.
    private static func isDate(_ text: String, separator: Unicode.Scalar) -> Bool {
        var bytes = Array(text.utf8.prefix(40))
        guard bytes.count >= 10, bytes[4] == UInt8(ascii: separator), bytes[7] == UInt8(ascii: separator) else {
            return false
        }
        bytes[4] = UInt8(ascii: "-")
        bytes[7] = UInt8(ascii: "-")
        switch bytes.count {
        case 10: bytes += Array("T00:00:00".utf8)
        case 16: bytes += Array(":00".utf8)
        default: break
        }
        if bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
        return DocumentDate(iso8601: bytes.span) != nil
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
        let coordinates = coordinates
        let valued = ranked.filter { ![coordinates?.latitude, coordinates?.longitude].contains($0.key) }
            .map { ($0.key, usefulness($0.value, of: $0.key)) }.filter { $0.1 >= 1 }
        let sorted = valued.sorted { $0.1 > $1.1 }.map(\.0)
        let dates = sorted.filter { fields[$0].map(Self.holdsDates) ?? false }.prefix(Self.dateIndexLimit)
        let others = sorted.filter { !(fields[$0].map(Self.holdsDates) ?? false) }
        let best = Set(dates + others.prefix(Self.valueIndexLimit - dates.count))
        for (path, _) in valued where best.contains(path) {
            var definition = IndexDefinition.value(
                Self.name(path), on: .field(path, dates: fields[path].map(Self.dateFormats) ?? []))
            definition.countsValues = fields[path].map(isFacet) ?? false
            add(definition)
        }
        for (path, field) in ranked where field.placeCount > 0 { add(.geo(Self.name(path), on: path)) }
        if let coordinates {
            add(.geo("place", latitude: coordinates.latitude, longitude: coordinates.longitude))
        }
        let texts = ranked.filter { isProse($0.value, at: $0.key) }.sorted { $0.value.byteCount > $1.value.byteCount }
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
        let coverage = Double(field.documentCount) / Double(documentCount)
        if Self.holdsDates(field) { return 3 + coverage + Self.dateRank(path) }
        // Long strings are for the text index.
        if field.stringCount > 0, field.byteCount / field.stringCount > 40 { return 0 }
        let repeats = Double(scalarCount) / Double(field.distinct.count)
        if field.distinct.count <= 2, field.stringCount == 0 { return 1 }
        // Elements of lists, such as keywords, are what one looks for even if many occur once.
        if path.hasArrayStep { return repeats >= 1.2 ? 2.3 + 0.6 * coverage : 0.5 }
        let isNested = path.steps.count > 1
        return repeats >= 2 ? 2 + 0.6 * coverage + (isNested ? 0 : 0.2) : 0.5
    }

    /// Whether the values of a field repeat so often that their counts are of interest. Counting costs a little with each
    /// write, and makes facets independent of the number of documents.
    private func isFacet(_ field: Field) -> Bool {
        let scalarCount = field.valueCount - field.otherCount
        return field.distinct.count < Self.distinctLimit && scalarCount >= 10 * field.distinct.count
            && !Self.holdsDates(field)
    }

    private static func holdsDates(_ field: Field) -> Bool {
        field.dateCount > 0 && field.dateCount * 10 >= (field.valueCount - field.otherCount) * 9
    }

    /// How much the name of a date tells that it is when a picture was taken or a thing was made.
    private static func dateRank(_ path: FieldPath) -> Double {
        let name = path.description.lowercased()
        // exiftool's group of properties of the file.
        if name.contains("file:") { return -1 }
        return ["original", "taken"].contains(where: name.contains) ? 0.5 : name.contains("creat") ? 0.3 : 0
    }

    /// The formats in which an index reads strings as dates. Strings in one notation need none: their order is that of
    /// the dates, and such an index also sorts the strings.
    private static func dateFormats(_ field: Field) -> [DocumentDate.Format] {
        let isMixed = field.cameraDateCount > 0 && field.cameraDateCount < field.dateCount
        return holdsDates(field) && isMixed ? [.iso8601, .exif] : []
    }

    /// The two fields with the latitude and the longitude of most documents; `nil` if there are none.
    private var coordinates: (latitude: FieldPath, longitude: FieldPath)? {
        let pairs = fields.compactMap { path, field -> (latitude: FieldPath, longitude: FieldPath, field: Field)? in
            // The numbers of CSV are strings, which are no coordinates.
            guard field.numberCount + field.degreeCount == field.valueCount, !path.hasArrayStep else { return nil }
            for (latitude, longitude) in [
                ("latitude", "longitude"), ("Latitude", "Longitude"), ("lat", "lon"), ("lat", "lng"),
            ] {
                let steps = path.steps.dropLast()
                guard case .name(let name)? = path.steps.last, name.hasSuffix(latitude),
                    // "flat" is no latitude.
                    latitude.count > 3 || name == latitude,
                    let other = fields.keys.first(where: {
                        $0.steps == steps + [.name(name.dropLast(latitude.count) + longitude)]
                    })
                else { continue }
                return (path, other, field)
            }
            return nil
        }
        return pairs.filter { $0.field.documentCount * 50 >= documentCount }.max {
            ($0.field.documentCount, -$0.field.order) < ($1.field.documentCount, -$1.field.order)
        }.map { ($0.latitude, $0.longitude) }
    }

    /// Whether a field holds text in which one searches for words: several in a string, or lists such as keywords. Codes
    /// and sizes have digits, and what a program writes is the same in all documents.
    private func isProse(_ field: Field, at path: FieldPath) -> Bool {
        guard field.stringCount * 2 > field.valueCount, field.dateCount * 2 < field.stringCount,
            field.degreeCount * 2 < field.stringCount, field.distinct.count > 1 || field.documentCount == 1
        else { return false }
        if path.hasArrayStep { return field.wordCount * 10 >= field.stringCount * 9 }
        return field.wordCount >= field.stringCount + (field.stringCount + 4) / 5
    }

    /// The name of an index: that of its field.
    private static func name(_ path: FieldPath) -> String {
        path.steps.compactMap { if case .name(let name) = $0 { name } else { nil } }.joined(separator: ".")
    }
}
