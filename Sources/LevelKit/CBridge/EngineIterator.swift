import CLevelDB

/// LevelDB's iterator. Its key and value are valid until the next move.
///
/// Reading at an invalid position aborts the process, so every reader checks ``isValid`` first.
@safe struct EngineIterator: @unchecked Sendable {
    // Unchecked: used by one thread at a time. ``Cursor`` ensures this by being neither copyable nor Sendable.
    private let handle: OpaquePointer

    init(handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    /// The corresponding C function is `leveldb_iter_destroy`.
    func destroy() { unsafe leveldb_iter_destroy(handle) }

    /// The corresponding C function is `leveldb_iter_valid`.
    var isValid: Bool { unsafe leveldb_iter_valid(handle) != 0 }

    /// The corresponding C function is `leveldb_iter_seek_to_first`.
    func seekToFirst() { unsafe leveldb_iter_seek_to_first(handle) }

    /// The corresponding C function is `leveldb_iter_seek_to_last`.
    func seekToLast() { unsafe leveldb_iter_seek_to_last(handle) }

    /// Moves to the first key that is not less than `key`. The corresponding C function is `leveldb_iter_seek`.
    func seek(_ key: Span<UInt8>) {
        unsafe key.withUnsafeBufferPointer { unsafe leveldb_iter_seek(handle, $0.cBase, $0.count) }
    }

    /// The corresponding C function is `leveldb_iter_next`.
    func next() { unsafe leveldb_iter_next(handle) }

    /// The corresponding C function is `leveldb_iter_prev`.
    func previous() { unsafe leveldb_iter_prev(handle) }

    /// The key at a valid position. The corresponding C function is `leveldb_iter_key`.
    var key: UnsafeBufferPointer<UInt8> {
        var count = 0
        let base = unsafe leveldb_iter_key(handle, &count)
        return unsafe UnsafeBufferPointer(
            start: UnsafeRawPointer(base)?.assumingMemoryBound(to: UInt8.self), count: count)
    }

    /// The value at a valid position. The corresponding C function is `leveldb_iter_value`.
    var value: UnsafeBufferPointer<UInt8> {
        var count = 0
        let base = unsafe leveldb_iter_value(handle, &count)
        return unsafe UnsafeBufferPointer(
            start: UnsafeRawPointer(base)?.assumingMemoryBound(to: UInt8.self), count: count)
    }

    /// Whether ``error`` is not `nil`, without creating a string. Called at every step.
    @inline(__always)
    var hasFailed: Bool {
        var text: UnsafeMutablePointer<CChar>? = nil
        unsafe leveldb_iter_get_error(handle, &text)
        guard let text = unsafe text else { return false }
        unsafe leveldb_free(text)
        return true
    }

    /// The error that the iterator encountered, if any. The corresponding C function is `leveldb_iter_get_error`.
    ///
    /// LevelDB skips a corrupt block and remains valid, so this must be checked after every move, not only at the end.
    var error: String? {
        unsafe EngineErrorSlot.capture { unsafe leveldb_iter_get_error(handle, $0) }.error
    }
}
