import CLevelDB

/// LevelDB's write batch: operations that take effect together or not at all.
@safe final class EngineBatch {
    let handle: OpaquePointer

    /// The corresponding C function is `leveldb_writebatch_create`.
    init() { unsafe handle = leveldb_writebatch_create()! }

    deinit { unsafe leveldb_writebatch_destroy(handle) }

    /// The corresponding C function is `leveldb_writebatch_put`.
    func put(_ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        unsafe leveldb_writebatch_put(handle, key.cBase, key.count, value.cBase, value.count)
    }

    /// The corresponding C function is `leveldb_writebatch_delete`.
    func delete(_ key: UnsafeBufferPointer<UInt8>) {
        unsafe leveldb_writebatch_delete(handle, key.cBase, key.count)
    }

    /// The corresponding C function is `leveldb_writebatch_clear`.
    func clear() { unsafe leveldb_writebatch_clear(handle) }

    /// The corresponding C function is `leveldb_writebatch_append`.
    func append(_ other: EngineBatch) { unsafe leveldb_writebatch_append(handle, other.handle) }
}
