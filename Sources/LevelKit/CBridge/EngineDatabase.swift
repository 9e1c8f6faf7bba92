import CLevelDB

/// LevelDB's handle of an open database, with one function for each call of the C interface.
///
/// Knows nothing of lifetimes: ``DatabaseCore`` decides when a call is allowed.
@safe struct EngineDatabase: @unchecked Sendable {
    // Unchecked: LevelDB's database object may be used by any number of threads (include/leveldb/db.h).
    private let handle: OpaquePointer
    // Nothing here counts references: a read or a write takes about a microsecond, and each count a hundredth of it.
    private let buffered: OpaquePointer
    private let synced: OpaquePointer
    let reading: OpaquePointer
    /// The batch of every write of one key.
    private let single: OpaquePointer
    private let resources: Unmanaged<Resources>

    /// A key and a value larger than this do not go through ``single``, since a batch keeps its memory.
    private static let keptByteCount = 64 << 10

    /// What must outlive the handle.
    private final class Resources {
        let options: EngineOptions
        /// The directory, for the texts of errors.
        let path: String

        init(options: EngineOptions, path: String) {
            self.options = options
            self.path = path
        }
    }

    private init(handle: OpaquePointer, path: String, options: EngineOptions) {
        unsafe self.handle = handle
        unsafe resources = Unmanaged.passRetained(Resources(options: options, path: path))
        unsafe buffered = options.buffered
        unsafe synced = options.synced
        unsafe reading = options.reading
        unsafe single = leveldb_writebatch_create()!
    }

    /// Opens a database. The corresponding C function is `leveldb_open`.
    ///
    /// - Parameter shownPath: the path for the texts of errors, where it is not the one that is opened.
    static func open(
        path: String, options: EngineOptions, shownPath: String? = nil
    ) throws(LevelError) -> EngineDatabase {
        let (handle, error) = unsafe EngineErrorSlot.capture { unsafe leveldb_open(options.options, path, $0) }
        let shownPath = shownPath ?? path
        if let error { throw .engine(error, action: "open the database at \(shownPath)").locatedAtOpening(of: path) }
        guard let handle = unsafe handle else {
            throw LevelError(.unknown, "could not open the database at \(shownPath): the engine gave no reason")
        }
        return unsafe EngineDatabase(handle: handle, path: shownPath, options: options)
    }

    var options: EngineOptions { unsafe resources.takeUnretainedValue().options }

    private var path: String { unsafe resources.takeUnretainedValue().path }

    /// Closes the database; nothing may be called afterwards. The corresponding C function is `leveldb_close`.
    func close() {
        unsafe leveldb_close(handle)
        unsafe leveldb_writebatch_destroy(single)
        unsafe resources.release()
    }

    /// The value of a key; `nil` if the engine has no such key. The corresponding C function is `leveldb_get`.
    @inline(__always)
    func get(_ key: Span<UInt8>, reading: OpaquePointer) throws(LevelError) -> EngineValue? {
        var byteCount = 0
        let (value, error) = unsafe key.withUnsafeBufferPointer { key in
            unsafe EngineErrorSlot.capture {
                unsafe leveldb_get(handle, reading, key.cBase, key.count, &byteCount, $0)
            }
        }
        if let error { throw .engine(error, action: "read a key of \(path)") }
        guard let value = unsafe value else { return nil }
        return unsafe EngineValue(start: value, byteCount: byteCount)
    }

    /// Writes one pair. The caller sees to it that no two such writes run at once.
    ///
    /// The corresponding C function is `leveldb_put`, which makes a batch of one and gives its memory back each time.
    /// Here one batch is used again and again, except for what is too large to be kept.
    func put(_ key: Span<UInt8>, _ value: Span<UInt8>, synced isSynced: Bool) throws(LevelError) {
        let keeps = key.count + value.count <= Self.keptByteCount
        let error = unsafe key.withUnsafeBufferPointer { key in
            unsafe value.withUnsafeBufferPointer { value in
                unsafe EngineErrorSlot.capture {
                    let writing = unsafe isSynced ? synced : buffered
                    guard keeps else {
                        return unsafe leveldb_put(
                            handle, writing, key.cBase, key.count, value.cBase, value.count, $0)
                    }
                    unsafe leveldb_writebatch_clear(single)
                    unsafe leveldb_writebatch_put(single, key.cBase, key.count, value.cBase, value.count)
                    unsafe leveldb_write(handle, writing, single, $0)
                }.error
            }
        }
        if let error { throw .engine(error, action: "write a key to \(path)").locatedAnywhere(in: path) }
    }

    /// Deletes one key. The caller sees to it that no two such writes run at once. The corresponding C function is
    /// `leveldb_delete`; see ``put(_:_:synced:)``.
    func delete(_ key: Span<UInt8>, synced isSynced: Bool) throws(LevelError) {
        let keeps = key.count <= Self.keptByteCount
        let error = unsafe key.withUnsafeBufferPointer { key in
            unsafe EngineErrorSlot.capture {
                let writing = unsafe isSynced ? synced : buffered
                guard keeps else { return unsafe leveldb_delete(handle, writing, key.cBase, key.count, $0) }
                unsafe leveldb_writebatch_clear(single)
                unsafe leveldb_writebatch_delete(single, key.cBase, key.count)
                unsafe leveldb_write(handle, writing, single, $0)
            }.error
        }
        if let error { throw .engine(error, action: "delete a key of \(path)").locatedAnywhere(in: path) }
    }

    /// Writes a batch as one unit. The corresponding C function is `leveldb_write`.
    func write(_ batch: EngineBatch, synced isSynced: Bool) throws(LevelError) {
        let (_, error) = unsafe EngineErrorSlot.capture {
            unsafe leveldb_write(handle, isSynced ? synced : buffered, batch.handle, $0)
        }
        if let error { throw .engine(error, action: "write a batch to \(path)").locatedAnywhere(in: path) }
    }

    /// A new iterator; the caller destroys it before the database is closed. The corresponding C function is
    /// `leveldb_create_iterator`.
    func makeIterator(reading: OpaquePointer) -> EngineIterator {
        unsafe EngineIterator(handle: leveldb_create_iterator(handle, reading)!)
    }

    /// The text of a property; `nil` if the engine knows none of that name. The corresponding C function is
    /// `leveldb_property_value`.
    func property(_ name: String) -> String? {
        guard let text = unsafe leveldb_property_value(handle, name) else { return nil }
        defer { unsafe leveldb_free(text) }
        return unsafe String(cString: text)
    }

    /// Bytes on disk between two keys, without what is still in memory. The corresponding C function is
    /// `leveldb_approximate_sizes`.
    func approximateByteCount(from lower: [UInt8], to upper: [UInt8]) -> UInt64 {
        var size: UInt64 = 0
        unsafe lower.withUnsafeBufferPointer { lower in
            unsafe upper.withUnsafeBufferPointer { upper in
                var lowerStart = unsafe lower.cBase
                var upperStart = unsafe upper.cBase
                var lowerCount = lower.count
                var upperCount = upper.count
                unsafe leveldb_approximate_sizes(
                    handle, 1, &lowerStart, &lowerCount, &upperStart, &upperCount, &size)
            }
        }
        return size
    }

    /// Writes what is in memory to a table and begins a new log. Reports no error; the next write does.
    ///
    /// The corresponding C function is `leveldb_compact_range` with the range of the empty key alone: it always writes
    /// the memory table, and has next to nothing else to do.
    func flushMemoryTable() {
        compact(from: [], to: [])
    }

    /// Writes a batch without operations, to hear of an error of the background thread.
    func probe(synced: Bool) throws(LevelError) {
        try write(EngineBatch(), synced: synced)
    }

    /// Compacts the keys between two bounds, each without limit where it is `nil`. The corresponding C function is
    /// `leveldb_compact_range`, which reports no error.
    func compact(from lower: [UInt8]?, to upper: [UInt8]?) {
        // A pointer to an empty key and no pointer differ: the first compacts nothing above the empty key.
        let empty: [UInt8] = [0]
        unsafe (lower ?? empty).withUnsafeBufferPointer { lowerBytes in
            unsafe (upper ?? empty).withUnsafeBufferPointer { upperBytes in
                unsafe leveldb_compact_range(
                    handle,
                    lower == nil ? nil : lowerBytes.cBaseNonNull, lower?.count ?? 0,
                    upper == nil ? nil : upperBytes.cBaseNonNull, upper?.count ?? 0)
            }
        }
    }
}

/// One byte at an address that is never used: an empty array may have no address at all.
private nonisolated(unsafe) let somewhere = UnsafeMutablePointer<CChar>.allocate(capacity: 1)

extension UnsafeBufferPointer where Element == UInt8 {
    /// The bytes as the C interface wants them; NULL where there are none, which it takes.
    var cBase: UnsafePointer<CChar>? {
        unsafe UnsafeRawPointer(baseAddress)?.assumingMemoryBound(to: CChar.self)
    }

    /// The bytes as the C interface wants them where NULL means "no limit".
    var cBaseNonNull: UnsafePointer<CChar> {
        unsafe cBase ?? UnsafePointer(somewhere)
    }
}
