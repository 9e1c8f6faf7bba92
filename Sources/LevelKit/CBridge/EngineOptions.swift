import CLevelDB

/// The C objects that an open database needs, which must outlive it.
///
/// LevelDB keeps raw pointers to the cache and the filter policy and uses them on its background thread. They are freed
/// only after `leveldb_close` has returned (`include/leveldb/c.h`, "destroy order").
@safe final class EngineOptions: @unchecked Sendable {
    // Unchecked: the pointers are set once in `init`, and LevelDB only reads through them.
    let options: OpaquePointer
    let reading: OpaquePointer
    let scanning: OpaquePointer
    let buffered: OpaquePointer
    let synced: OpaquePointer
    private let cache: OpaquePointer?
    private let filter: OpaquePointer?
    private let comparator: EngineComparator?
    let verifiesChecksums: Bool

    init(_ settings: DatabaseOptions) {
        unsafe options = leveldb_options_create()!
        unsafe leveldb_options_set_create_if_missing(options, settings.createIfMissing ? 1 : 0)
        unsafe leveldb_options_set_error_if_exists(options, settings.errorIfExists ? 1 : 0)
        unsafe leveldb_options_set_paranoid_checks(options, settings.integrity == .strict ? 1 : 0)
        unsafe leveldb_options_set_write_buffer_size(options, settings.writeBufferByteCount)
        unsafe leveldb_options_set_max_open_files(options, Int32(settings.maxOpenFileCount))
        unsafe leveldb_options_set_block_size(options, settings.blockByteCount)
        unsafe leveldb_options_set_max_file_size(options, settings.maxFileByteCount)
        unsafe leveldb_options_set_compression(
            options, Int32(settings.compression == .snappy ? leveldb_snappy_compression : leveldb_no_compression))
        // `leveldb_options_set_cache(options, NULL)` crashes, so a cache always exists. A cache of a single byte holds
        // nothing.
        let lru = unsafe leveldb_cache_create_lru(max(1, settings.cacheByteCount))
        unsafe leveldb_options_set_cache(options, lru)
        unsafe cache = lru
        if settings.bloomFilterBitsPerKey > 0 {
            let policy = unsafe leveldb_filterpolicy_create_bloom(Int32(settings.bloomFilterBitsPerKey))
            unsafe leveldb_options_set_filter_policy(options, policy)
            unsafe filter = policy
        } else {
            unsafe filter = nil
        }
        if case .custom(let compare) = settings.order.kind {
            comparator = EngineComparator(name: settings.order.name, compare: compare)
        } else {
            comparator = nil
        }
        if let comparator { unsafe leveldb_options_set_comparator(options, comparator.handle) }
        verifiesChecksums = settings.integrity == .strict
        unsafe reading = Self.makeReadOptions(verifiesChecksums: verifiesChecksums, fillsCache: true)
        unsafe scanning = Self.makeReadOptions(verifiesChecksums: verifiesChecksums, fillsCache: false)
        unsafe buffered = leveldb_writeoptions_create()!
        unsafe leveldb_writeoptions_set_sync(buffered, 0)
        unsafe synced = leveldb_writeoptions_create()!
        unsafe leveldb_writeoptions_set_sync(synced, 1)
    }

    deinit {
        unsafe leveldb_writeoptions_destroy(synced)
        unsafe leveldb_writeoptions_destroy(buffered)
        unsafe leveldb_readoptions_destroy(scanning)
        unsafe leveldb_readoptions_destroy(reading)
        unsafe leveldb_options_destroy(options)
        if let cache = unsafe cache { unsafe leveldb_cache_destroy(cache) }
        if let filter = unsafe filter { unsafe leveldb_filterpolicy_destroy(filter) }
    }

    /// Returns new read options. The caller destroys them with `leveldb_readoptions_destroy`.
    static func makeReadOptions(verifiesChecksums: Bool, fillsCache: Bool) -> OpaquePointer {
        let options = unsafe leveldb_readoptions_create()!
        unsafe leveldb_readoptions_set_verify_checksums(options, verifiesChecksums ? 1 : 0)
        unsafe leveldb_readoptions_set_fill_cache(options, fillsCache ? 1 : 0)
        return unsafe options
    }
}
