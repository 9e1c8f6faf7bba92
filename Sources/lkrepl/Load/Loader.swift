import DocIndex
import LevelKit

/// Takes records from a source and stores them in batches, each of them all or nothing: what `load` and `import` have in
/// common.
///
/// A record that is no good ends the load, or is told of, written to the file of rejects and passed over. What was
/// stored before stays, and a marker says how far that is.
final class Loader {
    struct Options {
        /// The command, for messages.
        var command = "load"
        /// What the records are called, in the plural.
        var noun = "records"
        var mode = LoadMode.upsert
        /// Whether records that are no good are passed over.
        var skipsBad = false
        /// How many may be passed over.
        var maximumErrorCount = Int.max
        var batchCount = 1000
        var batchByteCount = 1 << 20
        /// Whether each batch is to survive the loss of power, the last one alone, or none.
        var synchronization = Synchronization.end
        var filter = LoadFilter()
        /// Whether an interrupted load goes on where it was.
        var resumes = false
        /// Whether an interrupted load is begun anew.
        var restarts = false
        /// Whether a load that does not come to its end may go on later.
        var keepsMarkers = true
        /// Whether nothing is stored unless everything is.
        var isAllOrNothing = false
        /// What is told after each batch: how many records are stored by then.
        var acknowledgement: ((Int) throws -> Void)?
    }

    enum Synchronization: String, CaseIterable {
        case batch, end, none
    }

    /// The command line that goes on where this one was interrupted.
    var resumeCommand: String?

    private let options: Options
    /// Tells how much was removed in the mode `replace`.
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
    /// Of everything up to the pending batch.
    private var digest = ContentDigest()
    private var itemCount = 0
    /// Records that an earlier load has stored already.
    private var resumed: LoadMarker?
    private(set) var summary = LoadSummary()
    /// Bad records that are told of one by one.
    private static let toldCount = 20

    /// The collections that the input has, as bytes; noted where not all are wanted.
    private var collections: Set<[UInt8]> = []

    /// - Parameter makeTarget: the target for a dump with this header, or for records without one.
    init(
        options: Options, rejects: RejectWriter? = nil, progress: ProgressReporter,
        makeTarget: @escaping (DumpHeader?) throws -> any LoadTarget
    ) {
        self.options = options
        self.rejects = rejects
        self.progress = progress
        self.makeTarget = makeTarget
    }

    /// Loads everything.
    ///
    /// - Parameters:
    ///   - byteCount: the size of the input, for progress; `nil` if that is not known.
    ///   - readsAhead: whether records are read on a thread of their own.
    /// - Throws: ``CommandFailure``, after what came before is stored.
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
            } catch let fault as RecordFault {
                try take(fault, source)
            }
            progress.advance(done: source.byteCount, total: byteCount)
        }
        if let resumed, itemCount < resumed.itemCount { throw otherInput(resumed) }
        // A dump without records replaces what there is by nothing. Input without a header may be no dump at all.
        if options.mode == .replace, !isCleared, header != nil { try clear() }
        try commit(isLast: true)
        if !collections.isEmpty, let name = options.filter.missing(among: collections) {
            throw CommandFailure(
                .badData, "the input has no collection \(name)",
                hint: "--only names collections; the lines of the dump that begin with \"schema\" tell which there are")
        }
        if options.synchronization == .end { try target?.synchronize() }
        if let warning = source.warning { StandardError.shared.write("\(options.command): \(warning)\n") }
    }

    /// Says that the input brought no record at all, where a target is needed nevertheless.
    func finishTarget() throws {
        if target == nil { _ = try openTarget() }
    }

    /// How many records there are in the database now; `nil` if that cannot differ from what was stored.
    func storedCount() throws -> Int? { try target?.count() }

    // MARK: - Records

    private func take(_ event: InputEvent, _ source: any RecordSource) throws {
        switch event {
        case .header(let header):
            self.header = header
            try placing(source) { try openTarget().begin(header) }
        case .schema(let schema):
            if options.filter.only != nil { for collection in schema.collections { note(collection.name) } }
            try placing(source) { try openTarget().adopt(options.filter.schema(schema)) }
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

    /// Gives a fault of the target the place of the line that brought it about.
    private func placing(_ source: any RecordSource, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let fault as RecordFault {
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
                    "\(options.command): nothing was interrupted; this begins at the first record\n")
            }
            return target
        }
        guard options.resumes else {
            // The other modes may begin anew without harm, and replace the marker.
            guard options.mode == .insert else { return target }
            throw CommandFailure(
                .usage, "an earlier \(options.command) was interrupted after record \(marker.itemCount)",
                hint: target.resumesInserts
                    ? "--resume goes on there, --restart begins anew"
                    : "--mode skip --resume goes on there, --restart begins anew")
        }
        // What was inserted behind the last mark is there, and skipped.
        let goesOnSkipping = marker.mode == .insert && options.mode == .skip && !target.resumesInserts
        guard marker.mode == options.mode || goesOnSkipping else {
            throw CommandFailure(
                .usage, "the interrupted \(options.command) had the mode \(marker.mode.rawValue)",
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

    // MARK: - Going on

    /// Whether a record lies before the marker; compares the beginnings when the marker is reached.
    private func isStoredAlready(_ change: InputChange) throws -> Bool {
        guard let marker = resumed, itemCount <= marker.itemCount else { return false }
        change.add(to: &digest)
        if itemCount == marker.itemCount, digest.hexadecimal() != marker.digest { throw otherInput(marker) }
        return true
    }

    private func otherInput(_ marker: LoadMarker) -> CommandFailure {
        CommandFailure(
            .badData, "the first \(marker.itemCount) records are not those that were loaded before the interruption",
            hint: "give the same input again, or use --restart")
    }

    // MARK: - Batches

    private func commit(isLast: Bool = false) throws {
        guard let target, !pending.isEmpty || isLast else { return }
        let items = pending
        pending = []
        pendingByteCount = 0
        let before = digest
        var after: ContentDigest?
        let marker: (Int) -> LoadMarker? = { [options, itemCount] count in
            guard options.keepsMarkers else { return nil }
            var digest = before
            if count == items.count, let after {
                digest = after
            } else {
                for item in items[..<count] { item.change.add(to: &digest) }
                if count == items.count { after = digest }
            }
            let ordinal = count == 0 ? (items.first?.ordinal ?? itemCount + 1) - 1 : items[count - 1].ordinal
            return LoadMarker(
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

    private func take(_ fault: RecordFault, _ source: any RecordSource) throws {
        if fault.kind == .reading, fault.exitCode == .interrupted { throw try interrupted() }
        guard fault.isRecoverable else {
            // A digest that does not fit says that any record may be wrong; anything else, that those before are sound.
            if fault.kind != .digest { try commit() }
            throw stopped(fault)
        }
        // Mended, the record is read again: the marker must not be behind it.
        if !options.skipsBad { try commit() }
        itemCount += 1
        if let resumed, itemCount <= resumed.itemCount { return }
        summary.read += 1
        try reject(fault, source.place)
    }

    /// Tells of a record that cannot be stored; stops there unless bad ones are passed over.
    private func reject(_ fault: RecordFault, _ place: RecordPlace) throws {
        summary.rejected += 1
        try rejects?.write(fault, place, header: source?.header ?? [])
        guard options.skipsBad else { throw stopped(fault) }
        if summary.rejected <= Self.toldCount, let text = fault.commandFailure(in: name).text {
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

    private func stopped(_ fault: RecordFault) -> CommandFailure {
        var failure = fault.commandFailure(in: name)
        let advice = failure.hint.map { $0 + "; " } ?? ""
        let count = summary.storedCount
        if options.isAllOrNothing {
            failure.hint =
                advice + Self.nothingChanged + (options.skipsBad ? "" : "; --on-error skip ignores bad records")
        } else if options.keepsMarkers {
            failure.hint =
                "\(advice)\(count) \(options.noun) before it are stored; mend it and run again"
                + (options.skipsBad ? "" : ", or use --on-error skip")
        }
        return failure
    }

    static let nothingChanged = "nothing was replaced; the database is unchanged"

    /// Stores what is there, and says how to go on.
    private func interrupted() throws -> CommandFailure {
        if options.isAllOrNothing {
            var failure = Interruption.failure("record \(itemCount)")
            failure.hint = Self.nothingChanged
            return failure
        }
        try commit()
        try target?.synchronize()
        var failure = Interruption.failure("record \(itemCount)")
        if options.keepsMarkers, let resumeCommand { failure.hint = "go on with: \(resumeCommand)" }
        return failure
    }
}

extension LoadSummary {
    /// Records that are in the database now because of the load, or were there before.
    var storedCount: Int { inserted + replaced + stored + merged + skipped + deleted }
}
