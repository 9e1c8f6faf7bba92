extension Schema {
    /// All violations in the schema, in the order of the schema; empty if the schema is valid.
    public var violations: [DocIndexError.SchemaViolation] { violations(except: []) }

    /// Returns all violations, except in the indexes at some places, which are already known to be faulty.
    func violations(except skipped: Set<JSONPointer>) -> [DocIndexError.SchemaViolation] {
        var list = ViolationList()
        let root = JSONPointer()
        // The catalog stores the version in 32 bits.
        if version < 1 || version > UInt32.max {
            list.add(root / "version", "is \(version); versions are from 1 to \(UInt32.max)")
        }
        let place = root / "collections"
        list.checkNames(collections.map(\.name), what: "collection", at: place)
        for collection in collections {
            let place = place / collection.name
            if collection.idField.isEmpty { list.add(place / "id", "is empty; specify the member with the id") }
            if let history = collection.history, !skipped.contains(place / "history") {
                for (member, message) in history.violations {
                    list.add(member.map { place / "history" / $0 } ?? place / "history", message)
                }
            }
            list.checkNames(collection.indexes.map(\.name), what: "index", at: place / "indexes")
            for index in collection.indexes where !skipped.contains(place / "indexes" / index.name) {
                list.check(index, at: place / "indexes" / index.name)
            }
        }
        return list.violations
    }
}

/// Collects violations of the rules that apply to schemas in JSON and in Swift.
private struct ViolationList {
    private(set) var violations: [DocIndexError.SchemaViolation] = []

    mutating func add(_ place: JSONPointer, _ message: String) {
        violations.append(DocIndexError.SchemaViolation(path: place.text, message: message))
    }

    mutating func checkNames(_ names: [String], what: String, at place: JSONPointer) {
        var seen: Set<[UInt8]> = []
        var repeated: Set<[UInt8]> = []
        for name in names {
            let bytes = Array(name.utf8)
            if name.isEmpty { add(place, "has a \(what) with an empty name; give it one") }
            if !seen.insert(bytes).inserted, repeated.insert(bytes).inserted {
                add(place, "has more than one \(what) named \(name); rename one")
            }
        }
    }

    mutating func check(_ index: IndexDefinition, at place: JSONPointer) {
        if index.components.isEmpty { add(place / "fields", "has no fields; name at least one") }
        if let condition = index.condition, condition.filter == .all {
            add(place / "where", "holds for every document; leave it out")
        }
        if index.nullsAreEqual, !index.isUnique {
            add(place / "nullsEqual", "belongs to a unique index; leave it out or make the index unique")
        }
        checkLanguages(index, at: place)
        if index.kind != .vector, index.dimensions != nil {
            add(place / "dimensions", "belongs to an index of type vector; leave it out")
        }
        switch index.kind {
        case .value:
            for (position, component) in index.components.enumerated() {
                check(component, at: place / "fields" / position)
            }
        case .text, .geo: checkPlain(index, at: place)
        case .vector:
            checkPlain(index, at: place)
            checkVectors(index, at: place)
        }
    }

    private mutating func checkVectors(_ index: IndexDefinition, at place: JSONPointer) {
        let range = IndexDefinition.dimensionRange
        if let dimensions = index.dimensions {
            if !range.contains(dimensions) {
                add(
                    place / "dimensions",
                    "is \(dimensions); it must be from \(range.lowerBound) to \(range.upperBound)")
            }
        } else {
            add(place, "has no member dimensions; add the number of dimensions of each vector")
        }
        if index.isSparse { add(place / "sparse", "has no effect in an index of type vector; leave it out") }
        if index.components.count > 1 || index.fields.contains(where: \.hasArrayStep) {
            add(place / "fields", "must be one path without [], because a document has one vector")
        }
    }

    /// Checks the languages of documents.
    private mutating func checkLanguages(_ index: IndexDefinition, at place: JSONPointer) {
        guard index.languageField != nil || !index.documentLanguages.isEmpty else { return }
        guard index.kind == .text else {
            return add(place / "languageField", "belongs to an index of type text; leave it out")
        }
        if index.languageField == nil {
            add(place / "languages", "belong to a languageField; name the field with the language of a document")
        } else if !(1...DocumentLanguages.limit).contains(index.documentLanguages.count) {
            add(
                place / "languages",
                "must list the languages of the documents, at most \(DocumentLanguages.limit)")
        }
        if Set(index.documentLanguages).count != index.documentLanguages.count {
            add(place / "languages", "lists a language twice; list each once")
        }
        if !index.components.contains(where: { $0.analyzer.language != nil }) {
            add(place / "languageField", "has no effect without a field whose analyzer has a language; add one")
        }
    }

    private mutating func check(_ component: IndexDefinition.Component, at place: JSONPointer) {
        checkWithoutWords(component, at: place)
        let readsDates = !component.dateFormats.isEmpty || component.part != nil
        if let separator = component.separator {
            if separator.isEmpty { add(place / "split", "is empty; specify the separator of the levels") }
            if component.collation == .natural {
                add(place / "collation", "cannot be natural for hierarchical keywords; use binary, ci or ci-ai")
            }
            if readsDates { add(place / "split", "cannot be combined with dates; leave one of them out") }
        }
        if readsDates, component.collation != .binary {
            add(place / "collation", "does not apply to dates; leave it out")
        }
        if Set(component.dateFormats).count != component.dateFormats.count {
            add(place / "as", "lists a format twice; list each once")
        }
    }

    /// Checks the weight and the analyzer of a field of a text index.
    private mutating func checkWords(_ component: IndexDefinition.Component, at place: JSONPointer) {
        if !(1...100).contains(component.weight) {
            add(place / "weight", "is \(component.weight); it must be from 1 to 100")
        }
        for fault in component.analyzer.faults { add(place / "analyzer" / fault.member, fault.message) }
    }

    private mutating func checkWithoutWords(_ component: IndexDefinition.Component, at place: JSONPointer) {
        if component.weight != 1 { add(place / "weight", "belongs to an index of type text; leave it out") }
        if component.analyzer != .simple { add(place / "analyzer", "belongs to an index of type text; leave it out") }
    }

    /// Checks that an index has no properties that are specific to value indexes.
    private mutating func checkPlain(_ index: IndexDefinition, at place: JSONPointer) {
        let kind = index.kind.rawValue
        var members: [(name: String, isThere: Bool)] = [
            ("unique", index.isUnique), ("cover", !index.covered.isEmpty), ("count", index.countsValues),
        ]
        if index.kind == .text { members += [("where", index.condition != nil), ("sparse", index.isSparse)] }
        for member in members where member.isThere {
            add(place / member.name, "is not possible in an index of type \(kind); leave it out")
        }
        for (position, component) in index.components.enumerated() {
            let place = place / "fields" / position
            if !component.isPlainForTexts {
                let members = index.kind == .text ? "a path, a weight and an analyzer" : "only a path"
                add(place, "must be \(members) in an index of type \(kind)")
            }
            if index.kind == .text { checkWords(component, at: place) } else { checkWithoutWords(component, at: place) }
        }
        // A posting has one bit for each field.
        if index.kind == .text, index.components.count > 32 {
            add(
                place / "fields",
                "has \(index.components.count) fields, but a text index can have at most 32; declare two indexes")
        }
        if index.kind == .geo, index.components.count > 2 {
            add(place / "fields", "must be one path to a location; for two paths, use lat and lon")
        }
    }
}
