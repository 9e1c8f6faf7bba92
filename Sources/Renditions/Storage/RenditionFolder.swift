internal import DocIndex
internal import LevelFiles
internal import LevelKit
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The directory `renditions` of a store. It may be deleted or damaged at any time, even while it is in use: what is
/// missing or fails its checksum is made again. So nothing in here throws, and nothing is ever flushed to the disk.
///
///     renditions/index/…             a separate database: entries and small renditions; see ``FolderRecords``
///     renditions/preview/ab/ab34….jpg   large renditions; see ``FolderFiles``
///
/// An entry is written before its file and deleted after it, so that no crash leaves a file without an entry, which
/// would never be deleted. Only one process writes; others read what was there when they opened the folder.
final class RenditionFolder: Sendable {
    static let name = DerivedDirectory.name
    /// The maximum size of a rendition in the database, in bytes. LevelDB copies values several times.
    static let inlineByteCount = 32 << 10
    /// How old the recorded use of a rendition becomes before a new use is recorded, in milliseconds. So showing
    /// pictures writes almost nothing.
    private static let useInterval: UInt64 = 3_600_000
    /// How long to wait after a failure before the database is opened again.
    private static let pause = Duration.seconds(5)

    /// The absolute path.
    let path: String
    private let mode: Database.Mode
    private let limits: @Sendable (RenditionSpecification) -> Int64
    private let clock: @Sendable () -> UInt64
    private let state = Mutex(State())
    /// The number of renditions that were deleted because of the limits.
    let evictedCount = Atomic(0)
    private var files: FolderFiles { FolderFiles(path: path) }

    private struct State {
        var database: Database?
        /// The directory of the database when it was opened.
        var identity: Identity?
        var nextAttempt: ContinuousClock.Instant?
    }

    private struct Identity: Hashable {
        let device: UInt64
        let number: UInt64

        init?(of path: String) {
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// Names the folder of a store; creates and opens nothing.
    ///
    /// - Parameters:
    ///   - mode: for reading, nothing is changed.
    ///   - limits: the maximum size of all renditions of a specification, in bytes.
    ///   - clock: the time in milliseconds since 1970.
    init(
        of storePath: String, mode: Database.Mode, limits: @escaping @Sendable (RenditionSpecification) -> Int64,
        clock: @escaping @Sendable () -> UInt64 = { RenditionFolder.now }
    ) {
        path = storePath + "/" + Self.name
        self.mode = mode
        self.limits = limits
        self.clock = clock
    }

    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(max(0, time.tv_nsec)) / 1_000_000
    }

    // MARK: - Reading

    /// Returns a stored rendition; `nil` if there is none, or if it is damaged or cannot be read now.
    func rendition(_ key: RenditionKey) -> Rendition? {
        guard let database = database() else { return nil }
        guard let value = attempt({ () throws(LevelError) in try database.value(forKey: FolderRecords.entry(key)) }),
            let value, let entry = FolderRecords.entry(value, for: key.specification)
        else { return nil }
        let bytes: [UInt8]?
        if let number = entry.number {
            bytes = attempt { () throws(LevelError) in try database.value(forKey: FolderRecords.bytes(number)) } ?? nil
        } else {
            bytes = files.read(key, byteCount: entry.byteCount)
        }
        guard let bytes, bytes.count == entry.byteCount, CRC32C.checksum(of: bytes[...]) == entry.checksum else {
            remove(key)
            return nil
        }
        let now = clock()
        if now > entry.time &+ Self.useInterval { noteUse(key, entry, now) }
        return Rendition(
            bytes: bytes, width: entry.width, height: entry.height, specification: key.specification)
    }

    /// Whether there is an entry for a rendition. Its bytes are not read.
    func contains(_ key: RenditionKey) -> Bool {
        guard let database = database() else { return false }
        let value = attempt { () throws(LevelError) in try database.value(forKey: FolderRecords.entry(key)) } ?? nil
        return value.flatMap { FolderRecords.entry($0, for: key.specification) } != nil
    }

    // MARK: - Writing

    /// Stores a rendition, and deletes the least recently used ones beyond the limit. Does nothing if the folder cannot
    /// be written now.
    func store(_ rendition: Rendition, _ key: RenditionKey) {
        change { database throws(LevelError) in
            let batch = WriteBatch()
            var totals = try Self.totals(key.specification.name, in: database)
            try self.delete(key, in: database, batch, &totals)
            let isSmall = rendition.bytes.count <= Self.inlineByteCount
            let number = isSmall ? try Self.takeNumber(in: database, batch) : nil
            let entry = FolderRecords.Entry(
                specification: key.specification, number: number, byteCount: rendition.bytes.count,
                checksum: CRC32C.checksum(of: rendition.bytes[...]), width: rendition.width, height: rendition.height,
                time: self.clock())
            if let number { try batch.put(rendition.bytes, forKey: FolderRecords.bytes(number)) }
            try batch.put(entry.encoded, forKey: FolderRecords.entry(key))
            try batch.put([UInt8](), forKey: FolderRecords.use(key, entry.time))
            totals.add(rendition.bytes.count)
            try batch.put(totals.encoded, forKey: FolderRecords.totals(key.specification.name))
            try database.write(batch)
            if !isSmall {
                do throws(SystemError) {
                    try self.files.write(rendition.bytes, key)
                } catch {
                    try self.deleteEntry(key, in: database)
                    return
                }
            }
            try self.evict(key.specification, in: database)
        }
    }

    /// Deletes a rendition, if it is stored.
    func remove(_ key: RenditionKey) {
        change { database throws(LevelError) in try self.deleteEntry(key, in: database) }
    }

    private func noteUse(_ key: RenditionKey, _ entry: FolderRecords.Entry, _ now: UInt64) {
        change { database throws(LevelError) in
            // Another thread may have changed the entry.
            guard try database.value(forKey: FolderRecords.entry(key)) == entry.encoded else { return }
            var used = entry
            used.time = now
            let batch = WriteBatch()
            try batch.delete(FolderRecords.use(key, entry.time))
            try batch.put([UInt8](), forKey: FolderRecords.use(key, now))
            try batch.put(used.encoded, forKey: FolderRecords.entry(key))
            try database.write(batch)
        }
    }

    private func deleteEntry(_ key: RenditionKey, in database: Database) throws(LevelError) {
        let batch = WriteBatch()
        var totals = try Self.totals(key.specification.name, in: database)
        try delete(key, in: database, batch, &totals)
        try batch.put(totals.encoded, forKey: FolderRecords.totals(key.specification.name))
        try database.write(batch)
    }

    /// Deletes the file of a rendition, and adds the deletion of its records to a batch.
    private func delete(
        _ key: RenditionKey, in database: Database, _ batch: WriteBatch, _ totals: inout Totals
    ) throws(LevelError) {
        guard let value = try database.value(forKey: FolderRecords.entry(key)) else { return }
        try batch.delete(FolderRecords.entry(key))
        guard let old = FolderRecords.size(ofEntry: value) else { return }
        if let number = old.number { try batch.delete(FolderRecords.bytes(number)) } else { files.remove(key) }
        try batch.delete(FolderRecords.use(key, old.time))
        totals.remove(old.byteCount)
    }

    /// Deletes the least recently used renditions until the limit is kept.
    private func evict(_ specification: RenditionSpecification, in database: Database) throws(LevelError) {
        let limit = limits(specification)
        var totals = try Self.totals(specification.name, in: database)
        guard totals.byteCount > limit else { return }
        let batch = WriteBatch()
        var cursor = try database.cursor(in: .prefix(FolderRecords.uses(specification.name)))
        while totals.byteCount > limit, try cursor.advance() {
            let use = cursor.key.copied()
            try batch.delete(use)
            guard let digest = FolderRecords.digest(ofUse: use, specification.name) else { continue }
            evictedCount.add(1, ordering: .relaxed)
            try delete(RenditionKey(digest, specification), in: database, batch, &totals)
        }
        try batch.put(totals.encoded, forKey: FolderRecords.totals(specification.name))
        try database.write(batch)
    }

    private static func takeNumber(in database: Database, _ batch: WriteBatch) throws(LevelError) -> UInt64 {
        let value = try database.value(forKey: FolderRecords.nextNumber)
        let number = value.flatMap { FolderRecords.numbers($0, count: 1) }?.first ?? 1
        try batch.put(FolderRecords.encoded(number &+ 1), forKey: FolderRecords.nextNumber)
        return number
    }

    // MARK: - Totals

    /// The number of renditions of a specification, and their size.
    struct Totals: Hashable {
        var count: UInt64 = 0
        var byteCount: Int64 = 0

        mutating func add(_ bytes: Int) {
            count &+= 1
            byteCount &+= Int64(bytes)
        }

        mutating func remove(_ bytes: Int) {
            count = count > 0 ? count - 1 : 0
            byteCount = max(0, byteCount &- Int64(bytes))
        }

        var encoded: [UInt8] { FolderRecords.encoded(count, UInt64(max(0, byteCount))) }
    }

    private static func totals(_ name: String, in database: Database) throws(LevelError) -> Totals {
        let value = try database.value(forKey: FolderRecords.totals(name))
        guard let numbers = value.flatMap({ FolderRecords.numbers($0, count: 2) }) else { return Totals() }
        return Totals(count: numbers[0], byteCount: Int64(clamping: numbers[1]))
    }

    /// The totals of all specifications with renditions, by name. Takes no lock and creates nothing, so that they can
    /// be read while another object or process writes the folder.
    func totals() -> [(name: String, totals: Totals)] {
        let directory = path + "/index"
        guard isPresent else { return [] }
        do throws(LevelError) {
            let opened = state.withLock { Identity(of: directory) == $0.identity ? $0.database : nil }
            if let opened { return try Self.totals(in: opened) }
            let database = try Self.open(directory, .readOnly)
            defer { try? database.close() }
            return try Self.totals(in: database)
        } catch {
            return []
        }
    }

    private static func totals(in database: Database) throws(LevelError) -> [(name: String, totals: Totals)] {
        var found: [(name: String, totals: Totals)] = []
        var cursor = try database.cursor(in: .prefix([0x54]))
        while try cursor.advance() {
            guard let name = FolderRecords.name(ofTotals: cursor.key.copied()) else { continue }
            let totals = try totals(name, in: database)
            if totals.count > 0 { found.append((name, totals)) }
        }
        return found
    }

    // MARK: - Opening and deleting

    /// Deletes everything. What is being read stays readable.
    func removeAll() {
        guard mode == .readWrite else { return }
        state.withLock { state in
            try? state.database?.close()
            state = State()
            files.removeAll()
        }
    }

    /// Deletes the renditions of other originals, and returns how many there were.
    func removeAll(except originals: Set<Attachment.Digest>) -> Int {
        var removedCount = 0
        change { database throws(LevelError) in
            for (name, _) in try Self.totals(in: database) {
                // Only its name matters to the records.
                guard let specification = RenditionSpecification(name: name, longEdge: nil, quality: 1) else {
                    continue
                }
                var others: [RenditionKey] = []
                var cursor = try database.cursor(in: .prefix(FolderRecords.entries(name)))
                while try cursor.advance() {
                    guard let digest = FolderRecords.digest(ofEntry: cursor.key.copied(), name),
                        !originals.contains(digest)
                    else { continue }
                    others.append(RenditionKey(digest, specification))
                }
                _ = consume cursor
                for key in others { try self.deleteEntry(key, in: database) }
                removedCount += others.count
            }
        }
        return removedCount
    }

    /// Closes the database.
    func close() {
        state.withLock { state in
            try? state.database?.close()
            state = State()
        }
    }

    /// The open database; `nil` if there is none now: another process writes it, or the disk is full.
    private func database() -> Database? { state.withLock { opened(&$0) } }

    private func opened(_ state: inout State) -> Database? {
        let directory = path + "/index"
        if let database = state.database {
            if Identity(of: directory) == state.identity { return database }
            // The folder was deleted, and perhaps made again.
            try? database.close()
            state = State()
        }
        if let next = state.nextAttempt, ContinuousClock.now < next { return nil }
        state.nextAttempt = nil
        guard mode == .readWrite || isPresent else { return nil }
        do throws(LevelError) {
            try makeFolder()
            state.database = try Self.open(directory, mode)
            state.identity = Identity(of: directory)
        } catch {
            // A damaged database is of no use.
            if Self.isDamage(error), mode == .readWrite { files.removeAll() }
            state.nextAttempt = Self.isDamage(error) ? nil : ContinuousClock.now + Self.pause
        }
        return state.database
    }

    /// Whether there is a folder with a database. Links are not followed.
    private var isPresent: Bool { FolderFiles.isDirectory(path) && FolderFiles.isDirectory(path + "/index") }

    private func makeFolder() throws(LevelError) {
        guard mode == .readWrite, unsafe mkdir(path, 0o700) != 0 else { return }
        guard errno == EEXIST, FolderFiles.isDirectory(path) else { throw LevelError(.io, "cannot create \(path)") }
    }

    private static func open(_ directory: String, _ mode: Database.Mode) throws(LevelError) -> Database {
        var options = DatabaseOptions.lowMemory
        options.writeBufferByteCount = 1 << 20
        options.compression = .none
        return try Database.open(at: directory, options: options, mode: mode)
    }

    /// Runs a change, one at a time. After a failure, the database is opened again, or made again if it is damaged.
    private func change(_ body: (Database) throws(LevelError) -> Void) {
        guard mode == .readWrite else { return }
        state.withLock { state in
            guard let database = opened(&state) else { return }
            do throws(LevelError) {
                try body(database)
            } catch {
                reset(&state, after: error)
            }
        }
    }

    /// Returns the result of a read; `nil` after a failure.
    private func attempt<R>(_ body: () throws(LevelError) -> R) -> R? {
        do throws(LevelError) {
            return try body()
        } catch {
            state.withLock { reset(&$0, after: error) }
            return nil
        }
    }

    private func reset(_ state: inout State, after error: LevelError) {
        // Another thread has closed the database that this one was using.
        guard error.code != .closed else { return }
        try? state.database?.close()
        state = State()
        if Self.isDamage(error), mode == .readWrite {
            files.removeAll()
        } else {
            state.nextAttempt = ContinuousClock.now + Self.pause
        }
    }

    private static func isDamage(_ error: LevelError) -> Bool {
        [.corruption, .comparatorMismatch, .schemaMismatch, .malformedEntry, .notSupported].contains(error.code)
    }
}
