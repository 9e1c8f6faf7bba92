import DocIndex
import LevelKit

/// The outcome of a repair: the losses of the database, and of the documents of a document store.
struct RepairOutcome {
    /// The outcome for a document store.
    struct Store {
        let losses: Verification.Losses
        /// The verification of the current state, after any rebuild.
        let verification: Verification
        /// The report of the rebuild; `nil` if none was requested or needed.
        let rebuild: DocumentStore.RebuildReport?
    }

    let report: Database.RepairReport
    /// `nil` for a plain database.
    let store: Store?
    /// The reason that the store cannot be opened; `nil` if it can.
    let storeFailure: String?

    /// Examines a repaired database.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - rebuilds: Whether to rebuild an inconsistent store.
    init(_ report: Database.RepairReport, at path: String, rebuilds: Bool, _ options: GlobalOptions) throws {
        self.report = report
        (store, storeFailure) = try Self.store(at: path, report, rebuilds: rebuilds, options)
    }

    private static func store(
        at path: String, _ report: Database.RepairReport, rebuilds: Bool, _ options: GlobalOptions
    ) throws -> (Store?, failure: String?) {
        do {
            var storeOptions = DocumentStore.Options(finishesSchemaChange: false)
            storeOptions.database.createIfMissing = false
            let store = try DocumentStore.open(at: path, options: storeOptions)
            let result = try look(at: store, report, rebuilds: rebuilds, options)
            try store.close()
            return (result, nil)
        } catch let error as DocIndexError {
            return (nil, error.code == .notADocumentStore ? nil : error.message)
        } catch let error as LevelError where error.code == .comparatorMismatch {
            // Document stores always have the bytewise order, so this is a plain database.
            return (nil, nil)
        } catch let error as LevelError where error.code == .corruption {
            return (nil, error.message)
        }
    }

    private static func look(
        at store: DocumentStore, _ report: Database.RepairReport, rebuilds: Bool, _ options: GlobalOptions
    ) throws -> Store {
        let losses = try store.losses(after: report)
        var verification = try store.verify { _ in try Interruption.check() }
        var rebuild: DocumentStore.RebuildReport?
        if rebuilds, !verification.isSound {
            let progress = IndexBuildProgress("repair: rebuild", options)
            defer { progress.finish() }
            rebuild = try store.rebuild { try progress.advance($0) }
            verification = try store.verify { _ in try Interruption.check() }
        }
        return Store(losses: losses, verification: verification, rebuild: rebuild)
    }

    // MARK: - Rows

    /// The outcome as output rows.
    var rows: [DocumentObject] {
        var rows = databaseRows
        rows += report.losses.places.map(Self.row)
        rows += report.messages.map { ["what": "message", "value": .string($0.description)] }
        if report.losses.placeCount > report.losses.places.count {
            rows.append(["what": "places lost", "value": .int(Int64(report.losses.placeCount))])
        }
        if let store { rows += Self.rows(store) }
        if let storeFailure { rows.append(["what": "store", "value": .string(storeFailure)]) }
        return rows
    }

    private var databaseRows: [DocumentObject] {
        let losses = report.losses
        func count(_ number: some BinaryInteger) -> DocumentValue { .int(Int64(clamping: number)) }
        func texts(_ texts: [String]) -> DocumentValue { .array(texts.map { .string($0) }) }
        let rows: [(String, DocumentValue)] = [
            ("keys", count(report.verification.keyCount)),
            // The size of a lost manifest or log is unknown.
            (
                "bytes left out",
                report.droppedByteCount == 0 && losses.placeCount > 0 ? .null : count(report.droppedByteCount)
            ),
            ("entries lost at least", count(losses.entryCount)),
            ("entries lost about", losses.estimatedEntryCount.map { count($0) } ?? .null),
            ("blocks lost", count(losses.blockCount)), ("tables lost", texts(losses.tableNames)),
            ("keys missing", count(losses.missingKeyCount)), ("keys changed", count(losses.changedKeyCount)),
            ("deleted keys that are back", count(losses.returnedKeyCount)),
            ("manifest complete", .bool(losses.isManifestComplete)),
            ("order of keys known", .bool(report.isOrderChecked)), ("files moved to lost", texts(report.archivedNames)),
            ("files that were obsolete", texts(report.obsoleteNames)),
            ("problems left", texts(report.verification.problems.map(\.description))),
        ]
        return rows.map { ["what": .string($0.0), "value": $0.1] }
    }

    private static func row(_ place: Database.RepairReport.Losses.Place) -> DocumentObject {
        var row: DocumentObject = [
            "what": "lost", "value": .string(place.description), "file": .string(place.file),
            "bytes": .int(Int64(clamping: place.byteCount)), "entries": .int(Int64(clamping: place.entryCount)),
        ]
        if let offset = place.offset { row["byte"] = .int(Int64(clamping: offset)) }
        if let estimate = place.estimatedEntryCount { row["about"] = .int(Int64(clamping: estimate)) }
        if let keys = place.keys {
            row["from"] = key(keys.lower)
            row["to"] = key(keys.upper)
        }
        return row
    }

    private static func key(_ bound: KeyBound<[UInt8]>) -> DocumentValue {
        switch bound {
        case .included(let key), .excluded(let key): .string(ByteNotation.print(key))
        case .unbounded: .null
        }
    }

    private static func rows(_ store: Store) -> [DocumentObject] {
        var rows: [DocumentObject] = []
        for collection in store.losses.collections {
            var row: DocumentObject = [
                "what": "documents", "value": .int(Int64(collection.documentCount)),
                "collection": .string(collection.name), "lost": .int(Int64(collection.lostDocumentCount)),
                "outdated": .int(Int64(collection.outdatedDocumentCount)),
                "returned": .int(Int64(collection.returnedDocumentCount)),
                "complete": .bool(store.losses.isComplete),
            ]
            if collection.lostHistoryCount > 0 {
                row["incomplete histories"] = .int(Int64(collection.lostHistoryCount))
            }
            for (name, ids) in [
                ("lost ids", collection.lostIDs), ("outdated ids", collection.outdatedIDs),
                ("returned ids", collection.returnedIDs),
            ] where !ids.isEmpty {
                row[name] = .array(ids.map(\.value))
            }
            rows.append(row)
        }
        if store.losses.lostAttachmentCount > 0 {
            let digests = store.losses.lostAttachments.map { DocumentValue.string($0.description) }
            rows.append([
                "what": "attached files lost", "value": .int(Int64(store.losses.lostAttachmentCount)),
                "digests": .array(digests),
            ])
        }
        if let rebuild = store.rebuild {
            rows.append(["what": "records corrected by the rebuild", "value": .int(Int64(rebuild.repairCount))])
        }
        rows.append(["what": "problems of the store", "value": .int(Int64(store.verification.problemCount))])
        if store.verification.attachmentCount > 0 {
            rows.append([
                "what": "attached files whose digests were not checked",
                "value": .int(Int64(store.verification.attachmentCount)),
            ])
        }
        return rows
    }

    // MARK: - The end of the command

    /// Whether only indexes were damaged, and they have been rebuilt.
    var isRestored: Bool {
        guard let store else { return false }
        return store.losses.isInIndexesOnly && store.losses.isEmpty && store.verification.isSound
    }

    /// Throws the error that the command ends with, unless nothing is lost.
    ///
    /// - Parameters:
    ///   - path: The database that the user specified.
    ///   - dryRun: Whether a copy was repaired.
    func requireWhole(_ path: String, dryRun: Bool) throws {
        if !report.verification.isSound {
            throw CommandError(
                .badData, HumanNumber.counted(report.verification.problemCount, "problem remains", "problems remain"),
                hint: "restore a backup")
        }
        if let storeFailure {
            throw CommandError(
                .badData, "the store cannot be opened after the repair: \(storeFailure)", hint: "restore a backup")
        }
        let isSound = store.map { $0.verification.isSound && $0.losses.lostAttachmentCount == 0 } ?? true
        if isSound, report.losses.isEmpty || isRestored { return }
        throw CommandError(.badData, summary, hint: hint(path, dryRun: dryRun))
    }

    /// The losses as a sentence.
    private var summary: String {
        let losses = report.losses
        var parts: [String] = []
        for collection in store?.losses.collections ?? [] where !collection.isEmpty {
            let name = collection.name
            for (count, one, many) in [
                (collection.lostDocumentCount, "is lost", "are lost"),
                (collection.outdatedDocumentCount, "is reset to an older version", "are reset to an older version"),
                (collection.returnedDocumentCount, "was deleted but reappeared", "were deleted but reappeared"),
            ] where count > 0 {
                parts.append("\(Self.documents(count, of: name)) \(count == 1 ? one : many)")
            }
            let count = collection.lostHistoryCount
            if count > 0 {
                parts.append("\(Self.documents(count, of: name)) \(count == 1 ? "has" : "have") lost former versions")
            }
        }
        if let count = store?.losses.lostAttachmentCount, count > 0 {
            parts.append("\(HumanNumber.counted(count, "attached file is", "attached files are")) lost")
        }
        if let store, parts.isEmpty {
            parts.append(
                store.losses.isComplete ? "no document is lost" : "some losses may be undetected")
        } else if store?.losses.isComplete == false {
            parts.append("more losses may be undetected")
        }
        if losses.placeCount > 0 {
            let places = HumanNumber.counted(losses.placeCount, "unreadable place")
            parts.append(
                "\(places) held at least \(HumanNumber.counted(Int(clamping: losses.entryCount), "entry", "entries"))"
                    + (losses.estimatedEntryCount.map { ", about \(HumanNumber.grouped(Int(clamping: $0)))" } ?? ""))
        }
        let changed = losses.missingKeyCount &+ losses.changedKeyCount &+ losses.returnedKeyCount
        if changed > 0 {
            parts.append(
                HumanNumber.counted(Int(clamping: changed), "key differs", "keys differ")
                    + " from the content that was readable before the repair"
            )
        }
        if let store, !store.verification.isSound {
            parts.append("the store has \(HumanNumber.counted(store.verification.problemCount, "problem"))")
        }
        return parts.joined(separator: "; ")
    }

    private static func documents(_ count: Int, of collection: String) -> String {
        "\(HumanNumber.counted(count, "document")) of \(collection)"
    }

    private func hint(_ path: String, dryRun: Bool) -> String {
        if let store, !store.losses.lostAttachments.isEmpty,
            store.verification.lostAttachments.count == store.verification.problemCount
        {
            return Remedy.ofLostContents
        }
        if dryRun {
            return "restore a backup; or repair it with \"\(Remedy.repair(path, rebuilds: store != nil))\""
        }
        if let store, !store.verification.isSound {
            return "\"\(Remedy.rebuild(path))\" rebuilds IDs and indexes from the remaining documents"
        }
        return "restore lost data from a backup; the original files are in \(report.backupPath)"
    }
}
