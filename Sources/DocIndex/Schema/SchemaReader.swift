/// Reads the JSON form of a schema and collects all violations.
struct SchemaReader {
    private(set) var violations: [DocIndexError.SchemaViolation] = []
    /// The indexes that could not be read completely. Further checks of them would report spurious violations.
    private(set) var faulty: Set<JSONPointer> = []

    mutating func schema(_ value: DocumentValue) -> Schema {
        let place = JSONPointer()
        // `$schema` identifies the file format for editors.
        guard let root = object(value, at: place) else { return Schema(collections: []) }
        allow(["$schema", "version", "collections"], in: root, at: place)
        _ = text("$schema", in: root, at: place)
        var version = 1
        switch root["version"] {
        case nil: break
        case .int(let number): version = Int(number)
        default: add(place / "version", "must be a whole number")
        }
        guard let collections = root["collections"] else {
            add(place, "has no member collections; add an object with the collections")
            return Schema(version: version, collections: [])
        }
        let members = object(collections, at: place / "collections") ?? DocumentObject()
        return Schema(
            version: version,
            collections: members.map { collection($0.name, $0.value, at: place / "collections" / $0.name) })
    }

    private mutating func collection(
        _ name: String, _ value: DocumentValue, at place: JSONPointer
    ) -> CollectionDefinition {
        guard let members = object(value, at: place) else { return CollectionDefinition(name) }
        allow(["id", "history", "indexes"], in: members, at: place)
        var definition = CollectionDefinition(name, id: text("id", in: members, at: place) ?? "id")
        definition.history = members["history"].flatMap { history($0, at: place / "history") }
        guard let indexes = members["indexes"].flatMap({ object($0, at: place / "indexes") }) else { return definition }
        definition.indexes = indexes.map { index($0.name, $0.value, at: place / "indexes" / $0.name) }
        return definition
    }

    /// Reads the bounds of a history. Unreadable parts are omitted and reported in ``violations``.
    mutating func history(_ value: DocumentValue, at place: JSONPointer) -> CollectionDefinition.History? {
        let before = violations.count
        defer { if violations.count > before { faulty.insert(place) } }
        guard let members = object(value, at: place) else { return nil }
        allow(["age", "versions"], in: members, at: place)
        var history = CollectionDefinition.History()
        if let written = text("age", in: members, at: place) {
            history.age = CollectionDefinition.History.Age(written)
            if history.age == nil {
                add(place / "age", "is \(written); specify a number and a unit, such as 90 days")
            }
        }
        history.versions = number("versions", in: members, at: place)
        return history
    }

    /// Reads an index definition. Unreadable parts are omitted and reported in ``violations``.
    mutating func index(_ name: String, _ value: DocumentValue, at place: JSONPointer) -> IndexDefinition {
        let before = violations.count
        defer { if violations.count > before { faulty.insert(place) } }
        var definition = IndexDefinition(name, kind: .value, components: [])
        guard let members = object(value, at: place) else { return definition }
        allow(
            [
                "type", "fields", "analyzer", "lat", "lon", "where", "sparse", "unique", "nullsEqual", "cover", "count",
                "languageField", "languages", "dimensions", "similarity",
            ], in: members, at: place)
        definition.kind = choice("type", in: members, at: place) ?? .value
        definition.components = components(of: definition.kind, in: members, at: place)
        setDefaultAnalyzer(members, &definition, at: place)
        if let written = text("where", in: members, at: place) {
            do {
                definition.condition = try IndexDefinition.Condition(parsing: written)
            } catch {
                add(place / "where", "is not a valid condition: \(error)")
            }
        }
        definition.isSparse = flag("sparse", in: members, at: place)
        definition.isUnique = flag("unique", in: members, at: place)
        definition.nullsAreEqual = flag("nullsEqual", in: members, at: place)
        definition.countsValues = flag("count", in: members, at: place)
        definition.dimensions = number("dimensions", in: members, at: place)
        if let similarity: IndexDefinition.Similarity = choice("similarity", in: members, at: place) {
            definition.similarity = similarity
            if definition.kind != .vector {
                add(place / "similarity", "belongs to an index of type vector; leave it out")
            }
        }
        definition.languageField = members["languageField"].flatMap { path($0, at: place / "languageField") }
        if let languages = members["languages"] {
            definition.documentLanguages =
                (array(languages, of: "languages", at: place / "languages") ?? []).enumerated().compactMap {
                    choice($1, at: place / "languages" / $0)
                }
        }
        if let covered = members["cover"] {
            let values = array(covered, of: "paths", at: place / "cover")
            if values?.isEmpty == true { add(place / "cover", "is empty; list paths or leave it out") }
            definition.covered = (values ?? []).enumerated().compactMap { path($1, at: place / "cover" / $0) }
        }
        return definition
    }

    private mutating func components(
        of kind: IndexDefinition.Kind, in members: DocumentObject, at place: JSONPointer
    ) -> [IndexDefinition.Component] {
        let pair = [members["lat"], members["lon"]]
        if kind == .geo, pair.contains(where: { $0 != nil }) {
            if members["fields"] != nil { add(place / "fields", "cannot be combined with lat and lon; leave one out") }
            return zip(["lat", "lon"], pair).compactMap { name, value in
                guard let value else {
                    add(place, "has no member \(name); declare lat and lon together")
                    return nil
                }
                return path(value, at: place / name).map { IndexDefinition.Component($0) }
            }
        }
        for (name, value) in zip(["lat", "lon"], pair) where value != nil {
            add(place / name, "belongs to an index of type geo; leave it out")
        }
        guard let fields = members["fields"] else {
            add(place, "has no member fields; add an array of paths")
            return []
        }
        guard let values = array(fields, of: "paths", at: place / "fields") else { return [] }
        if kind == .geo, values.count > 1 {
            add(place / "fields", "must be one path to a location; for two paths, use lat and lon")
        }
        return values.enumerated().compactMap { component($1, at: place / "fields" / $0) }
    }

    /// Applies the analyzer of a text index to the fields without one.
    private mutating func setDefaultAnalyzer(
        _ members: DocumentObject, _ definition: inout IndexDefinition, at place: JSONPointer
    ) {
        guard let value = members["analyzer"] else { return }
        guard definition.kind == .text else {
            return add(place / "analyzer", "belongs to an index of type text; leave it out")
        }
        guard let analyzer = analyzer(value, at: place / "analyzer") else { return }
        // Match fields by position. If a field could not be read, the definition is not used anyway.
        guard case .array(let fields)? = members["fields"], fields.count == definition.components.count else { return }
        for (position, field) in fields.enumerated() {
            if case .object(let field) = field, field["analyzer"] != nil { continue }
            definition.components[position].analyzer = analyzer
        }
    }

    private mutating func component(_ value: DocumentValue, at place: JSONPointer) -> IndexDefinition.Component? {
        guard case .object(let members) = value else {
            return path(value, at: place, orElse: "must be a path or an object with a path").map {
                IndexDefinition.Component($0)
            }
        }
        allow(
            ["path", "order", "collation", "as", "part", "split", "weight", "analyzer"], in: members, at: place)
        guard let written = members["path"] else {
            add(place, "has no member path")
            return nil
        }
        guard let path = path(written, at: place / "path") else { return nil }
        var component = IndexDefinition.Component(path)
        component.order = choice("order", in: members, at: place) ?? .ascending
        component.collation = choice("collation", in: members, at: place) ?? .binary
        component.part = choice("part", in: members, at: place)
        component.separator = text("split", in: members, at: place)
        if let form = members["as"] { component.dateFormats = dateFormats(form, at: place / "as") }
        component.weight = number("weight", in: members, at: place) ?? 1
        if let value = members["analyzer"], let analyzer = analyzer(value, at: place / "analyzer") {
            component.analyzer = analyzer
        }
        return component
    }

    private mutating func dateFormats(_ value: DocumentValue, at place: JSONPointer) -> [DocumentDate.Format] {
        guard let members = object(value, at: place) else { return [] }
        allow(["date"], in: members, at: place)
        guard let formats = members["date"] else {
            add(place, "has no member date; list the formats of the dates")
            return []
        }
        guard let values = array(formats, of: "formats", at: place / "date") else { return [] }
        if values.isEmpty { add(place / "date", "is empty; list at least one format") }
        return values.enumerated().compactMap { choice($1, at: place / "date" / $0) }
    }
}

// MARK: - Analyzers

extension SchemaReader {
    /// Reads an analyzer: the name of a known analyzer, the name of a language, or an object with all settings.
    private mutating func analyzer(_ value: DocumentValue, at place: JSONPointer) -> TextAnalyzer? {
        if case .string(let text) = value {
            if let known = TextAnalyzer(name: text) { return known }
            let names = TextAnalyzer.names
            let advice = Spelling.nearest(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
            add(place, "is \(text), which is not one of \(names.joined(separator: ", "))\(advice)")
            return nil
        }
        guard case .object(let members) = value else {
            add(place, "must be the name of an analyzer or an object")
            return nil
        }
        allow(
            ["tokenizer", "language", "case", "accents", "cjk", "length", "stopWords", "synonyms"], in: members,
            at: place)
        let language: TextAnalyzer.Language? = choice("language", in: members, at: place)
        var analyzer = TextAnalyzer(
            choice("tokenizer", in: members, at: place) ?? (language == nil ? .simple : .words), language: language)
        let letters: TextAnalyzer.LetterCase? = choice("case", in: members, at: place)
        analyzer.foldsCase = letters != .keep
        analyzer.accents = choice("accents", in: members, at: place) ?? .fold
        let ideographs: TextAnalyzer.Ideographs? = choice("cjk", in: members, at: place)
        analyzer.pairsIdeographs = ideographs == .pairs
        analyzer.gramLength = number("length", in: members, at: place) ?? 3
        switch members["stopWords"] {
        case nil, .bool(false): break
        case .bool(true): analyzer.stopWords = .ofLanguage
        case .some(let list):
            analyzer.stopWords = .words(
                texts(list, at: place / "stopWords", orElse: "must be true or an array of words"))
        }
        if let groups = members["synonyms"].flatMap({ array($0, of: "arrays of words", at: place / "synonyms") }) {
            analyzer.synonyms = groups.enumerated().map {
                texts($1, at: place / "synonyms" / $0, orElse: "must be an array of words")
            }
        }
        return analyzer
    }

    private mutating func texts(_ value: DocumentValue, at place: JSONPointer, orElse message: String) -> [String] {
        guard case .array(let values) = value else {
            add(place, message)
            return []
        }
        return values.enumerated().compactMap { position, value in
            if case .string(let text) = value { return text }
            add(place / position, "must be a string")
            return nil
        }
    }

    private mutating func number(_ name: String, in object: DocumentObject, at place: JSONPointer) -> Int? {
        switch object[name] {
        case nil: return nil
        case .int(let number): return Int(number)
        default:
            add(place / name, "must be a whole number")
            return nil
        }
    }
}

// MARK: - Elements

extension SchemaReader {
    private mutating func add(_ place: JSONPointer, _ message: String) {
        violations.append(DocIndexError.SchemaViolation(path: place.text, message: message))
    }

    private mutating func allow(_ names: [String], in object: DocumentObject, at place: JSONPointer) {
        for member in object where !names.contains(where: { $0.hasSameBytes(as: member.name) }) {
            let advice =
                Spelling.nearest(to: member.name, among: names).map { "did you mean \($0)?" }
                ?? "the members are \(names.joined(separator: ", "))"
            add(place / member.name, "is unknown; \(advice)")
        }
    }

    private mutating func object(_ value: DocumentValue, at place: JSONPointer) -> DocumentObject? {
        if case .object(let object) = value { return object }
        add(place, "must be an object, in braces")
        return nil
    }

    private mutating func array(
        _ value: DocumentValue, of what: String, at place: JSONPointer
    ) -> [DocumentValue]? {
        if case .array(let values) = value { return values }
        add(place, "must be an array of \(what), in brackets")
        return nil
    }

    private mutating func text(_ name: String, in object: DocumentObject, at place: JSONPointer) -> String? {
        guard let value = object[name] else { return nil }
        if case .string(let text) = value { return text }
        add(place / name, "must be a string")
        return nil
    }

    private mutating func flag(_ name: String, in object: DocumentObject, at place: JSONPointer) -> Bool {
        guard let value = object[name] else { return false }
        if case .bool(let flag) = value { return flag }
        add(place / name, "must be true or false")
        return false
    }

    private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, in object: DocumentObject, at place: JSONPointer
    ) -> Choice? {
        object[name].flatMap { choice($0, at: place / name) }
    }

    private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ value: DocumentValue, at place: JSONPointer
    ) -> Choice? {
        let known = Choice.allCases.map(\.rawValue)
        guard case .string(let text) = value else {
            add(place, "must be one of \(known.joined(separator: ", "))")
            return nil
        }
        if let choice = Choice.allCases.first(where: { $0.rawValue.hasSameBytes(as: text) }) { return choice }
        let advice = Spelling.nearest(to: text, among: known).map { "; did you mean \($0)?" } ?? ""
        add(place, "is \(text), which is not one of \(known.joined(separator: ", "))\(advice)")
        return nil
    }

    private mutating func path(
        _ value: DocumentValue, at place: JSONPointer, orElse message: String = "must be a path, as a string"
    ) -> FieldPath? {
        guard case .string(let text) = value else {
            add(place, message)
            return nil
        }
        do {
            return try FieldPath(parsing: text)
        } catch {
            add(place, "is not a valid path: \(error)")
            return nil
        }
    }
}

/// Suggests corrections of misspelled names.
private enum Spelling {
    /// Returns the nearest name if it differs by no more than a typing error; `nil` if none is near.
    static func nearest(to name: String, among names: [String]) -> String? {
        let scored = names.map { (name: $0, distance: NameDistance.between(name.lowercased(), $0.lowercased())) }
        guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.name.count / 3) ? best.name : nil
    }
}
