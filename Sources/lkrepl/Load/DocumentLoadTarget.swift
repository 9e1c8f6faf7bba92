import DocIndex
import LevelKit

/// Loads documents into a store.
///
/// The progress marker is written in the same batch as the documents. A load that is killed at any moment resumes after
/// the last stored document, and stores none twice.
final class DocumentLoadTarget: LoadTarget {
    let store: DocumentStore
    /// The database of the store.
    private let database: Database
    private let mode: LoadMode
    /// The store's name in messages.
    private let path: String
    /// The collection of documents that do not name one.
    private let collection: String?
    /// The name of the marker; `nil` if none is kept.
    private let markerName: String?
    /// The member that becomes the ID, if it is not the collection's ID field.
    private let keyField: String?
    /// Whether the mode `merge` replaces whole members, even by null, and keeps members that the input lacks.
    private let mergesMembers: Bool
    /// Whether documents without an ID get a new one.
    private let generatesIDs: Bool
    /// The collections of the input.
    private var collections: [String]
    private var idFields: [(collection: String, field: String)] = []

    /// Whether replaced documents are compared with the input, to count those that lose members.
    var countsShortened = false
    /// The member that gets the attachment of a picture. Another value there is not merged but a conflict.
    var attachedMember: String?
    /// Where attachments are found that the input does not contain; `nil` for nowhere.
    var contents: ContentOrigin?
    /// The content whose parts are being received.
    var receivedContent: (digest: Attachment.Digest, content: NewContent)?
    /// The contents of the input that are damaged.
    var damagedContents: [Attachment.Digest: RecordError] = [:]
    /// The contents of the input that the store lacked before.
    var addedContents: Set<Attachment.Digest> = []
    /// The reasons why attachments could not be taken from ``contents``.
    var contentFaults: [Attachment.Digest: RecordError] = [:]
    /// The replicated collections of changes, with the last commit before they are loaded.
    var replicated: [(collection: DocumentCollection, commit: UInt64)] = []

    /// The number of documents to remove at once.
    private static let clearedBatchCount = 1000

    init(
        _ store: DocumentStore, on database: Database, path: String, mode: LoadMode, collection: String? = nil,
        markerName: String?, keyField: String? = nil, mergesMembers: Bool = false, generatesIDs: Bool = false
    ) {
        self.store = store
        self.database = database
        self.path = path
        self.mode = mode
        self.collection = collection
        self.markerName = markerName
        self.keyField = keyField
        self.mergesMembers = mergesMembers
        self.generatesIDs = generatesIDs
        collections = collection.map { [$0] } ?? []
    }

    func begin(_ header: DumpHeader) throws {
        guard header.content == .documents else {
            throw RecordError(
                .format, "the dump contains raw pairs, but \(path) is a document store",
                hint: "load it with --create into a new database", isRecoverable: false)
        }
        if header.changes != nil { try noteCommits(before: header) }
    }

    func adopt(_ schema: Schema) throws {
        // Collections of the library, such as that of albums, are declared when they are needed.
        let added = schema.collections.filter { $0.isReserved && idField(of: $0.name) == nil }
        if !added.isEmpty {
            var own = store.schema
            own.collections += added
            try store.apply(own)
        }
        // An existing store keeps its schema, which must contain every other collection of the dump.
        for collection in schema.collections {
            guard let field = idField(of: collection.name), field.hasSameBytes(as: collection.idField) else {
                throw RecordError(
                    .format,
                    "the store has no collection \(collection.name) with the ID field \(collection.idField)",
                    hint: "select collections with --only, or rename one with --rename OLD=NEW",
                    isRecoverable: false)
            }
        }
        collections = schema.collections.map(\.name)
    }

    func clear(_ step: (Int) throws -> Void) throws -> Int {
        guard !collections.isEmpty else {
            throw CommandError(
                .usage, "records without a dump header do not specify which collections to replace",
                hint: "use --mode upsert, or load a complete dump")
        }
        var count = 0
        for name in collections {
            var ids: [DocumentID] = []
            func remove() throws {
                try store.write { transaction in
                    for id in ids { try transaction.delete(id, in: name) }
                }
                count += ids.count
                ids = []
            }
            // One scan of the state before the first removal: a new scan for each batch would pass all tombstones
            // again.
            try store.collection(name).forEach { document in
                if ids.count % 64 == 0 { try step(count) }
                ids.append(document.id)
                if ids.count == Self.clearedBatchCount { try remove() }
            }
            try remove()
        }
        return count
    }

    func store(_ batch: LoadBatch) throws -> LoadOutcome {
        var outcome = LoadOutcome()
        try fetchContents(of: batch)
        _ = try commit(batch, batch.items.startIndex..<batch.items.endIndex, &outcome)
        if batch.isLast { try showCommits() }
        return outcome
    }

    /// Commits a part of a batch atomically. Returns false if a rejected record stopped it.
    private func commit(_ batch: LoadBatch, _ range: Range<Int>, _ outcome: inout LoadOutcome) throws -> Bool {
        var part = LoadOutcome()
        var isStopped = false
        do {
            try store.write(durability: batch.durability) { transaction in
                part = LoadOutcome()
                var done = range.lowerBound
                for item in batch.items[range] {
                    do {
                        try apply(item.change, to: transaction, &part.summary)
                    } catch let fault as RecordError {
                        part.rejects.append((item, fault))
                        if batch.stopsAtReject {
                            isStopped = true
                            break
                        }
                    }
                    done += 1
                }
                if let markerName {
                    let isLast = batch.isLast && done == batch.items.count
                    try transaction.setMarker(markerName, to: isLast ? nil : batch.marker(done)?.encoded)
                }
            }
        } catch {
            guard !range.isEmpty, let fault = Self.fault(of: error) else { throw error }
            // The error does not identify the document that caused it; find it by bisection.
            guard range.count > 1 else { return try reject(batch, range.lowerBound, fault, &outcome) }
            let middle = range.lowerBound + range.count / 2
            return try commit(batch, range.lowerBound..<middle, &outcome)
                && commit(batch, middle..<range.upperBound, &outcome)
        }
        outcome.summary += part.summary
        outcome.rejects += part.rejects
        return !isStopped
    }

    /// Rejects the only document of a part.
    private func reject(
        _ batch: LoadBatch, _ index: Int, _ fault: RecordError, _ outcome: inout LoadOutcome
    ) throws -> Bool {
        var fault = fault
        if case .document(let name, let id, let content) = batch.items[index].change, let name = name ?? collection {
            fault = named(fault, name, id ?? self.id(of: content, in: name))
            if fault.kind == .size, let field = largestIndexedField(of: content, in: name) {
                fault.path = "$.\(field.path)"
                fault.message +=
                    "; its field \(field.path) has \(HumanNumber.grouped(field.byteCount)) bytes in an index"
            }
        }
        outcome.rejects.append((batch.items[index], fault))
        if batch.stopsAtReject { return false }
        if let markerName {
            let isLast = batch.isLast && index + 1 == batch.items.count
            try store.write(durability: batch.durability) { transaction in
                try transaction.setMarker(markerName, to: isLast ? nil : batch.marker(index + 1)?.encoded)
            }
        }
        return true
    }

    /// The fault of a document that made a commit fail; `nil` if another error did.
    private static func fault(of error: any Error) -> RecordError? {
        switch error {
        case let error as DocIndexError:
            switch error.code {
            case .duplicateValue, .documentExists: RecordError(.conflict, error.message)
            case .attachmentMissing, .attachmentDamaged: RecordError(.attachment, error.message)
            case .tooManyEntries: RecordError(.size, error.message)
            case .invalidDocument, .invalidID, .invalidUpdate: RecordError(.type, error.message)
            default: nil
            }
        case let error as LevelError where error.code == .tooLarge: RecordError(.size, error.message)
        case let error as BodyError: RecordError(.size, "\(error)")
        default: nil
        }
    }

    /// The fault with the document's ID at the beginning of its message.
    private func named(_ fault: RecordError, _ collection: String, _ id: DocumentID?) -> RecordError {
        guard let id else { return fault }
        var fault = fault
        let text = "\(id)"
        let shown = text.utf8.count > 200 ? String(text.prefix(100)) + "…" : text
        if !fault.message.contains(shown) { fault.message = "the document \(shown) of \(collection): \(fault.message)" }
        return fault
    }

    /// The document's ID in a collection; `nil` if it has none.
    private func id(of content: DocumentObject, in name: String) -> DocumentID? {
        content[keyField ?? idField(of: name) ?? ""].flatMap { DocumentID($0) }
    }

    /// The indexed field with the longest value; `nil` if the indexes contain no string or bytes of the document.
    private func largestIndexedField(
        of content: DocumentObject, in name: String
    ) -> (path: FieldPath, byteCount: Int)? {
        guard let definition = try? store.collection(name).definition else { return nil }
        var largest: (path: FieldPath, byteCount: Int)?
        for path in definition.indexes.flatMap({ $0.fields + $0.covered }) {
            path.forEachElement(in: content) { value in
                let byteCount = value.stringValue?.utf8.count ?? value.bytesValue?.count ?? 0
                if byteCount > largest?.byteCount ?? 0 { largest = (path, byteCount) }
            }
        }
        return largest
    }

    // MARK: - One document

    private func apply(_ change: InputChange, to transaction: Transaction, _ summary: inout LoadSummary) throws {
        switch change {
        case .document(let name, let id, let content):
            let name = try target(name)
            try placing(name, id ?? self.id(of: content, in: name)) {
                try requireContents(of: content)
                try store(content, id, in: name, transaction, &summary)
            }
        case .documentDeletion(let name, let id):
            if try transaction.delete(id, in: try target(name)) { summary.deleted += 1 }
        case .replicated(let document):
            let name = try target(document.collection)
            try placing(name, document.id) {
                try store(document, in: name, transaction, &summary)
            }
        case .pair, .deletion:
            throw RecordError(.type, "the record is a raw pair, but \(path) is a document store")
        }
    }

    /// Adds the document to faults of `body`.
    private func placing(_ name: String, _ id: DocumentID?, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let fault as RecordError {
            throw named(fault, name, id)
        } catch {
            guard let fault = Self.fault(of: error) else { throw error }
            throw named(fault, name, id)
        }
    }

    private func target(_ name: String?) throws -> String {
        guard let name = name ?? collection else {
            throw RecordError(.missingKey, "the record does not name its collection")
        }
        guard idField(of: name) != nil else {
            throw RecordError(.format, "no collection named \(name)").final
        }
        return name
    }

    func store(
        _ content: DocumentObject, _ id: DocumentID?, in name: String, _ transaction: Transaction,
        _ summary: inout LoadSummary
    ) throws {
        let field = idField(of: name) ?? ""
        var content = content
        if let keyField, !keyField.hasSameBytes(as: field) {
            guard let key = content[keyField] else {
                throw RecordError(
                    .missingKey, "the document's ID member \(keyField) is missing; \(Self.members(of: content))")
            }
            var whole: DocumentObject = [:]
            whole[field] = key
            for member in content where !member.name.hasSameBytes(as: field) {
                whole[member.name] = member.value
            }
            content = whole
        }
        // Generated IDs store the documents again each time the same file is loaded, so they must be requested.
        if generatesIDs, content[field] == nil {
            var whole: DocumentObject = [:]
            whole[field] = DocumentID.generated().value
            for member in content { whole[member.name] = member.value }
            content = whole
        }
        guard let value = content[field] else {
            throw RecordError(
                .missingKey,
                "the document has no member \(field), the ID field of \(name); \(Self.members(of: content))",
                hint: "--key NAME takes the ID from another member, --id generate makes new IDs")
        }
        guard let own = DocumentID(value) else {
            throw RecordError(
                .type, "the member \(field), the ID field of \(name), must be a string or an integer")
        }
        guard id == nil || id == own else {
            throw RecordError(.type, "the document's member \(field) differs from the ID of its record")
        }
        let isThere = try transaction.contains(own, in: name)
        switch mode {
        case .insert where isThere:
            throw RecordError(.conflict, "document \(own) already exists in \(name)")
        case .skip where isThere:
            summary.skipped += 1
        case .merge where isThere && mergesMembers:
            guard let old = try transaction.document(own, in: name)?.content else { break }
            var merged = old
            if let attachedMember { try requireFree(attachedMember, in: old) }
            for member in content { merged[member.name] = member.value }
            if merged == old { summary.skipped += 1 } else { summary.merged += 1 }
            if merged != old { try transaction.put(merged, in: name) }
        case .merge where isThere:
            try transaction.patch(own, content, in: name)
            summary.merged += 1
        default:
            if isThere, countsShortened, let old = try transaction.document(own, in: name)?.content,
                let lost = old.member(missingIn: content)
            {
                summary.shortened += 1
                summary.lostMember = summary.lostMember ?? lost
            }
            try transaction.put(content, in: name)
            if isThere { summary.replaced += 1 } else { summary.inserted += 1 }
        }
    }

    /// Throws a ``RecordError`` if a member has a value other than an attachment, which a picture would replace.
    private func requireFree(_ member: String, in document: DocumentObject) throws {
        guard let old = document[member], old != .null, old.attachmentValue == nil else { return }
        throw RecordError(
            .conflict, "the member \(member) has a value that the picture would replace: \(AttachedFile.describe(old))",
            hint: "--attach-as puts the picture into another member")
    }

    /// The members of a document, for messages.
    private static func members(of content: DocumentObject) -> String {
        let names = content.prefix(8).map { $0.name.utf8.count > 40 ? "\($0.name.prefix(40))…" : $0.name }
        return names.isEmpty
            ? "it has no members" : "it has \(names.joined(separator: ", "))" + (content.count > 8 ? ", …" : "")
    }

    /// The ID field of a collection; `nil` if the collection does not exist.
    private func idField(of name: String) -> String? {
        if let known = idFields.first(where: { $0.collection.hasSameBytes(as: name) }) { return known.field }
        guard let field = try? store.collection(name).definition.idField else { return nil }
        idFields.append((name, field))
        return field
    }

    // MARK: - Markers

    var resumesInserts: Bool { true }

    func marker() throws -> ResumePoint? {
        guard let markerName, let text = try store.marker(markerName) else { return nil }
        return ResumePoint(encoded: text)
    }

    func synchronize() throws {
        // Flush to tables: otherwise the next opening would have to replay the log.
        try database.flush()
    }

    func count() throws -> Int? {
        try store.collections.reduce(0) { try $0 + $1.count() }
    }
}

extension DocumentObject {
    /// The path of a member, at any depth of objects, that another object lacks; `nil` if it has all.
    fileprivate func member(missingIn other: DocumentObject) -> String? {
        for member in self {
            guard let value = other[member.name] else { return member.name }
            if case .object(let inner) = member.value, case .object(let new) = value,
                let missing = inner.member(missingIn: new)
            {
                return "\(member.name).\(missing)"
            }
        }
        return nil
    }
}
