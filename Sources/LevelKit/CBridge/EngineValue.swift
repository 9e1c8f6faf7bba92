import CLevelDB

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A value that the engine has handed over, in memory of `malloc` that is freed with `leveldb_free`.
///
/// It belongs to nobody else, so it may be read while and after the database is closed.
@safe struct EngineValue: ~Copyable {
    private let start: UnsafeMutablePointer<CChar>
    private let byteCount: Int

    /// Takes over what a function of the C interface has returned.
    init(start: UnsafeMutablePointer<CChar>, byteCount: Int) {
        unsafe self.start = unsafe start
        self.byteCount = byteCount
    }

    /// A copy of bytes that are the engine's.
    init(copying bytes: UnsafeBufferPointer<UInt8>) {
        // One byte at least, since the result for none may be NULL.
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
