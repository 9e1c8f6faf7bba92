import CRawLevelDB

/// The raw C interface with the options that LevelKit uses: the limit of what a wrapper can reach.
final class RawDatabase {
    let handle: OpaquePointer
    private let options: OpaquePointer
    private let cache: OpaquePointer
    private let filter: OpaquePointer
    let reading: OpaquePointer
    let writing: OpaquePointer

    init(path: String, writeBufferByteCount: Int, cacheByteCount: Int) {
        options = leveldb_options_create()!
        leveldb_options_set_create_if_missing(options, 1)
        leveldb_options_set_paranoid_checks(options, 1)
        leveldb_options_set_write_buffer_size(options, writeBufferByteCount)
        leveldb_options_set_compression(options, Int32(leveldb_snappy_compression))
        cache = leveldb_cache_create_lru(cacheByteCount)!
        leveldb_options_set_cache(options, cache)
        filter = leveldb_filterpolicy_create_bloom(10)!
        leveldb_options_set_filter_policy(options, filter)
        reading = leveldb_readoptions_create()!
        leveldb_readoptions_set_verify_checksums(reading, 1)
        writing = leveldb_writeoptions_create()!
        var error: UnsafeMutablePointer<CChar>?
        handle = leveldb_open(options, path, &error)!
    }

    deinit {
        leveldb_close(handle)
        leveldb_cache_destroy(cache)
        leveldb_filterpolicy_destroy(filter)
    }

    func put(_ key: [UInt8], _ value: [UInt8]) {
        var error: UnsafeMutablePointer<CChar>?
        key.withUnsafeBytes { key in
            value.withUnsafeBytes { value in
                leveldb_put(
                    handle, writing, key.bindMemory(to: CChar.self).baseAddress, key.count,
                    value.bindMemory(to: CChar.self).baseAddress, value.count, &error)
            }
        }
        precondition(error == nil)
    }

    /// The bytes of the value in all, and 1; 0 if there is no such key.
    func get(_ key: [UInt8]) -> UInt64 {
        var error: UnsafeMutablePointer<CChar>?
        var count = 0
        let value = key.withUnsafeBytes {
            leveldb_get(handle, reading, $0.bindMemory(to: CChar.self).baseAddress, $0.count, &count, &error)
        }
        precondition(error == nil)
        guard let value else { return 0 }
        leveldb_free(value)
        return UInt64(count) + 1
    }

    /// Visits every pair, with the check for damage that a correct loop needs at each step.
    func scan(reverse: Bool, checksErrors: Bool) -> UInt64 {
        let iterator = leveldb_create_iterator(handle, reading)!
        defer { leveldb_iter_destroy(iterator) }
        var sum: UInt64 = 0
        var error: UnsafeMutablePointer<CChar>?
        if reverse { leveldb_iter_seek_to_last(iterator) } else { leveldb_iter_seek_to_first(iterator) }
        while leveldb_iter_valid(iterator) != 0 {
            if checksErrors { leveldb_iter_get_error(iterator, &error) }
            var keyCount = 0
            var valueCount = 0
            _ = leveldb_iter_key(iterator, &keyCount)
            _ = leveldb_iter_value(iterator, &valueCount)
            sum &+= UInt64(keyCount + valueCount)
            if reverse { leveldb_iter_prev(iterator) } else { leveldb_iter_next(iterator) }
        }
        leveldb_iter_get_error(iterator, &error)
        precondition(error == nil)
        return sum
    }

    func seek(_ keys: [[UInt8]]) -> UInt64 {
        let iterator = leveldb_create_iterator(handle, reading)!
        defer { leveldb_iter_destroy(iterator) }
        var sum: UInt64 = 0
        var error: UnsafeMutablePointer<CChar>?
        for key in keys {
            key.withUnsafeBytes {
                leveldb_iter_seek(iterator, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
            }
            leveldb_iter_get_error(iterator, &error)
            guard leveldb_iter_valid(iterator) != 0 else { continue }
            var count = 0
            _ = leveldb_iter_value(iterator, &count)
            sum &+= UInt64(count)
        }
        return sum
    }

    func write(_ pairs: ArraySlice<(key: [UInt8], value: [UInt8])>) {
        let batch = leveldb_writebatch_create()!
        defer { leveldb_writebatch_destroy(batch) }
        for (key, value) in pairs {
            key.withUnsafeBytes { key in
                value.withUnsafeBytes { value in
                    leveldb_writebatch_put(
                        batch, key.bindMemory(to: CChar.self).baseAddress, key.count,
                        value.bindMemory(to: CChar.self).baseAddress, value.count)
                }
            }
        }
        var error: UnsafeMutablePointer<CChar>?
        leveldb_write(handle, writing, batch, &error)
        precondition(error == nil)
    }

    func compact() { leveldb_compact_range(handle, nil, 0, nil, 0) }
}
