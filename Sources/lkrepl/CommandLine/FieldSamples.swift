import DocIndex

/// Fields and values of a collection, for examples in help.
struct FieldSamples {
    /// A field and a value that occurs in it.
    struct Sample {
        var path: FieldPath
        var value: DocumentValue

        /// A condition of the field and the value, such as `rating = 4`.
        func condition(_ comparison: Filter.Comparison = .equal) -> String {
            Filter.compare(path, comparison, value).description
        }
    }

    /// The store as typed after a command: empty in the shell.
    let store: String
    let collection: String
    let idField: String
    private(set) var number = Sample(path: FieldPath(names: "rating"), value: 4)
    private(set) var text = Sample(path: FieldPath(names: "title"), value: "Fog")
    private(set) var category = Sample(path: FieldPath(names: "exif", "model"), value: "X100V")
    private(set) var list = Sample(path: FieldPath(names: "keywords"), value: "sea")
    private(set) var date = Sample(path: FieldPath(names: "taken"), value: "2019-06-08T18:02:11")
    private(set) var place = FieldPath(names: "gps")
    /// Which of the samples come from documents.
    private(set) var found: Set<String> = []

    /// Samples of the README's store.
    init() {
        store = "photos.store"
        collection = "photos"
        idField = "id"
    }

    /// The fields of the first documents of a collection; fields of the README's store where it has none of a kind.
    init(of collection: DocumentCollection) {
        store = ""
        self.collection = collection.name
        idField = collection.definition.idField
        var counts: [FieldPath: Int] = [:]
        var kinds: [String: [Sample]] = [:]
        // A field whose values are of several kinds is a poor example.
        var kindsOfField: [FieldPath: Set<DocumentValue.Kind>] = [:]
        let deadline = ContinuousClock.now + .seconds(2)
        _ = try? collection.forEach(matching: Query(limit: 60)) { document in
            Self.forEachValue(of: document.content) { path, value in
                guard !path.description.hasSameBytes(as: idField) else { return }
                counts[path, default: 0] += 1
                kindsOfField[path, default: []].insert(value.kind)
                for kind in Self.kinds(of: value) { kinds[kind, default: []].append(Sample(path: path, value: value)) }
            }
            return ContinuousClock.now < deadline
        }
        let indexed = Set(
            collection.definition.indexes.flatMap(\.fields).map { $0.description.replacing("[]", with: "") })
        /// The most frequent field of a kind, preferably of an index.
        func best(_ kind: String) -> Sample? {
            func rank(_ sample: Sample) -> (Int, Int) {
                let isMixed = kindsOfField[sample.path]?.count ?? 0 > 1
                return (
                    (isMixed ? 0 : 2) + (indexed.contains(sample.path.description) ? 1 : 0), counts[sample.path] ?? 0
                )
            }
            return (kinds[kind] ?? []).reversed().max { rank($0) < rank($1) }
        }
        func take(_ kind: String, _ target: inout Sample) {
            guard let sample = best(kind) else { return }
            target = sample
            found.insert(kind)
        }
        take("number", &number)
        take("text", &text)
        category = text
        take("category", &category)
        take("date", &date)
        if let sample = best("list"), case .array(let elements) = sample.value, let first = elements.first {
            list = Sample(path: sample.path, value: first)
            found.insert("list")
        }
        if let sample = best("place") {
            place = sample.path
            found.insert("place")
        }
    }

    private static func kinds(of value: DocumentValue) -> [String] {
        switch value {
        case .int, .double: ["number"]
        case .date: ["date"]
        case .string(let text):
            DocumentDate(iso8601: text) != nil
                ? ["date"] : text.utf8.count <= 24 && !text.contains(where: \.isNewline) ? ["text", "category"] : []
        case .array(let elements): elements.first?.stringValue.map { $0.utf8.count < 30 } ?? false ? ["list"] : []
        case .object(let object):
            object.contains { ["lat", "latitude"].contains($0.name) } ? ["place"] : []
        default: []
        }
    }

    /// Calls `body` with the values of a document and of its objects.
    private static func forEachValue(of document: DocumentObject, _ body: (FieldPath, DocumentValue) -> Void) {
        for member in document {
            body(FieldPath(names: member.name), member.value)
            guard case .object(let object) = member.value else { continue }
            for inner in object { body(FieldPath(names: member.name, inner.name), inner.value) }
        }
    }
}
