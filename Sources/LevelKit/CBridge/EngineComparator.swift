import CLevelDB

/// LevelDB's comparator object for a custom key order.
///
/// The three functions are called on any thread, including LevelDB's background thread. They cannot fail.
@safe final class EngineComparator {
    let handle: OpaquePointer

    /// The state passed to the C functions. LevelDB keeps it alive and calls the destructor once.
    @safe private final class State {
        let compare: @Sendable (Span<UInt8>, Span<UInt8>) -> Int
        let name: UnsafeMutablePointer<CChar>

        init(_ compare: @escaping @Sendable (Span<UInt8>, Span<UInt8>) -> Int, name: String) {
            self.compare = compare
            let bytes = Array(name.utf8CString)
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            for (index, byte) in bytes.enumerated() { unsafe copy[index] = byte }
            unsafe self.name = copy
        }

        deinit { unsafe name.deallocate() }
    }

    /// The corresponding C function is `leveldb_comparator_create`.
    init(name: String, compare: @escaping @Sendable (Span<UInt8>, Span<UInt8>) -> Int) {
        let state = unsafe Unmanaged.passRetained(State(compare, name: name)).toOpaque()
        unsafe handle = leveldb_comparator_create(
            state,
            { unsafe Unmanaged<State>.fromOpaque($0!).release() },
            { state, a, aCount, b, bCount in
                let state = unsafe Unmanaged<State>.fromOpaque(state!).takeUnretainedValue()
                let left = unsafe UnsafeRawBufferPointer(start: a, count: aCount)
                let right = unsafe UnsafeRawBufferPointer(start: b, count: bCount)
                return Int32(clamping: unsafe state.compare(Span(_unsafeBytes: left), Span(_unsafeBytes: right)))
            },
            { unsafe UnsafePointer(Unmanaged<State>.fromOpaque($0!).takeUnretainedValue().name) }
        )!
    }

    deinit { unsafe leveldb_comparator_destroy(handle) }
}
