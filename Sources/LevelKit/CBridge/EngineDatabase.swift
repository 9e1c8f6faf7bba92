import CLevelDB

/// LevelDB's handle of an open database, with a function for each call of the C interface.
///
/// It does not track lifetimes: ``DatabaseCore`` decides when a call is allowed.
@safe struct EngineDatabase: @unchecked Sendable {
    // Unchecked: LevelDB's database object is thread-safe (include/leveldb/db.h).
    private let handle: OpaquePointer
    // Stored without reference counting: a read or a write takes about a microsecond, and each retain or release one
    // percent of that.
    private let buffered: OpaquePointer
    private let synced: OpaquePointer
    let reading: OpaquePointer
    /// The batch reused by every single-key write.
    private let single: OpaquePointer
    private let resources: Unmanaged<Resources>

    /// Larger pairs do not use ``single``, because a batch keeps its memory.
    private static let keptByteCount = 64 << 10

    /// The objects that must outlive the handle.
    private final class Resources {
        let options: EngineOptions
        /// The directory, for error messages.
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
    /// - Parameter shownPath: the path for error messages, if it is not the opened one.
    static func open(
        path: String, options: EngineOptions, shownPath: String? = nil
    ) throws(LevelError) -> EngineDatabase {
        let (handle, error) = unsafe EngineErrorSlot.capture { unsafe leveldb_open(options.options, path, $0) }
        let shownPath = shownPath ?? path
        if let error {
            throw .engine(error, action: "open the database at \(shownPath)").locatedAtOpening(of: path)
        }
        guard let handle = unsafe handle else {
            throw LevelError(.unknown, "could not open the database at \(shownPath): LevelDB gave no reason")
        }
        return unsafe EngineDatabase(handle: handle, path: shownPath, options: options)
    }

    var options: EngineOptions { unsafe resources.takeUnretainedValue().options }

    private var path: String { unsafe resources.takeUnretainedValue().path }

    /// Closes the database. No call is allowed afterwards. The corresponding C function is `leveldb_close`.
    func close() {
        unsafe leveldb_close(handle)
        unsafe leveldb_writebatch_destroy(single)
        unsafe resources.release()
    }

    /// Returns the value of a key, or `nil` if LevelDB does not find the key. The corresponding C function is
    /// `leveldb_get`.
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

    /// Writes a pair. The caller serializes these writes.
    ///
    /// The corresponding C function is `leveldb_put`, which allocates and frees a batch each time. Here a single batch
    /// is reused, except for large pairs.
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

    /// Deletes a key. The caller serializes these writes. The corresponding C function is `leveldb_delete`; see
    /// ``put(_:_:synced:)``.
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

    /// Writes a batch atomically. The corresponding C function is `leveldb_write`.
    func write(_ batch: EngineBatch, synced isSynced: Bool) throws(LevelError) {
        let (_, error) = unsafe EngineErrorSlot.capture {
            unsafe leveldb_write(handle, isSynced ? synced : buffered, batch.handle, $0)
        }
        if let error { throw .engine(error, action: "write a batch to \(path)").locatedAnywhere(in: path) }
    }

    /// Returns a new iterator. The caller must destroy it before the database is closed. The corresponding C function
    /// is `leveldb_create_iterator`.
    func makeIterator(reading: OpaquePointer) -> EngineIterator {
        unsafe EngineIterator(handle: leveldb_create_iterator(handle, reading)!)
    }

    /// Returns the value of a property, or `nil` if LevelDB does not have it. The corresponding C function is
    /// `leveldb_property_value`.
    func property(_ name: String) -> String? {
        guard let text = unsafe leveldb_property_value(handle, name) else { return nil }
        defer { unsafe leveldb_free(text) }
        return unsafe String(cString: text)
    }

    /// Returns the bytes on disk between two keys, not counting entries in memory. The corresponding C function is
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

    /// Writes the memtable to a table file and starts a new log. Reports no error; the next write does.
    ///
    /// The corresponding C function is `leveldb_compact_range` with a range that contains only the empty key. It always
    /// writes the memtable, and has almost nothing else to compact.
    func flushMemoryTable() {
        compact(from: [], to: [])
    }

    /// Writes an empty batch, to receive a pending error of the background thread.
    func probe(synced: Bool) throws(LevelError) {
        try write(EngineBatch(), synced: synced)
    }

    /// Compacts the keys between two bounds; `nil` means unbounded. The corresponding C function is
    /// `leveldb_compact_range`, which reports no error.
    func compact(from lower: [UInt8]?, to upper: [UInt8]?) {
        // A pointer to an empty key differs from a null pointer: as an upper bound, the empty key includes nothing but
        // itself.
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

/// A byte at a valid address that is never read. An empty array may have no address.
private nonisolated(unsafe) let somewhere = UnsafeMutablePointer<CChar>.allocate(capacity: 1)

extension UnsafeBufferPointer where Element == UInt8 {
    /// The bytes for the C interface. NULL for an empty array, which the interface accepts.
    var cBase: UnsafePointer<CChar>? {
        unsafe UnsafeRawPointer(baseAddress)?.assumingMemoryBound(to: CChar.self)
    }

    /// The bytes for parameters of the C interface where NULL means "unbounded".
    var cBaseNonNull: UnsafePointer<CChar> {
        unsafe cBase ?? UnsafePointer(somewhere)
    }
}
