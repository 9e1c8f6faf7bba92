import CLevelDB

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A value returned by LevelDB, in `malloc`ed memory that is freed with `leveldb_free`.
///
/// The memory has no other owner, so the value stays readable after the database is closed.
@safe struct EngineValue: ~Copyable {
    private let start: UnsafeMutablePointer<CChar>
    private let byteCount: Int

    /// Takes ownership of the result of a C function.
    init(start: UnsafeMutablePointer<CChar>, byteCount: Int) {
        unsafe self.start = unsafe start
        self.byteCount = byteCount
    }

    /// Copies bytes that LevelDB owns.
    init(copying bytes: UnsafeBufferPointer<UInt8>) {
        // At least one byte, because `malloc(0)` may return NULL.
        let copy = unsafe malloc(max(1, bytes.count))!.assumingMemoryBound(to: CChar.self)
        if let source = bytes.baseAddress { unsafe memcpy(copy, source, bytes.count) }
        unsafe self.init(start: copy, byteCount: bytes.count)
    }

    deinit {
        unsafe leveldb_free(start)
    }

    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: byteCount)
            return unsafe _overrideLifetime(Span(_unsafeBytes: bytes), borrowing: self)
        }
    }
}
