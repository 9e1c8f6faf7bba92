import CLevelDB
import Testing

@testable import LevelKit

/// LevelDB as other programs use it, with its own snapshots.
enum RawEngine {
    /// Options under which compactions split the versions of a key.
    static var options: DatabaseOptions {
        var options = DatabaseOptions()
        options.compression = .none
        options.maxFileByteCount = 1 << 20
        options.writeBufferByteCount = 64 << 20
        return options
    }

    /// Creates a database in which versions of one key lie in two files of a level.
    static func makeSplitDatabase(
        at path: String, keys: [[UInt8]], value: [UInt8], change: SplitKeysTests.Change
    ) throws {
        var options = Self.options
        options.createIfMissing = true
        let resources = EngineOptions(options)
        let (handle, error) = unsafe EngineErrorSlot.capture { unsafe leveldb_open(resources.options, path, $0) }
        try #require(error == nil)
        let database = try unsafe #require(handle)
        defer { unsafe leveldb_close(database) }
        for key in keys { try unsafe write(value, key, to: database, resources) }
        unsafe leveldb_compact_range(database, nil, 0, nil, 0)
        let snapshot = unsafe leveldb_create_snapshot(database)
        for key in keys {
            try unsafe write(change == .deletion ? nil : [8], key, to: database, resources)
        }
        unsafe leveldb_compact_range(database, nil, 0, nil, 0)
        unsafe leveldb_release_snapshot(database, snapshot)
    }

    private static func write(
        _ value: [UInt8]?, _ key: [UInt8], to database: OpaquePointer, _ resources: EngineOptions
    ) throws {
        let error = unsafe key.withUnsafeBufferPointer { key in
            unsafe (value ?? []).withUnsafeBufferPointer { bytes in
                unsafe EngineErrorSlot.capture {
                    if value == nil {
                        unsafe leveldb_delete(database, resources.buffered, key.cBase, key.count, $0)
                    } else {
                        unsafe leveldb_put(
                            database, resources.buffered, key.cBase, key.count, bytes.cBase, bytes.count, $0)
                    }
                }.error
            }
        }
        try #require(error == nil)
    }
}
