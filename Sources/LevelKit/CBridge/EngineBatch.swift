import CLevelDB

/// LevelDB's write batch: operations that are applied atomically.
@safe final class EngineBatch {
    let handle: OpaquePointer
    /// The number of operations, and the bytes that the batch takes in memory and in the log. LevelDB reports neither.
    /// Stored behind a pointer, because Swift would register each change of an object's property for exclusivity
    /// checking.
    private let sizes: UnsafeMutablePointer<Sizes>

    private struct Sizes {
        var count = 0
        /// The header: a sequence number and a count.
        var byteCount = 12
    }

    var count: Int { unsafe sizes.pointee.count }
    var byteCount: Int { unsafe sizes.pointee.byteCount }

    /// A tag and two lengths of at most five bytes each.
    static let operationOverhead = 11

    /// The corresponding C function is `leveldb_writebatch_create`.
    init() {
        unsafe handle = leveldb_writebatch_create()!
        unsafe sizes = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe sizes.initialize(to: Sizes())
    }

    deinit {
        unsafe leveldb_writebatch_destroy(handle)
        unsafe sizes.deallocate()
    }

    /// The corresponding C function is `leveldb_writebatch_put`.
    func put(_ key: Span<UInt8>, _ value: Span<UInt8>) {
        unsafe key.withUnsafeBufferPointer { key in
            unsafe value.withUnsafeBufferPointer { value in
                unsafe leveldb_writebatch_put(handle, key.cBase, key.count, value.cBase, value.count)
            }
        }
        unsafe sizes.pointee.count += 1
        unsafe sizes.pointee.byteCount += key.count + value.count + Self.operationOverhead
    }

    /// The corresponding C function is `leveldb_writebatch_delete`.
    func delete(_ key: Span<UInt8>) {
        unsafe key.withUnsafeBufferPointer { unsafe leveldb_writebatch_delete(handle, $0.cBase, $0.count) }
        unsafe sizes.pointee.count += 1
        unsafe sizes.pointee.byteCount += key.count + Self.operationOverhead
    }

    /// Calls `body` with the key of each operation, in order. The corresponding C function is
    /// `leveldb_writebatch_iterate`.
    func forEachKey(_ body: (Span<UInt8>) -> Void) {
        withoutActuallyEscaping(body) { body in
            let visitor = KeyVisitor(body)
            let state = unsafe Unmanaged.passUnretained(visitor).toOpaque()
            unsafe leveldb_writebatch_iterate(
                handle, state,
                { state, key, byteCount, _, _ in unsafe KeyVisitor.visit(state, key, byteCount) },
                { state, key, byteCount in unsafe KeyVisitor.visit(state, key, byteCount) })
            withExtendedLifetime(visitor) {}
        }
    }

    /// The corresponding C function is `leveldb_writebatch_clear`.
    func clear() {
        unsafe leveldb_writebatch_clear(handle)
        unsafe sizes.pointee = Sizes()
    }

    /// The corresponding C function is `leveldb_writebatch_append`.
    func append(_ other: EngineBatch) {
        let (count, byteCount) = (other.count, other.byteCount)
        unsafe leveldb_writebatch_append(handle, other.handle)
        unsafe sizes.pointee.count += count
        unsafe sizes.pointee.byteCount += byteCount - Sizes().byteCount
    }
}

/// The state that ``EngineBatch/forEachKey(_:)`` passes through C.
private final class KeyVisitor {
    private let body: (Span<UInt8>) -> Void

    init(_ body: @escaping (Span<UInt8>) -> Void) { self.body = body }

    static func visit(_ state: UnsafeMutableRawPointer?, _ key: UnsafePointer<CChar>?, _ byteCount: Int) {
        guard let state = unsafe state else { return }
        let visitor = unsafe Unmanaged<KeyVisitor>.fromOpaque(state).takeUnretainedValue()
        unsafe visitor.body(Span(_unsafeBytes: UnsafeRawBufferPointer(start: key, count: byteCount)))
    }
}
