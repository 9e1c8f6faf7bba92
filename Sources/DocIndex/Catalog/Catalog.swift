/// The metadata of a store: its format, its collections and indexes, and their numbers.
///
/// The catalog is a single record, so that every schema change takes effect with one put. A ``LoadedCatalog`` adds what
/// reading and writing need.
struct Catalog: Sendable, Hashable {
    /// The latest readable version of the on-disk format; see `docs/FORMAT.md`. Only stores with a replicated collection
    /// have it.
    static let formatVersion = 7
    /// The version of stores with attachments that are not replicated.
    static let attachmentFormatVersion = 6
    /// The version of stores with a history and without attachments.
    static let historyFormatVersion = 5
    /// The version of stores without either.
    static let plainFormatVersion = 4
    /// The earliest readable format. Its value index entries contain only the kind of arrays and objects.
    static let earliestFormatVersion = 3

    /// The first bytes of every record.
    static let beginning = Array("{\"docindex\":".utf8)

    /// More numbers than a store can use up. A larger number was never assigned.
    static let numberLimit: UInt32 = 1 << 30

    var schemaVersion = 1
    /// Distinguishes this store from its copies, whose sequence numbers diverge; see ``StoreEpoch``.
    var epoch = StoreEpoch.new()
    /// The completed migrations, in order.
    var migrations: [String] = []
    /// The migration that was started but not finished; `nil` if there is none.
    var runningMigration: String?
    var collections: [CollectionEntry] = []
    /// The numbers of the next collection and the next index. Numbers are never reused, so that keys of something
    /// dropped cannot be mistaken for keys of something added later.
    var nextCollection: UInt32 = 1
    var nextIndex: UInt32 = 1
    /// Indexes whose entries still have to be deleted.
    var dropped: [DroppedIndex] = []
    /// The numbers of collections with records of a former history that still have to be deleted.
    var droppedHistory: [UInt32] = []
    /// Whether attachments have ever been stored. A document cannot refer to one before.
    var hasAttachments = false

    struct CollectionEntry: Sendable, Hashable {
        var name: String
        let number: UInt32
        var idField: String
        /// The history of the documents; `nil` if none is kept.
        var history: History?
        /// Whether the collection takes part in a replication, or has.
        var isReplicated = false
        var indexes: [IndexEntry]

        /// Whether all indexes are built.
        var isBuilt: Bool { !indexes.contains(where: \.isBuilding) }
    }

    struct IndexEntry: Sendable, Hashable {
        var number: UInt32
        var definition: IndexDefinition
        /// Whether the index contains every document. An index that is not ready is not read. It contains the documents
        /// up to the row stored as its progress.
        var isReady: Bool
        /// Whether the schema no longer declares this index. It answers queries until its replacement is ready.
        var isRetiring = false
        /// The reason why the index could not be built, in which case it is empty; otherwise `nil`.
        var failure: String?

        /// Whether the index still has to be built.
        var isBuilding: Bool { !isReady && failure == nil }
        /// The fingerprint of the rules used for the entries; see ``IndexDefinition/fingerprint``.
        var fingerprint: String
        /// The versions of the text analysis rules; see ``IndexDefinition/analysis``. For information only: the
        /// fingerprint decides.
        var analysis: [String] = []
        /// The stemmers used for the words, one for each language of the definition. Empty if they are unknown or
        /// several were used.
        var stemmers: [StemmerIdentity] = []
        /// Whether the entries of a value index include the content of arrays and objects. An index without it does not
        /// answer queries and is rebuilt; see ``ContentAdoption``.
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

        /// Whether this version of the library would write the same entries.
        var isCurrent: Bool {
            hasContent && hasTheseRules && hasStemmers { $0.isOfThisBuild }
        }

        /// Whether the entries were made by the rules of this version of the library.
        var hasTheseRules: Bool { fingerprint == definition.fingerprint }

        /// Whether search words are stemmed to the stored terms: the stored stemmers are the same as in this process,
        /// or known to agree with them.
        var answersWithThisStemmer: Bool { hasStemmers { $0.agreesWithThisProcess } }

        /// Whether search words are certainly stemmed to the stored terms, because the build of the stemmer is the same.
        var hasThisStemmerBuild: Bool { hasStemmers { $0.isOfThisBuild } }

        private func hasStemmers(where isKnown: (StemmerIdentity) -> Bool) -> Bool {
            definition.languages.allSatisfy { language in
                stemmers.contains { $0.language == language && isKnown($0) }
            }
        }
    }

    /// Whether a schema change is not finished.
    var hasPendingWork: Bool { !dropped.isEmpty || !droppedHistory.isEmpty || collections.contains { !$0.isBuilt } }

    struct DroppedIndex: Sendable, Hashable {
        var number: UInt32
        var kind: IndexDefinition.Kind
    }

    /// The schema represented by the catalog.
    var schema: Schema {
        Schema(
            version: schemaVersion,
            collections: collections.map { collection in
                CollectionDefinition(
                    collection.name, id: collection.idField, history: collection.history?.bounds,
                    indexes: collection.indexes.filter { !$0.isRetiring }.map(\.definition))
            })
    }

    /// Whether an index was built with outdated rules, such as another Unicode version or another stemmer.
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
    /// Returns the catalog after `schema` has been declared for the store.
    ///
    /// Collections and indexes with unchanged declarations are kept. New indexes of an existing collection are not
    /// ready at first. Indexes that are no longer declared, or are declared differently, are dropped. A collection is
    /// never dropped, because omitting one from a schema must not delete its documents.
    ///
    /// - Throws: ``DocIndexError`` with `storeTooNew` if the version is lower than that of the store, or with
    ///   `invalidSchema` if a collection is missing or has a different ID field.
    func changed(to schema: Schema) throws -> Catalog {
        try schema.validate()
        guard schema.version >= schemaVersion else {
            throw DocIndexError(
                .storeTooNew,
                "the store has schema version \(schemaVersion), but version \(schema.version) is declared, which would "
                    + "drop later additions; use a newer program, or declare a higher version to go back")
        }
        var new = self
        new.schemaVersion = schema.version
        // Collections of the library stay without being declared.
        var schema = schema
        for collection in self.schema.collections
        where schema.collections.allSatisfy({ !$0.name.hasSameBytes(as: collection.name) }) {
            if collection.isReserved {
                schema.collections.append(collection)
                continue
            }
            throw DocIndexError(
                .invalidSchema,
                "the store has a collection \(collection.name) that the schema does not declare; add it to the schema")
        }
        new.collections = []
        for definition in schema.collections {
            new.collections.append(try new.entry(for: definition, old: collection(named: definition.name)))
        }
        return new
    }

    /// Returns the next number and marks it as used.
    static func take(_ next: inout UInt32) throws -> UInt32 {
        guard next < numberLimit else {
            throw DocIndexError(
                .invalidSchema,
                "the store has run out of numbers for collections or indexes; load a dump into a new store")
        }
        next += 1
        return next - 1
    }

    private mutating func entry(for definition: CollectionDefinition, old: CollectionEntry?) throws -> CollectionEntry {
        if let old, !old.idField.utf8.elementsEqual(definition.idField.utf8) {
            throw DocIndexError(
                .invalidSchema,
                "the collection \(definition.name) takes its ids from \(old.idField), but the schema declares "
                    + "\(definition.idField); to change it, dump the collection and load it into a new store")
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
                // Settings that only affect searching may differ.
                entry.definition = index
                indexes.append(entry)
            } else {
                indexes.append(IndexEntry(number: try Self.take(&nextIndex), definition: index, isReady: old == nil))
            }
        }
        for var index in kept {
            // A ready index answers queries until its replacement is built.
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
            name: definition.name, number: number, idField: definition.idField,
            history: history(definition.history, old: old, number: number),
            isReplicated: old?.isReplicated ?? false, indexes: indexes)
    }
}

// MARK: - On disk

extension Catalog {
    /// The record as JSON, because it is small, rarely written, and worth keeping readable.
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
            var record: DocumentObject = [
                "name": .string(collection.name), "number": .int(Int64(collection.number)),
                "id": .string(collection.idField),
            ]
            if let history = collection.history { record["history"] = history.jsonValue }
            if collection.isReplicated { record["replicated"] = true }
            record["indexes"] = .array(indexes)
            return .object(record)
        }
        let dropped = self.dropped.map { index -> DocumentValue in
            ["number": .int(Int64(index.number)), "type": .string(index.kind.rawValue)]
        }
        var record: DocumentObject = [
            "docindex": .int(Int64(version)),
            "schemaVersion": .int(Int64(schemaVersion)),
            "epoch": .string(epoch.description), "migrations": .array(migrations.map { .string($0) }),
            "runningMigration": runningMigration.map { .string($0) } ?? .null,
            "nextCollection": .int(Int64(nextCollection)), "nextIndex": .int(Int64(nextIndex)),
            "collections": .array(collections), "dropped": .array(dropped),
        ]
        if !droppedHistory.isEmpty {
            record["droppedHistory"] = .array(droppedHistory.map { .int(Int64($0)) })
        }
        if hasAttachments { record["attachments"] = true }
        var bytes: [UInt8] = []
        DocumentValue.object(record).writeJSON(to: &bytes)
        return bytes
    }

    /// The lowest format version that contains what the store uses.
    private var version: Int {
        if collections.contains(where: \.isReplicated) { return Self.formatVersion }
        if hasAttachments { return Self.attachmentFormatVersion }
        return keepsHistory ? Self.historyFormatVersion : Self.plainFormatVersion
    }

    /// Returns whether the record of a catalog has a format that this version does not know, without decoding it.
    static func mayBeOfLaterFormat(_ record: [UInt8]) -> Bool {
        guard record.starts(with: beginning) else { return false }
        let digits = record.dropFirst(beginning.count).prefix { (0x30...0x39).contains($0) }
        return (Int(String(decoding: digits, as: UTF8.self)) ?? .max) > formatVersion
    }

    /// Decodes the record if it is a catalog. Another program may use the same key; then returns `nil`.
    ///
    /// - Throws: the errors of ``init(encoded:)``.
    init?(ifEncoded record: [UInt8]) throws {
        guard record.starts(with: Self.beginning) else { return nil }
        try self.init(encoded: record)
    }

    /// Decodes the record.
    ///
    /// - Throws: ``DocIndexError`` with `storeTooNew` for a later format, `notADocumentStore` for a format that is no
    ///   longer supported, or `corruption` for anything unexpected.
    init(encoded: [UInt8]) throws {
        guard let record = try? JSONParser().parse(encoded), case .int(let format) = record["docindex"] else {
            throw Self.damaged("the record")
        }
        guard format >= 1 else { throw Self.damaged("the format") }
        guard format >= Int64(Self.earliestFormatVersion) else {
            throw DocIndexError(
                .notADocumentStore,
                "the store has format \(format), which predates the first release and is not supported; "
                    + "dump it with the version that wrote it and load the dump")
        }
        guard format <= Int64(Self.formatVersion) else {
            throw DocIndexError(
                .storeTooNew,
                "the store has format \(format), but this version supports formats up to \(Self.formatVersion); "
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
        hasAttachments = format >= Int64(Self.attachmentFormatVersion) && record["attachments"] == true
        droppedHistory = try record["droppedHistory"].map { try Self.array($0).map { try Self.number($0) } } ?? []
        // Assigned numbers must be unique and less than the next ones. Otherwise keys would be mixed up.
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
            history: try value["history"].map {
                guard let history = History($0) else { throw damaged("a history") }
                return history
            },
            isReplicated: value["replicated"] == true,
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
