/// Puts and deletions that take effect together, in their order, or not at all.
///
/// A batch may be filled, written, cleared and filled again. It is used by one thread at a time and therefore not
/// Sendable: LevelDB writes a sequence number into it.
public final class WriteBatch {
    let engine = EngineBatch()

    /// Operations in the batch.
    public private(set) var count = 0
    /// Bytes that the batch takes in memory and in the log.
    public private(set) var byteCount = 12

    /// An empty batch.
    public init() {}

    /// Adds a put.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`; the batch is as before.
    public func put(_ value: [UInt8], forKey key: [UInt8]) throws(LevelError) {
        try SizeLimit.check(keyByteCount: key.count, valueByteCount: value.count)
        try add(key.count + value.count)
        unsafe key.withUnsafeBufferPointer { key in
            unsafe value.withUnsafeBufferPointer { value in unsafe engine.put(key, value) }
        }
    }

    /// Adds a put of a text under a text.
    public func put(_ value: String, forKey key: String) throws(LevelError) {
        try put(Array(value.utf8), forKey: Array(key.utf8))
    }

    /// Adds a deletion.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`; the batch is as before.
    public func delete(_ key: [UInt8]) throws(LevelError) {
        try SizeLimit.check(keyByteCount: key.count, valueByteCount: 0)
        try add(key.count)
        unsafe key.withUnsafeBufferPointer { key in unsafe engine.delete(key) }
    }

    /// Adds the deletion of a key that is a text.
    public func delete(_ key: String) throws(LevelError) {
        try delete(Array(key.utf8))
    }

    /// Adds the operations of another batch, in their order.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`; the batch is as before.
    public func append(_ other: WriteBatch) throws(LevelError) {
        try SizeLimit.check(batchByteCount: byteCount + other.byteCount)
        engine.append(other.engine)
        count += other.count
        byteCount += other.byteCount - 12
    }

    /// Empties the batch.
    public func removeAll() {
        engine.clear()
        count = 0
        byteCount = 12
    }

    private func add(_ payload: Int) throws(LevelError) {
        // A tag and two lengths of at most five bytes each.
        try SizeLimit.check(batchByteCount: byteCount + payload + 11)
        byteCount += payload + 11
        count += 1
    }
}

/// The sizes up to which LevelDB keeps its promises.
///
/// Lengths on disk are 32 bits: a value of 4 GiB makes a batch that no open can read again. A gibibyte is far below,
/// and the memory table, the log and the block each hold a copy.
enum SizeLimit {
    static let keyByteCount = 64 << 20
    static let batchByteCount = 1 << 30

    static func check(keyByteCount: Int, valueByteCount: Int) throws(LevelError) {
        guard keyByteCount <= Self.keyByteCount else {
            throw LevelError(
                .tooLarge, "the key has \(keyByteCount) bytes; keys end at \(Self.keyByteCount): store it as a value")
        }
        try check(batchByteCount: keyByteCount + valueByteCount + 23)
    }

    static func check(batchByteCount: Int) throws(LevelError) {
        guard batchByteCount <= Self.batchByteCount else {
            throw LevelError(
                .tooLarge,
                "a write of \(batchByteCount) bytes is over the limit of \(Self.batchByteCount); "
                    + "split it into several, or keep large data in a file")
        }
    }
}
