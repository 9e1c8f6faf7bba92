import DocIndex
import LevelKit
import StorePackages

/// Stores records from a source in atomic batches: the common part of `load` and `import`.
///
/// A bad record ends the load, or is reported, written to the rejects file and skipped. Records stored before it are
/// kept, and a marker records the progress.
final class Loader {
    struct Options {
        /// The command's name in messages.
        var command = "load"
        /// The noun for a record in messages.
        var noun = "record"
        var mode = LoadMode.upsert
        /// Whether bad records are skipped.
        var skipsBad = false
        /// The maximum number of bad records to skip.
        var maximumErrorCount = Int.max
        var batchCount = 1000
        var batchByteCount = 1 << 20
        /// Whether each batch, only the last one, or none must survive a loss of power.
        var synchronization = Synchronization.end
        var filter = LoadFilter()
        /// Whether to resume an interrupted load.
        var resumes = false
        /// Whether to restart an interrupted load.
        var restarts = false
        /// Whether an unfinished load can be resumed.
        var keepsMarkers = true
        /// Whether nothing is stored unless everything is.
        var isAllOrNothing = false
        /// Called after each batch with the number of records stored so far.
        var acknowledgement: ((Int) throws -> Void)?
    }

    enum Synchronization: String, CaseIterable {
        case batch, end, none
    }

    /// The command line that resumes an interrupted load.
    var resumeCommand: String?

    private let options: Options
    /// Shows the progress of removal in the mode `replace`.
    var clearing: ProgressReporter?

    private let rejects: RejectWriter?
    private let progress: ProgressReporter
    private let makeTarget: (DumpHeader?) throws -> any LoadTarget

    private var source: (any RecordSource)?
    private var target: (any LoadTarget)?
    private var header: DumpHeader?
    private var isCleared = false
    private var pending: [LoadItem] = []
    private var pendingByteCount = 0
    private var consumedByteCount = 0
    /// The digest of all records before the pending batch.
    private var digest = ContentDigest()
    private var itemCount = 0
    /// The marker of the interrupted load that is being resumed.
    private var resumed: ResumePoint?
    private(set) var summary = LoadSummary()
    /// The maximum number of bad records to report individually.
    private static let toldCount = 20

    /// The collections in the input, as UTF-8; collected only with `--only`.
    private var collections: Set<[UInt8]> = []

    /// - Parameter makeTarget: Creates the target for a dump with the given header, or for records without one.
    init(
        options: Options, rejects: RejectWriter? = nil, progress: ProgressReporter,
        makeTarget: @escaping (DumpHeader?) throws -> any LoadTarget
    ) {
        self.options = options
        self.rejects = rejects
        self.progress = progress
        self.makeTarget = makeTarget
    }

    /// Loads all records.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the input, for progress; `nil` if unknown.
    ///   - readsAhead: Whether records are read on a separate thread.
    /// - Throws: ``CommandError``, after storing the preceding records.
    func run(_ source: any RecordSource, byteCount: Int?, readsAhead: Bool = false) throws {
        guard readsAhead else { return try run(source, byteCount: byteCount) }
        let ahead = ReadAheadSource(source)
        defer { ahead.end(waits: byteCount != nil) }
        try run(ahead, byteCount: byteCount)
    }

    private func run(_ source: any RecordSource, byteCount: Int?) throws {
        self.source = source
        while true {
            if Interruption.isRequested { throw try interrupted() }
            do {
                guard let event = try source.next() else { break }
                try take(event, source)
            } catch let fault as RecordError {
                try take(fault, source)
            }
            progress.advance(done: source.byteCount, total: byteCount)
        }
        if let resumed, itemCount < resumed.itemCount { throw otherInput(resumed) }
        // A dump without records replaces existing data by nothing. Input without a header may not be a dump at all.
        if options.mode == .replace, !isCleared, header != nil { try clear() }
        try commit(isLast: true)
        if !collections.isEmpty, let name = options.filter.missing(among: collections) {
            throw CommandError(
                .badData, "the input has no collection named \(name)",
                hint: "check --only; lines of the dump that begin with \"schema\" list its collections")
        }
        // A dump has an attachment once, before the first document that refers to it, which may be one that is skipped.
        if options.filter.only != nil, let target {
            summary.attachmentCount -= try target.removeSuperfluousContents()
        }
        if options.synchronization == .end { try target?.synchronize() }
        if let warning = source.warning { StandardError.shared.write("\(options.command): \(warning)\n") }
    }

    /// Opens the target if the input contained no records, for callers that need it.
    func finishTarget() throws {
        if target == nil { _ = try openTarget() }
    }

    /// The current number of records in the database; `nil` if it cannot differ from the number of stored records.
    func storedCount() throws -> Int? { try target?.count() }

    // MARK: - Records

    private func take(_ event: InputEvent, _ source: any RecordSource) throws {
        switch event {
        case .header(let header):
            var header = header
            header.revisions = header.revisions.map(options.filter.names)
            self.header = header
            try placing(source) { try openTarget().begin(header) }
        case .schema(let schema):
            if options.filter.only != nil { for collection in schema.collections { note(collection.name) } }
            try placing(source) { try openTarget().adopt(options.filter.schema(schema)) }
        case .content(let part):
            // The batch is limited by the documents alone.
            consumedByteCount = source.byteCount
            try placing(source) { try take(part) }
        case .damagedContent(let digest, let fault):
            consumedByteCount = source.byteCount
            try placing(source) { try openTarget().lose(digest, fault) }
        case .change(let change):
            if target == nil { try placing(source) { _ = try openTarget() } }
            if options.mode == .replace, !isCleared { try clear() }
            itemCount += 1
            if options.filter.only != nil, let name = change.collection { note(name) }
            guard let change = options.filter.change(change) else {
                if itemCount > resumed?.itemCount ?? 0 {
                    summary.read += 1
                    summary.skipped += 1
                }
                return
            }
            if try isStoredAlready(change) { return }
            summary.read += 1
            var place = source.place
            pendingByteCount += source.byteCount - consumedByteCount
            consumedByteCount = source.byteCount
            if rejects == nil { place.text = [] }
            pending.append(LoadItem(change: change, ordinal: itemCount, place: place))
            if pending.count >= options.batchCount || pendingByteCount >= options.batchByteCount { try commit() }
        }
    }

    /// Stores the content of an attachment, unless the documents that need it are stored already.
    private func take(_ part: ContentPart) throws {
        let target = try openTarget()
        if let resumed, itemCount < resumed.itemCount { return }
        try target.add(part)
        if part.isLast { summary.attachmentCount += 1 }
    }

    /// Adds the position of the current line to faults of the target.
    private func placing(_ source: any RecordSource, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let fault as RecordError {
            throw fault.at(line: source.place.line, offset: source.place.offset).final
        }
    }

    private func note(_ collection: String) { collections.insert(Array(collection.utf8)) }

    private func openTarget() throws -> any LoadTarget {
        if let target { return target }
        let target = try makeTarget(header)
        self.target = target
        guard options.keepsMarkers, let marker = try target.marker(), !options.restarts else {
            if options.resumes {
                StandardError.shared.write(
                    "\(options.command): no interrupted load was found; starting at the first record\n")
            }
            return target
        }
        guard options.resumes else {
            // The other modes can start over without harm, and replace the marker.
            guard options.mode == .insert else { return target }
            throw CommandError(
                .usage, "an earlier \(options.command) was interrupted after record \(marker.itemCount)",
                hint: target.resumesInserts
                    ? "--resume continues there, --restart starts over"
                    : "--mode skip --resume continues there, --restart starts over")
        }
        // Records inserted after the last marker exist already, and are skipped.
        let goesOnSkipping = marker.mode == .insert && options.mode == .skip && !target.resumesInserts
        guard marker.mode == options.mode || goesOnSkipping else {
            throw CommandError(
                .usage, "the interrupted \(options.command) used --mode \(marker.mode.rawValue)",
                hint: "use --mode \(marker.mode.rawValue), or --restart")
        }
        resumed = marker
        return target
    }

    private func clear() throws {
        isCleared = true
        defer { clearing?.finish() }
        summary.cleared =
            try target?.clear { [clearing] removed in
                clearing?.advance(done: removed)
                guard Interruption.isRequested else { return }
                var failure = Interruption.failure("the first record")
                failure.hint = Self.nothingChanged
                throw failure
            } ?? 0
    }

    // MARK: - Resuming

    /// Whether a record precedes the marker. At the marker, compares the digests.
    private func isStoredAlready(_ change: InputChange) throws -> Bool {
        guard let marker = resumed, itemCount <= marker.itemCount else { return false }
        change.add(to: &digest)
        if itemCount == marker.itemCount, digest.hexadecimal() != marker.digest { throw otherInput(marker) }
        return true
    }

    private func otherInput(_ marker: ResumePoint) -> CommandError {
        CommandError(
            .badData, "the first \(marker.itemCount) records differ from those loaded before the interruption",
            hint: "use the same input again, or --restart")
    }

    // MARK: - Batches

    private func commit(isLast: Bool = false) throws {
        guard let target, !pending.isEmpty || isLast else { return }
        let items = pending
        pending = []
        pendingByteCount = 0
        let before = digest
        var after: ContentDigest?
        let marker: (Int) -> ResumePoint? = { [options, itemCount] count in
            guard options.keepsMarkers else { return nil }
            var digest = before
            if count == items.count, let after {
                digest = after
            } else {
                for item in items[..<count] { item.change.add(to: &digest) }
                if count == items.count { after = digest }
            }
            let ordinal = count == 0 ? (items.first?.ordinal ?? itemCount + 1) - 1 : items[count - 1].ordinal
            return ResumePoint(
                itemCount: count == items.count ? itemCount : ordinal,
                offset: count == 0 ? 0 : items[count - 1].place.offset, digest: digest.hexadecimal(),
                mode: options.mode)
        }
        let outcome = try target.store(
            LoadBatch(
                items: items, stopsAtReject: !options.skipsBad, isLast: isLast,
                durability: options.synchronization == .batch ? .synced : .buffered, marker: marker))
        if options.keepsMarkers {
            if after == nil { _ = marker(items.count) }
            digest = after ?? before
        }
        summary += outcome.summary
        try options.acknowledgement?(summary.storedCount)
        for (item, fault) in outcome.rejects {
            try reject(fault.at(line: item.place.line, offset: item.place.offset), item.place)
        }
    }

    // MARK: - Faults

    private func take(_ fault: RecordError, _ source: any RecordSource) throws {
        if fault.kind == .reading, fault.exitCode == .interrupted { throw try interrupted() }
        guard fault.isRecoverable else {
            // After a digest mismatch, any record may be wrong; after other faults, the preceding records are valid.
            if fault.kind != .digest { try commit() }
            throw stopped(fault)
        }
        // A corrected record will be read again, so the marker must not be after it.
        if !options.skipsBad { try commit() }
        itemCount += 1
        if let resumed, itemCount <= resumed.itemCount { return }
        summary.read += 1
        try reject(fault, source.place)
    }

    /// Reports a bad record; throws unless bad records are skipped.
    private func reject(_ fault: RecordError, _ place: RecordPlace) throws {
        summary.rejected += 1
        try rejects?.write(fault, place, header: source?.header ?? [])
        guard options.skipsBad else { throw stopped(fault) }
        if summary.rejected <= Self.toldCount, let text = fault.commandError(in: name).text {
            StandardError.shared.write(text)
        }
        guard summary.rejected <= options.maximumErrorCount else {
            var failure = stopped(fault)
            failure.message =
                "more than \(options.maximumErrorCount) records were rejected; the last: " + failure.message
            throw failure
        }
    }

    private var name: String { source?.name ?? "the input" }

    private func stopped(_ fault: RecordError) -> CommandError {
        var failure = fault.commandError(in: name)
        let advice = failure.hint.map { $0 + "; " } ?? ""
        let count = summary.storedCount
        if options.isAllOrNothing {
            failure.hint =
                advice + Self.nothingChanged + (options.skipsBad ? "" : "; --on-error skip ignores bad records")
        } else if options.keepsMarkers {
            failure.hint =
                "\(advice)\(HumanNumber.counted(count, options.noun)) \(count == 1 ? "was" : "were") stored before it; fix it "
                + "and run again" + (options.skipsBad ? "" : ", or use --on-error skip")
        }
        return failure
    }

    static let nothingChanged = "nothing was replaced; the database is unchanged"

    /// Stores the pending records, and returns the failure with instructions for resuming.
    private func interrupted() throws -> CommandError {
        if options.isAllOrNothing {
            var failure = Interruption.failure("record \(itemCount)")
            failure.hint = Self.nothingChanged
            return failure
        }
        try commit()
        try target?.synchronize()
        var failure = Interruption.failure("record \(itemCount)")
        if options.keepsMarkers, let resumeCommand { failure.hint = "resume with: \(resumeCommand)" }
        return failure
    }
}

extension LoadSummary {
    /// The number of records that are now in the database because of the load, or were there before.
    var storedCount: Int { inserted + replaced + stored + merged + skipped + deleted }
}
