internal import DocIndex

/// The state of a merge: documents are collected, and stored in commits with their originals before them.
struct PackageMerge {
    let package: Package
    let store: DocumentStore
    let policy: Package.MergePolicy
    let isRehearsal: Bool
    private(set) var report = Package.MergeReport()
    /// The number of documents and deletions so far.
    private(set) var count = 0
    private var idField = "id"
    /// Whether the store has the collection. In a rehearsal it may be missing.
    private var isDeclared = false
    private var pending: [(id: DocumentID, content: DocumentObject)] = []
    private var pendingByteCount = 0

    private static let batchCount = 200
    private static let batchByteCount = 4 << 20

    init(package: Package, store: DocumentStore, policy: Package.MergePolicy, isRehearsal: Bool) {
        self.package = package
        self.store = store
        self.policy = policy
        self.isRehearsal = isRehearsal
    }

    private var collection: String { package.manifest.collection }

    /// Takes the next record.
    mutating func take(_ record: DocumentLineReader.Record) throws {
        switch record {
        case .schema(let schema): try adopt(schema)
        case .document(let id, let content, let byteCount):
            count += 1
            pending.append((id, content))
            pendingByteCount += byteCount
            if pending.count >= Self.batchCount || pendingByteCount >= Self.batchByteCount { try commit() }
        case .deletion(let id):
            count += 1
            try commit()
            try delete(id)
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
            return
        }
        guard !isRehearsal else { return }
        var own = store.schema
        own.collections.append(new)
        try store.apply(own)
        isDeclared = true
    }

    private mutating func delete(_ id: DocumentID) throws {
        guard policy == .replace, isDeclared else {
            report.ignoredDeletionCount += 1
            return
        }
        let isThere = try store.collection(collection).contains(id)
        if isThere, !isRehearsal { _ = try store.write { try $0.delete(id, in: collection) } }
        if isThere { report.deletedCount += 1 }
    }

    // MARK: - A batch

    private mutating func commit() throws {
        guard !pending.isEmpty else { return }
        let batch = pending
        pending.removeAll(keepingCapacity: true)
        pendingByteCount = 0
        var storable: [(id: DocumentID, content: DocumentObject)] = []
        var missing: [Attachment.Digest: Attachment] = [:]
        let known = isDeclared ? try store.collection(collection) : nil
        var ignored = Package.MergeReport()
        for (id, content) in batch {
            // A document that stays as it is needs no attachment.
            let isStored = try known.map { known in
                try decide(id, content, into: &ignored) { try known.document($0)?.content } != nil
            }
            if isStored == false {
                storable.append((id, content))
            } else if let reason = try note(content, &missing) {
                report.rejections.append(.init(id: id, reason: reason))
            } else {
                storable.append((id, content))
            }
        }
        report.originalCount += missing.count
        if !isRehearsal, !missing.isEmpty { try add(missing.values.sorted { $0.digest < $1.digest }) }
        try store(storable)
    }

    /// Notes the contents of a document that the store lacks. Returns why it cannot be stored; `nil` if it can.
    private func note(_ content: DocumentObject, _ missing: inout [Attachment.Digest: Attachment]) throws -> String? {
        var reason: String?
        var wanted = missing
        try content.forEachAttachment { attachment in
            if let known = try store.attachments.info(attachment.digest) {
                if known.byteCount != attachment.byteCount { reason = "its attachment has another size in the store" }
                return
            }
            guard package.byteCount(ofOriginal: attachment.digest) == UInt64(max(0, attachment.byteCount)) else {
                reason =
                    "the content of its attachment \(attachment.name ?? attachment.digest.description) is neither in the "
                    + "package nor in the store; ask for a package with originals"
                return
            }
            wanted[attachment.digest] = attachment
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
                throw PackageError.damaged(package.path, "an original changed while it was read")
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

    private mutating func store(_ batch: [(id: DocumentID, content: DocumentObject)]) throws {
        guard isDeclared else {
            report.addedCount += batch.count
            return
        }
        if isRehearsal {
            let collection = try store.collection(collection)
            for (id, content) in batch {
                _ = try decide(id, content, into: &report) { try collection.document($0)?.content }
            }
            return
        }
        // The body may not change what outlives a failed commit.
        let before = report
        report = try store.write { transaction in
            var report = before
            for (id, content) in batch {
                let new = try decide(id, content, into: &report) {
                    try transaction.document($0, in: collection)?.content
                }
                if let new { try transaction.put(new, in: collection) }
            }
            return report
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
