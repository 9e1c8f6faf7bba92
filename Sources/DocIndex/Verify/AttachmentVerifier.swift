internal import LevelKit

/// Checks the records of attachments against the documents, and the stored content against the records.
///
/// Takes memory for each digest.
struct AttachmentVerifier {
    let store: DocumentStore
    let snapshot: Snapshot
    let catalog: LoadedCatalog
    let check: Verification.AttachmentCheck
    let references: AttachmentReferences
    /// Called with the bytes of attachments that were read, and their total.
    let progress: (_ byteCount: Int64, _ totalByteCount: Int64) throws -> Void

    private var files: [(digest: Attachment.Digest, byteCount: Int64)] = []
    private var numbers: [UInt64: (digest: Attachment.Digest, byteCount: Int64)] = [:]
    private var unknown: Set<Attachment.Digest>
    private var byteCount: Int64 = 0
    private var totalByteCount: Int64 = 0
    /// The number of bytes or attachments between two progress reports, which are a few milliseconds apart.
    private static let reportByteCount: Int64 = 4 << 20
    private static let reportInterval = 1000

    init(
        of store: DocumentStore, in snapshot: Snapshot, catalog: LoadedCatalog, _ check: Verification.AttachmentCheck,
        references: AttachmentReferences, _ progress: @escaping (Int64, Int64) throws -> Void
    ) {
        self.store = store
        self.snapshot = snapshot
        self.catalog = catalog
        self.check = check
        self.references = references
        self.progress = progress
        unknown = references.digests
    }

    /// - Returns: whether keys of attachments may exist.
    mutating func run(_ result: inout Verification) throws -> Bool {
        var hasAttachments = catalog.stored.hasAttachments
        if !hasAttachments {
            hasAttachments = try !references.isEmpty || StoreKey.hasAttachmentKeys(in: snapshot)
            if hasAttachments {
                result.report(
                    "the catalog does not note that the store contains attachments, so references to them are not "
                        + "counted", key: StoreKey.catalogKey)
            }
        }
        if hasAttachments {
            try checkRecords(&result)
            try progress(byteCount, totalByteCount)
            try checkContents(&result)
            try checkFiles(&result)
        }
        do {
            try countOrphans(&result)
        } catch let error as LevelError where error.code == .io {
            result.report("the files of attachments cannot be listed: \(error.message)")
        }
        return hasAttachments
    }

    // MARK: - Records

    private mutating func checkRecords(_ result: inout Verification) throws {
        let last = (try? WriterState.storedSequence(in: snapshot)) ?? .max
        var cancellation = CancellationCheck()
        var cursor = try snapshot.cursor(in: .prefix([StoreKey.attachments.rawValue]), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            let key = cursor.key.copied()
            if key == StoreKey.nextContentKey { continue }
            guard let digest = StoreKey.digest(in: key.span) else {
                result.report("the key of the record of an attachment cannot be read", key: key)
                continue
            }
            result.attachmentCount += 1
            unknown.remove(digest)
            guard let record = AttachmentRecord(cursor.value) else {
                report(digest, "its record cannot be read", &result)
                continue
            }
            check(record, of: digest, last: last, &result)
            totalByteCount &+= record.byteCount
            switch record.place {
            case .file: files.append((digest, record.byteCount))
            case .database(let number):
                if let other = numbers.updateValue((digest, record.byteCount), forKey: number) {
                    report(digest, "its record names the content of the attachment \(other.digest)", &result)
                }
            }
        }
        result.attachmentByteCount = totalByteCount
        for digest in unknown.sorted() {
            result.lostAttachments.append(digest)
            let user = references[digest] == nil ? "a version of a document refers" : "documents refer"
            report(digest, "it has no record, but \(user) to it", &result)
        }
    }

    private func check(
        _ record: AttachmentRecord, of digest: Attachment.Digest, last: UInt64, _ result: inout Verification
    ) {
        let use = references[digest]
        if record.count != use?.count ?? 0 {
            report(
                digest, "its record counts \(record.count) references, but documents contain \(use?.count ?? 0)",
                &result)
        }
        if case .released(let release) = record.use, release.sequence > last {
            report(
                digest,
                "its record states that it was released by commit \(release.sequence), but the last commit is "
                    + "\(last)", &result)
        }
        guard let use else { return }
        for stated in [use.byteCount, use.otherByteCount ?? use.byteCount] where stated != record.byteCount {
            report(
                digest, "a document refers to \(stated) bytes, but its record states \(record.byteCount)", &result)
            break
        }
    }

    // MARK: - Content

    /// Checks the content in the database.
    private mutating func checkContents(_ result: inout Verification) throws {
        var largest: UInt64 = 0
        var count = 0
        var cursor = try snapshot.cursor(in: .prefix([StoreKey.contents.rawValue]), cache: .bypass)
        while try cursor.advance() {
            count += 1
            if count % Self.reportInterval == 0 { try progress(byteCount, totalByteCount) }
            guard let number = StoreKey.contentNumber(in: cursor.key) else {
                result.report(
                    "the key of the content of an attachment cannot be read", key: cursor.key.copied())
                continue
            }
            largest = max(largest, number)
            guard let known = numbers.removeValue(forKey: number) else {
                result.report(
                    "the content with the number \(number) belongs to no attachment", key: cursor.key.copied())
                continue
            }
            let value = cursor.value
            if value.count != known.byteCount {
                reportDamaged(
                    known.digest,
                    "its content under the number \(number) has \(value.count) bytes instead of \(known.byteCount)",
                    &result)
            } else if check == .full {
                let found = SHA256Hash.digest(of: value)
                if found != known.digest {
                    reportDamaged(known.digest, Self.mismatch("its content under the number \(number)", found), &result)
                }
                byteCount &+= Int64(value.count)
            }
        }
        for (number, known) in numbers.sorted(by: { $0.key < $1.key }) {
            largest = max(largest, number)
            reportDamaged(known.digest, "its content under the number \(number) does not exist", &result)
        }
        try checkNextNumber(after: largest, &result)
    }

    private func checkNextNumber(after largest: UInt64, _ result: inout Verification) throws {
        let stored = try snapshot.value(forKey: StoreKey.nextContentKey)
        if stored == nil, largest == 0 { return }
        guard let next = Attachments.nextNumber(stored) else {
            return result.report(
                "the next number for the content of an attachment is \(stored == nil ? "missing" : "unreadable")",
                key: StoreKey.nextContentKey)
        }
        if next <= largest {
            result.report(
                "the next number for the content of an attachment is \(next), but the number \(largest) is taken",
                key: StoreKey.nextContentKey)
        }
    }

    private typealias Attachments = DocumentStore.Attachments

    /// Checks the files that records name.
    private mutating func checkFiles(_ result: inout Verification) throws {
        for (position, file) in files.enumerated() {
            if position % Self.reportInterval == 0 { try progress(byteCount, totalByteCount) }
            guard let problem = try problem(of: file.digest, byteCount: file.byteCount) else { continue }
            // A garbage collection may have deleted an unreferenced attachment since.
            if !references.contains(file.digest),
                try AttachmentRecord.read(file.digest, in: store.database)?.place != .file
            {
                continue
            }
            reportDamaged(file.digest, problem, &result)
        }
        files = []
    }

    /// Returns the problem of a file; `nil` for a sound one.
    private mutating func problem(of digest: Attachment.Digest, byteCount expected: Int64) throws -> String? {
        if let external = store.externalContents { return try problem(of: digest, in: external) }
        let name = digest.description
        let path = store.files.file(name)
        do {
            guard let file = try store.files.open(name) else { return "its file \(path) does not exist" }
            guard file.byteCount == UInt64(expected) else {
                return "its file \(path) has \(file.byteCount) bytes instead of \(expected)"
            }
            guard check == .full else { return nil }
            var unreported: Int64 = 0
            let found = try SHA256Hash.digest(of: file) { count in
                try CancellationCheck.now()
                byteCount &+= Int64(count)
                unreported += Int64(count)
                guard unreported >= Self.reportByteCount else { return }
                unreported = 0
                try progress(byteCount, totalByteCount)
            }
            return found == digest ? nil : Self.mismatch("its file \(path)", found)
        } catch let error as LevelError where error.code == .io {
            return "its file cannot be read: \(error)"
        }
    }

    /// Returns the problem of an attachment that is not in the store. A package without originals is sound.
    private func problem(of digest: Attachment.Digest, in external: any ExternalContents) throws -> String? {
        guard external.byteCount(of: digest) != nil else { return nil }
        do {
            try store.attachments.check(digest, readsContent: check == .full)
            return nil
        } catch let error as DocIndexError where error.code == .attachmentDamaged {
            return error.message
        }
    }

    /// Counts the files without a record, which interrupted calls leave behind.
    private func countOrphans(_ result: inout Verification) throws {
        var known = 0
        func add(_ file: ContentFile) {
            result.orphanedFileCount += 1
            result.orphanedFileByteCount += Int64(clamping: file.byteCount)
        }
        try store.files.forEachFile { file in
            known += 1
            if known % Self.reportInterval == 0 { try progress(byteCount, totalByteCount) }
            guard let digest = Attachment.Digest(file.name),
                try !store.database.contains(StoreKey.attachment(digest))
            else { return }
            add(file)
        }
        for file in try store.files.abandonedFiles() { add(file) }
    }

    // MARK: - Reporting

    private static func mismatch(_ content: String, _ found: Attachment.Digest?) -> String {
        "the SHA-256 of \(content) is \(found?.description ?? "unknown")"
    }

    /// Reports an attachment that cannot be read.
    private func reportDamaged(_ digest: Attachment.Digest, _ problem: String, _ result: inout Verification) {
        result.lostAttachments.append(digest)
        if references.contains(digest) { result.lostReferenceProblemCount += 1 }
        report(digest, problem, &result)
    }

    private func report(_ digest: Attachment.Digest, _ problem: String, _ result: inout Verification) {
        let document = references.firstDocument(of: digest, catalog, in: snapshot)
        let version = document == nil ? references.versions[digest] : nil
        var text = "the attachment \(digest): \(problem)"
        if let document { text += "; the document \(document.id) of \(document.collection) refers to it" }
        if let version { text += "; a version of the document \(version.id) of \(version.collection) refers to it" }
        result.report(
            text, in: document?.collection ?? version?.collection, id: document?.id ?? version?.id,
            row: document?.row, key: StoreKey.attachment(digest), attachment: digest)
    }
}
