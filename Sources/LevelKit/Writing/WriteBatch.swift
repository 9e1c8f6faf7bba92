/// Puts and deletions that are applied atomically, in order.
///
/// A batch may be filled, written, cleared and filled again. It is not Sendable, because LevelDB writes a sequence
/// number into it; only one thread may use it at a time.
public final class WriteBatch {
    let engine = EngineBatch()

    /// The number of operations in the batch.
    public var count: Int { engine.count }
    /// The bytes that the batch takes in memory and in the log.
    public var byteCount: Int { engine.byteCount }

    /// Creates an empty batch.
    public init() {}

    /// Adds a put.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`. The batch is then unchanged.
    public func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(LevelError) {
        try SizeLimit.check(keyByteCount: key.count, valueByteCount: value.count)
        try SizeLimit.check(batchByteCount: byteCount + key.count + value.count + EngineBatch.operationOverhead)
        engine.put(key, value)
    }

    /// Adds a put of bytes, a string or data under a key, which may be of a different type than the value.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`. The batch is then unchanged.
    @inlinable
    public func put(_ value: some ByteRepresentable, forKey key: some ByteRepresentable) throws(LevelError) {
        try value.withBytes { (value) throws(LevelError) in
            try key.withBytes { (key) throws(LevelError) in try put(value, forKey: key) }
        }
    }

    /// Adds a deletion.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`. The batch is then unchanged.
    public func delete(_ key: Span<UInt8>) throws(LevelError) {
        try SizeLimit.check(keyByteCount: key.count, valueByteCount: 0)
        try SizeLimit.check(batchByteCount: byteCount + key.count + EngineBatch.operationOverhead)
        engine.delete(key)
    }

    /// Adds a deletion.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`. The batch is then unchanged.
    @inlinable
    public func delete(_ key: some ByteRepresentable) throws(LevelError) {
        try key.withBytes { (key) throws(LevelError) in try delete(key) }
    }

    /// Adds the operations of another batch, in order.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`. The batch is then unchanged.
    public func append(_ other: WriteBatch) throws(LevelError) {
        try SizeLimit.check(batchByteCount: byteCount + other.byteCount)
        engine.append(other.engine)
    }

    /// Removes all operations.
    public func removeAll() {
        engine.clear()
    }
}

/// The sizes that LevelDB handles reliably.
///
/// Lengths on disk are 32 bits: a value of 4 GiB makes a batch that no open can read again. The limit of 1 GiB is far
/// below that, since the memtable, the log and the block each hold a copy.
enum SizeLimit {
    static let keyByteCount = 64 << 20
    static let batchByteCount = 1 << 30

    static func check(keyByteCount: Int, valueByteCount: Int) throws(LevelError) {
        guard keyByteCount <= Self.keyByteCount else {
            throw LevelError(
                .tooLarge,
                "the key has \(keyByteCount) bytes, more than the limit of \(Self.keyByteCount); store it as a value")
        }
        try check(batchByteCount: keyByteCount + valueByteCount + 23)
    }

    static func check(batchByteCount: Int) throws(LevelError) {
        guard batchByteCount <= Self.batchByteCount else {
            throw LevelError(
                .tooLarge,
                "a write of \(batchByteCount) bytes exceeds the limit of \(Self.batchByteCount); "
                    + "split it into several, or keep large data in a file")
        }
    }
}
