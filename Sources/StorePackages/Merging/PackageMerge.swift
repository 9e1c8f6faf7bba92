internal import DocIndex
internal import LevelKit

/// The state of a merge: documents are collected, and stored in commits with their originals before them.
struct PackageMerge {
    let package: Package
    let store: DocumentStore
    let policy: Package.MergePolicy
    let dryRun: Bool
    private(set) var report = Package.MergeReport()
    /// The number of documents and deletions so far.
    private(set) var count = 0
    private var idField = "id"
    /// Whether the store has the collection. In a dry run it may be missing.
    private var isDeclared = false
    /// The documents of a dry run so far.
    private var dryRunAdmission: IndexAdmission?
    private var pending: [(id: DocumentID, content: DocumentObject)] = []
    private var pendingByteCount = 0

    private static let batchCount = 200
    private static let batchByteCount = 4 << 20

    init(package: Package, store: DocumentStore, policy: Package.MergePolicy, dryRun: Bool) {
        self.package = package
        self.store = store
        self.policy = policy
        self.dryRun = dryRun
    }

    private var collection: String { package.manifest.collection }

    /// Takes the next record. Deletions that are carried out come first; see ``takeDeletion(_:)``.
    mutating func take(_ record: DocumentLineReader.Record) throws {
        switch record {
        case .schema(let schema): try adopt(schema)
        case .document(let id, let content, let byteCount):
            count += 1
            pending.append((id, content))
            pendingByteCount += byteCount
            if pending.count >= Self.batchCount || pendingByteCount >= Self.batchByteCount { try commit() }
        case .deletion:
            count += 1
            if policy != .replace { report.ignoredDeletionCount += 1 }
        }
    }

    /// Takes a deletion, or the schema before it. Deletions come before all documents, which may have values of deleted
    /// ones in unique indexes.
    mutating func takeDeletion(_ record: DocumentLineReader.Record) throws {
        switch record {
        case .schema(let schema): try adopt(schema)
        case .document: break
        case .deletion(let id): try delete(id)
        }
    }

    /// Stores the last documents.
    mutating func finish() throws { try commit() }

    /// Declares the collection if the store does not have it.
    private mutating func adopt(_ schema: Schema) throws {
        guard let new = schema.collections.first else { return }
        idField = new.idField
        if let known = store.schema.collections.first(where: { $0.name.hasSameBytes(as: collection) }) {
            guard known.idField.hasSameBytes(as: new.idField) else {
                throw PackageError(
                    .invalidOptions,
                    "the collection \(collection) has the ID field \(known.idField) in the store and \(new.idField) in "
                        + "the package; merge into another store")
            }
            isDeclared = true
        } else if dryRun {
            dryRunAdmission = dryRunAdmission ?? IndexAdmission(of: new)
            return
        } else {
            var own = store.schema
            own.collections.append(new)
            try store.apply(own)
            isDeclared = true
        }
        if dryRun, dryRunAdmission == nil { dryRunAdmission = try IndexAdmission(store.collection(collection)) }
    }

    private mutating func delete(_ id: DocumentID) throws {
        guard isDeclared else {
            report.ignoredDeletionCount += 1
            return
        }
        guard let stored = try store.collection(collection).document(id) else { return }
        if dryRun {
            dryRunAdmission?.remove(id, stored.content)
        } else {
            _ = try store.write { try $0.delete(id, in: collection) }
        }
        report.deletedCount += 1
    }

    // MARK: - A batch

    /// A document of a batch, with the attachments that the store lacks and the content to store.
    private struct Item {
        let document: (id: DocumentID, content: DocumentObject)
        var missing: [Attachment.Digest: Attachment] = [:]
        /// `nil` if the store keeps what it has.
        var candidate: IndexAdmission.Candidate?
    }

    private mutating func commit() throws {
        guard !pending.isEmpty else { return }
        let batch = pending
        pending.removeAll(keepingCapacity: true)
        pendingByteCount = 0
        let known = isDeclared ? try store.collection(collection) : nil
        var items: [Item] = []
        for (id, content) in batch {
            var item = Item(document: (id, content), candidate: try candidate(id, content, known))
            // A document that stays as it is needs no attachment.
            if item.candidate != nil, let reason = try note(content, &item.missing) {
                report.rejections.append(.init(id: id, reason: reason))
            } else {
                items.append(item)
            }
        }
        let admitted = try admit(items, known)
        let missing = admitted.reduce(into: [:]) { $0.merge($1.missing) { first, _ in first } }
        report.originalCount += missing.count
        if !dryRun, !missing.isEmpty { try add(missing.values.sorted { $0.digest < $1.digest }) }
        try store(admitted.map(\.document)[...])
    }

    /// Returns what a document would change; `nil` if the store keeps what it has.
    private func candidate(
        _ id: DocumentID, _ content: DocumentObject, _ known: DocumentCollection?
    ) throws -> IndexAdmission.Candidate? {
        guard let known else { return .init(id: id, old: nil, new: content) }
        var ignored = Package.MergeReport()
        guard let new = try decide(id, content, into: &ignored, { try known.document($0)?.content }) else { return nil }
        guard let newID = new[idField].flatMap({ DocumentID($0) }) else { return nil }
        return .init(id: newID, old: newID == id ? try known.document(id)?.content : nil, new: new)
    }

    /// Rejects the documents that the indexes refuse, and returns the others.
    private mutating func admit(_ items: [Item], _ known: DocumentCollection?) throws -> [Item] {
        var admission = dryRun ? dryRunAdmission : try known.map { try IndexAdmission($0) }
        // Not copied when it changes.
        dryRunAdmission = nil
        let reasons = try admission?.refusals(of: items.compactMap(\.candidate)) ?? []
        if dryRun { dryRunAdmission = admission }
        var next = reasons.makeIterator()
        var admitted: [Item] = []
        for item in items {
            if item.candidate != nil, let reason = next.next() ?? nil {
                report.rejections.append(.init(id: item.document.id, reason: reason))
            } else {
                admitted.append(item)
            }
        }
        return admitted
    }

    /// Notes the contents of a document that the store lacks. Returns why it cannot be stored; `nil` if it can.
    private func note(_ content: DocumentObject, _ missing: inout [Attachment.Digest: Attachment]) throws -> String? {
        var reason: String?
        var wanted = missing
        try content.forEachAttachment { attachment in
            if let known = try store.attachments.info(attachment.digest) {
                if known.byteCount != attachment.byteCount {
                    reason = "its attachment has a different size in the store"
                }
                return
            }
            switch package.byteCount(ofOriginal: attachment.digest) {
            case UInt64(max(0, attachment.byteCount))?: wanted[attachment.digest] = attachment
            case nil:
                reason =
                    "the content of its attachment \(attachment.name ?? attachment.digest.description) is neither in the "
                    + "package nor in the store; ask for a package with originals"
            default: reason = "its attachment has a different size in the package"
            }
        }
        if reason == nil { missing = wanted }
        return reason
    }

    /// Adds originals to the store. Their files share the flushes of the disk.
    private func add(_ attachments: [Attachment]) throws {
        var group: [NewContent] = []
        var byteCount: Int64 = 0
        for attachment in attachments {
            var content = try NewContent(
                for: store, type: attachment.type, name: attachment.name, byteCount: UInt64(attachment.byteCount))
            try package.readOriginal(attachment.digest) { try content.append($0) }
            guard content.digest == attachment.digest else {
                throw PackageError.damaged(package.path, "an original changed while being read")
            }
            group.append(content)
            byteCount += attachment.byteCount
            if group.count >= 64 || byteCount >= 64 << 20 {
                _ = try store.attachments.add(group)
                group = []
                byteCount = 0
            }
        }
        if !group.isEmpty { _ = try store.attachments.add(group) }
    }

    /// Stores documents in one commit. If the store refuses one for another reason than its indexes, it is found by
    /// halving, and rejected.
    private mutating func store(_ batch: ArraySlice<(id: DocumentID, content: DocumentObject)>) throws {
        guard isDeclared else {
            report.addedCount += batch.count
            return
        }
        if dryRun {
            let collection = try store.collection(collection)
            for (id, content) in batch {
                _ = try decide(id, content, into: &report) { try collection.document($0)?.content }
            }
            return
        }
        do {
            report = try write(batch)
        } catch {
            guard let first = batch.first, let reason = Self.reason(of: error) else { throw error }
            guard batch.count > 1 else {
                report.rejections.append(.init(id: first.id, reason: reason))
                return
            }
            let middle = batch.startIndex + batch.count / 2
            try store(batch[..<middle])
            try store(batch[middle...])
        }
    }

    /// Stores documents, and returns the report with them. The own report stays: it may not change if the commit fails.
    private func write(_ batch: ArraySlice<(id: DocumentID, content: DocumentObject)>) throws -> Package.MergeReport {
        try store.write { transaction in
            var report = self.report
            for (id, content) in batch {
                let new = try decide(id, content, into: &report) {
                    try transaction.document($0, in: collection)?.content
                }
                if let new { try transaction.put(new, in: collection) }
            }
            return report
        }
    }

    /// Returns why a store refuses a document; `nil` for an error that is not about one.
    private static func reason(of error: any Error) -> String? {
        switch error {
        case let error as DocIndexError:
            switch error.code {
            case .duplicateValue, .tooManyEntries, .invalidDocument, .invalidID: error.message
            default: nil
            }
        case let error as LevelError where error.code == .tooLarge: error.message
        case let error as BodyError: "\(error)"
        default: nil
        }
    }

    /// Returns the document to store; `nil` if nothing is stored.
    private func decide(
        _ id: DocumentID, _ content: DocumentObject, into report: inout Package.MergeReport,
        _ stored: (DocumentID) throws -> DocumentObject?
    ) throws -> DocumentObject? {
        guard let old = try stored(id) else {
            report.addedCount += 1
            return content
        }
        if old == content {
            report.unchangedCount += 1
            return nil
        }
        switch policy {
        case .absent:
            report.keptCount += 1
            return nil
        case .replace:
            report.replacedCount += 1
            return content
        case .keepBoth:
            let copy = try renamed(id, content)
            guard let newID = copy[idField].flatMap({ DocumentID($0) }), try stored(newID) == nil else {
                report.unchangedCount += 1
                return nil
            }
            report.copiedCount += 1
            return copy
        }
    }

    /// Returns the document with an ID that follows from its content.
    private func renamed(_ id: DocumentID, _ content: DocumentObject) throws -> DocumentObject {
        var json: [UInt8] = []
        DocumentValue.object(content).writeJSON(to: &json, JSONWriter(notation: .dump))
        var sum = ContentSum()
        sum.add(json)
        var copy = content
        copy[idField] = .string("\(id)~\(sum.digest?.description.prefix(8) ?? "")")
        return copy
    }
}
