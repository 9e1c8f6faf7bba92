/// What a store knows of itself: the format it is written in, its collections and indexes, and their numbers.
///
/// Kept as one record, so that every change of the schema takes effect with one put.
struct Catalog: Sendable, Hashable {
    /// The version of the format on disk that this library writes; see `docs/FORMAT.md`.
    static let formatVersion = 4
    /// The earliest format that is read: in it, entries of value indexes had of arrays and objects the kind alone.
    static let earliestFormatVersion = 3

    /// What every record begins with.
    static let beginning = Array("{\"docindex\":".utf8)

    /// More numbers than a store can use up; a larger one was never given out.
    static let numberLimit: UInt32 = 1 << 30

    var schemaVersion = 1
    /// Tells this store apart from its copies, whose sequence numbers go their own way; see ``StoreEpoch``.
    var epoch = StoreEpoch.new()
    /// The migrations that were done, in their order.
    var migrations: [String] = []
    /// The migration that was begun and not finished; `nil` if there is none.
    var runningMigration: String?
    var collections: [CollectionEntry] = []
    /// The numbers that the next collection and the next index get. Numbers are never used twice, so that keys of what
    /// was dropped cannot be mistaken for keys of what came later.
    var nextCollection: UInt32 = 1
    var nextIndex: UInt32 = 1
    /// Indexes whose entries are still to be deleted.
    var dropped: [DroppedIndex] = []

    struct CollectionEntry: Sendable, Hashable {
        var name: String
        let number: UInt32
        var idField: String
        var indexes: [IndexEntry] { didSet { answering = AnsweringIndexes(indexes) } }
        /// The table of names that the bodies are written with; kept under keys of its own.
        var names: CollectionNames
        /// Those of the indexes that answer.
        private(set) var answering: AnsweringIndexes
        /// Where the row begins in the key of a document.
        let documentRowOffset: Int

        init(
            name: String, number: UInt32, idField: String, indexes: [IndexEntry],
            names: CollectionNames = CollectionNames()
        ) {
            self.name = name
            self.number = number
            self.idField = idField
            self.indexes = indexes
            self.names = names
            answering = AnsweringIndexes(indexes)
            documentRowOffset = StoreKeyspace.documents.prefix(number).count
        }

        /// Whether no index is left to be built.
        var isBuilt: Bool { !indexes.contains(where: \.isBuilding) }
    }

    struct IndexEntry: Sendable, Hashable {
        var number: UInt32
        var definition: IndexDefinition
        /// Whether the index holds every document. One that does not is not read, and holds the documents up to the row
        /// that is stored as its progress.
        var isReady: Bool
        /// Whether the schema no longer declares the index like this. It answers until the one that takes its place is
        /// ready.
        var isRetiring = false
        /// Why the index could not be built; `nil` if nothing is known against it. It holds nothing then.
        var failure: String?

        /// Whether the index is to be built.
        var isBuilding: Bool { !isReady && failure == nil }
        /// What the entries were made with; see ``IndexDefinition/fingerprint``.
        var fingerprint: String
        /// The rules by which texts were taken apart; see ``IndexDefinition/analysis``. For people who look: what counts
        /// is the fingerprint.
        var analysis: [String] = []
        /// The stemmers by which words were stemmed, one for each language of the definition. None where they are not known,
        /// or several wrote.
        var stemmers: [StemmerIdentity] = []
        /// Whether the entries of a value index have the content of arrays and objects, so that it answers. One that an earlier
        /// version made has not, and is built anew; see ``ContentAdoption``.
        var hasContent = true

        init(number: UInt32, definition: IndexDefinition, isReady: Bool, fingerprint: String? = nil) {
            self.number = number
            self.definition = definition
            self.isReady = isReady
            self.fingerprint = fingerprint ?? definition.fingerprint
            if fingerprint == nil {
                analysis = definition.analysis
                stemmers = definition.languages.map { StemmerIdentity.current($0) }
            }
        }

        /// Whether the entries are those that this version of the library would make.
        var isCurrent: Bool {
            hasContent && fingerprint == definition.fingerprint && hasStemmers { $0.isOfThisBuild }
        }

        /// Whether the words that are looked for become the terms that are stored: the stemmers are those of this process,
        /// or agree with them as far as is known.
        var answersWithThisStemmer: Bool { hasStemmers { $0.agreesWithThisProcess } }

        private func hasStemmers(where isKnown: (StemmerIdentity) -> Bool) -> Bool {
            definition.languages.allSatisfy { language in
                stemmers.contains { $0.language == language && isKnown($0) }
            }
        }
    }

    /// Whether a schema change is not finished.
    var hasPendingWork: Bool { !dropped.isEmpty || collections.contains { !$0.isBuilt } }

    struct DroppedIndex: Sendable, Hashable {
        var number: UInt32
        var kind: IndexDefinition.Kind
    }

    /// The schema that the catalog stands for.
    var schema: Schema {
        Schema(
            version: schemaVersion,
            collections: collections.map { collection in
                CollectionDefinition(
                    collection.name, id: collection.idField,
                    indexes: collection.indexes.filter { !$0.isRetiring }.map(\.definition))
            })
    }

    /// Whether an index was made with rules that are no longer in force, such as those of another Unicode version or another
    /// stemmer.
    var hasOutdatedIndexes: Bool {
        collections.contains { $0.indexes.contains { !$0.isCurrent && !$0.isRetiring } }
    }

    func collection(numbered number: UInt32) -> CollectionEntry? {
        collections.first { $0.number == number }
    }

    func collection(named name: String) -> CollectionEntry? {
        collections.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}

// MARK: - Changing to another schema

extension Catalog {
    /// The catalog of a store after `schema` has been declared for it.
    ///
    /// Collections and indexes that are declared alike are kept. New indexes of a collection that holds documents begin
    /// as not ready. Indexes that are no longer declared, or declared otherwise, are dropped. A collection is never
    /// dropped, because a schema that forgets one must not delete its documents.
    ///
    /// - Throws: ``DocIndexError``: `storeTooNew` where the version is lower than that of the store; `invalidSchema`
    ///   where a collection is missing or takes its ids from elsewhere.
    func changed(to schema: Schema) throws -> Catalog {
        try schema.validate()
        guard schema.version >= schemaVersion else {
            throw DocIndexError(
                .storeTooNew,
                "the store has version \(schemaVersion) of its schema, and version \(schema.version) is declared, which "
                    + "would drop what was added since; use a newer program, or declare a higher version to go back")
        }
        var new = self
        new.schemaVersion = schema.version
        for collection in collections
        where schema.collections.allSatisfy({ !$0.name.hasSameBytes(as: collection.name) }) {
            throw DocIndexError(
                .invalidSchema,
                "the store has a collection \(collection.name) that the schema does not declare; declare it as well")
        }
        new.collections = []
        for definition in schema.collections {
            new.collections.append(try new.entry(for: definition, old: collection(named: definition.name)))
        }
        return new
    }

    /// The next number, which is used up with that.
    static func take(_ next: inout UInt32) throws -> UInt32 {
        guard next < numberLimit else {
            throw DocIndexError(
                .invalidSchema,
                "the store has used up its numbers of collections or indexes; load a dump into a new one")
        }
        next += 1
        return next - 1
    }

    private mutating func entry(for definition: CollectionDefinition, old: CollectionEntry?) throws -> CollectionEntry {
        if let old, !old.idField.utf8.elementsEqual(definition.idField.utf8) {
            throw DocIndexError(
                .invalidSchema,
                "the collection \(definition.name) takes its ids from \(old.idField), the schema says "
                    + "\(definition.idField); dump it and load it into a new store to change that")
        }
        var number = old?.number ?? 0
        if old == nil {
            number = try Self.take(&nextCollection)
        }
        var kept = old?.indexes ?? []
        var indexes: [IndexEntry] = []
        for index in definition.indexes {
            if let position = kept.firstIndex(where: {
                $0.isCurrent && $0.definition.storesSame(as: index) && $0.definition.name.hasSameBytes(as: index.name)
            }) {
                var entry = kept.remove(at: position)
                entry.isRetiring = false
                // What is looked up only when something is searched for may differ.
                entry.definition = index
                indexes.append(entry)
            } else {
                indexes.append(IndexEntry(number: try Self.take(&nextIndex), definition: index, isReady: old == nil))
            }
        }
        for var index in kept {
            // The index that takes the place of one that answers may take a while to build.
            let hasSuccessor = indexes.contains {
                !$0.isReady && $0.definition.name.hasSameBytes(as: index.definition.name)
            }
            if index.isReady, hasSuccessor {
                index.isRetiring = true
                indexes.append(index)
            } else {
                dropped.append(DroppedIndex(number: index.number, kind: index.definition.kind))
            }
        }
        return CollectionEntry(
            name: definition.name, number: number, idField: definition.idField, indexes: indexes,
            names: old?.names ?? CollectionNames())
    }
}

// MARK: - On disk

extension Catalog {
    /// The record as JSON: it is small, written seldom, and worth being read by people.
    var encoded: [UInt8] {
        let collections = self.collections.map { collection -> DocumentValue in
            let indexes = collection.indexes.map { index -> DocumentValue in
                var record: DocumentObject = [
                    "name": .string(index.definition.name), "number": .int(Int64(index.number)),
                    "definition": index.definition.jsonValue, "fingerprint": .string(index.fingerprint),
                    "ready": .bool(index.isReady), "retiring": .bool(index.isRetiring),
                ]
                if !index.hasContent { record["content"] = false }
                if let failure = index.failure { record["failure"] = .string(failure) }
                if !index.analysis.isEmpty { record["analysis"] = .array(index.analysis.map { .string($0) }) }
                if !index.stemmers.isEmpty { record["stemmers"] = .array(index.stemmers.map { .string($0.text) }) }
                return .object(record)
            }
            return [
                "name": .string(collection.name), "number": .int(Int64(collection.number)),
                "id": .string(collection.idField), "indexes": .array(indexes),
            ]
        }
        let dropped = self.dropped.map { index -> DocumentValue in
            ["number": .int(Int64(index.number)), "type": .string(index.kind.rawValue)]
        }
        let record: DocumentValue = [
            "docindex": .int(Int64(Self.formatVersion)), "schemaVersion": .int(Int64(schemaVersion)),
            "epoch": .string(epoch.description), "migrations": .array(migrations.map { .string($0) }),
            "runningMigration": runningMigration.map { .string($0) } ?? .null,
            "nextCollection": .int(Int64(nextCollection)), "nextIndex": .int(Int64(nextIndex)),
            "collections": .array(collections), "dropped": .array(dropped),
        ]
        var bytes: [UInt8] = []
        record.writeJSON(to: &bytes)
        return bytes
    }

    /// Reads the record.
    ///
    /// - Throws: ``DocIndexError``: `storeTooNew` for a later format, `corruption` for anything unexpected.
    init(encoded: [UInt8]) throws {
        guard let record = try? JSONParser().parse(encoded), case .int(let format) = record["docindex"] else {
            throw Self.damaged("the record")
        }
        guard format >= 1 else { throw Self.damaged("the format") }
        guard format >= Int64(Self.earliestFormatVersion) else {
            throw DocIndexError(
                .notADocumentStore,
                "the store has format \(format) of before the first release, which is no longer read; "
                    + "dump it with the version that wrote it and load the dump")
        }
        guard format <= Int64(Self.formatVersion) else {
            throw DocIndexError(
                .storeTooNew,
                "the store has format \(format), this version knows formats up to \(Self.formatVersion); "
                    + "open it with a newer version")
        }
        schemaVersion = Int(try Self.number(record["schemaVersion"]))
        epoch = StoreEpoch(text: try Self.text(record["epoch"]))
        migrations = try Self.array(record["migrations"]).map { try Self.text($0) }
        if let name = record["runningMigration"], !name.isNull { runningMigration = try Self.text(name) }
        nextCollection = try Self.number(record["nextCollection"])
        nextIndex = try Self.number(record["nextIndex"])
        let hasContent = format > Int64(Self.earliestFormatVersion)
        collections = try Self.array(record["collections"]).map { try Self.collection($0, hasContent: hasContent) }
        dropped = try Self.array(record["dropped"]).map { value in
            guard let kind = value["type"]?.stringValue.flatMap(IndexDefinition.Kind.init) else {
                throw Self.damaged("a dropped index")
            }
            return DroppedIndex(number: try Self.number(value["number"]), kind: kind)
        }
        // Numbers that were given out lie below the next ones; otherwise keys of two things would be mixed.
        let indexes = collections.flatMap(\.indexes).map(\.number) + dropped.map(\.number)
        guard (try? schema.validate()) != nil else { throw Self.damaged("a declaration") }
        guard collections.allSatisfy({ $0.number >= 1 && $0.number < nextCollection }),
            indexes.allSatisfy({ $0 >= 1 && $0 < nextIndex }),
            Set(collections.map(\.number)).count == collections.count, Set(indexes).count == indexes.count,
            nextCollection <= Self.numberLimit, nextIndex <= Self.numberLimit
        else { throw Self.damaged("a number") }
    }

    private static func collection(_ value: DocumentValue, hasContent: Bool) throws -> CollectionEntry {
        CollectionEntry(
            name: try text(value["name"]), number: try number(value["number"]), idField: try text(value["id"]),
            indexes: try array(value["indexes"]).map { try index($0, hasContent: hasContent) })
    }

    private static func index(_ value: DocumentValue, hasContent: Bool) throws -> IndexEntry {
        guard let definition = value["definition"], case .string(let fingerprint) = value["fingerprint"],
            case .bool(let isReady) = value["ready"], case .bool(let isRetiring) = value["retiring"]
        else { throw damaged("an index") }
        var reader = SchemaReader()
        let index = reader.index(try text(value["name"]), definition, at: JSONPointer())
        guard reader.violations.isEmpty else { throw damaged("the definition of an index") }
        var entry = IndexEntry(
            number: try number(value["number"]), definition: index, isReady: isReady, fingerprint: fingerprint)
        entry.isRetiring = isRetiring
        entry.hasContent = index.kind != .value || hasContent && value["content"] != false
        if let analysis = value["analysis"] { entry.analysis = try array(analysis).map { try text($0) } }
        if let stemmers = value["stemmers"] {
            entry.stemmers = try array(stemmers).compactMap { StemmerIdentity(text: try text($0)) }
        }
        if let failure = value["failure"], !failure.isNull { entry.failure = try text(failure) }
        return entry
    }

    private static func number(_ value: DocumentValue?) throws -> UInt32 {
        guard case .int(let number) = value, let number = UInt32(exactly: number) else { throw damaged("a number") }
        return number
    }

    private static func text(_ value: DocumentValue?) throws -> String {
        guard case .string(let text) = value else { throw damaged("a name") }
        return text
    }

    private static func array(_ value: DocumentValue?) throws -> [DocumentValue] {
        guard case .array(let values) = value else { throw damaged("a list") }
        return values
    }

    private static func damaged(_ what: String) -> DocIndexError {
        DocIndexError(.corruption, "the catalog of the store is damaged: \(what) cannot be read; restore a backup")
    }
}
