import DocIndex
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Loads pairs into a plain database.
final class RawLoadTarget: LoadTarget {
    private let database: Database
    private let mode: LoadMode
    /// The database's name in messages.
    private let path: String
    /// The path of the marker file; `nil` if none is kept.
    private let markerPath: String?
    private let batch = WriteBatch()
    /// The keys of the pending batch, in modes that check for existing keys.
    private var pending: Set<[UInt8]> = []
    private var range = KeyRange.all
    /// The largest key so far, while keys arrive in order.
    private var lastKey: [UInt8]?
    private var isSorted = true
    private var lastMarkerTime = ContinuousClock.now

    /// The minimum interval between markers; each needs a synced write.
    private static let markerInterval = Duration.milliseconds(500)

    init(_ database: Database, path: String, mode: LoadMode, markerPath: String?) throws {
        guard mode != .merge else {
            throw CommandError(
                .usage, "--mode merge needs documents, but \(path) is a plain database", hint: "use --mode upsert")
        }
        self.database = database
        self.mode = mode
        self.path = path
        self.markerPath = markerPath
    }

    func begin(_ header: DumpHeader) throws {
        guard header.content == .raw else {
            throw RecordError(
                .format, "the dump contains documents, but \(path) is not a document store",
                hint: "load it with --create into a new store", isRecoverable: false)
        }
        range = header.range
    }

    func adopt(_ schema: Schema) throws {}

    func clear(_ step: (Int) throws -> Void) throws -> Int {
        try database.deleteRange(range, step: step)
    }

    func store(_ batch: LoadBatch) throws -> LoadOutcome {
        var outcome = LoadOutcome()
        var stored = 0
        self.batch.removeAll()
        pending.removeAll(keepingCapacity: true)
        for item in batch.items {
            do {
                try add(item.change, to: &outcome.summary)
                stored += 1
            } catch let fault as RecordError {
                outcome.rejects.append((item, fault))
                if batch.stopsAtReject { break }
                stored += 1
            }
        }
        try write(batch, stored)
        return outcome
    }

    private func write(_ batch: LoadBatch, _ stored: Int) throws {
        var durability = batch.durability
        let isMarked =
            markerPath != nil && !batch.isLast && batch.durability != .synced
            && ContinuousClock.now - lastMarkerTime >= Self.markerInterval
        // A marker must never be ahead of the stored records.
        if isMarked { durability = .synced }
        if self.batch.count > 0 || durability == .synced { try database.write(self.batch, durability: durability) }
        guard let markerPath else { return }
        if batch.isLast, stored == batch.items.count {
            unsafe unlink(markerPath)
        } else if durability == .synced, let marker = batch.marker(stored) {
            try save(marker, to: markerPath)
            lastMarkerTime = .now
        }
    }

    private func save(_ marker: ResumePoint, to path: String) throws {
        var marker = marker
        marker.database = database.path
        try PartialFile.write(path, isSynchronized: false) { try $0.write(marker.encoded) }
    }

    private func add(_ change: InputChange, to summary: inout LoadSummary) throws {
        switch change {
        case .pair(let key, let value):
            noteOrder(key)
            if mode == .insert || mode == .skip {
                guard try !isThere(key) else {
                    if mode == .skip {
                        summary.skipped += 1
                        return
                    }
                    throw RecordError(.conflict, "key \(ByteNotation.print(key)) already exists")
                }
                pending.insert(key)
                summary.inserted += 1
            } else {
                summary.stored += 1
            }
            try put(value, forKey: key)
        case .deletion(let key):
            isSorted = false
            pending.remove(key)
            try batch.delete(key)
            summary.deleted += 1
        case .document, .documentDeletion, .replicated:
            throw RecordError(
                .type, "the record is a document, but \(path) is not a document store",
                hint: "--key FIELD stores each line under the value of its member FIELD")
        }
    }

    private func put(_ value: [UInt8], forKey key: [UInt8]) throws {
        do {
            try batch.put(value, forKey: key)
        } catch {
            guard error.code == .tooLarge else { throw error }
            let shown = ByteNotation.print(Array(key.prefix(100))) + (key.count > 100 ? "…" : "")
            throw RecordError(.size, "the key \(shown): \(error.message)")
        }
    }

    private func isThere(_ key: [UInt8]) throws -> Bool {
        if pending.contains(key) { return true }
        return try database.contains(key)
    }

    private func noteOrder(_ key: [UInt8]) {
        guard isSorted else { return }
        if let lastKey, !lastKey.lexicographicallyPrecedes(key) { isSorted = false }
        lastKey = key
    }

    /// The marker is a separate file.
    var resumesInserts: Bool { false }

    func marker() throws -> ResumePoint? {
        guard let markerPath, FileDescriptor.exists(markerPath) else { return nil }
        let file = try InputFile(path: markerPath)
        let marker = ResumePoint(encoded: file.beginning)
        guard let marker, marker.database.hasSameBytes(as: database.path) else {
            throw CommandError(
                .badData, "\(markerPath) belongs to a load into another database",
                hint: "--restart starts over and replaces it")
        }
        return marker
    }

    func synchronize() throws {
        try database.flush()
    }

    func count() throws -> Int? { isSorted ? nil : try database.count() }
}
