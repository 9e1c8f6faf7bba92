/// The operations of a keyspace for code that must not block its thread; see ``AsyncDatabase``.
///
/// ```swift
/// let ratings = try database.keyspace("ratings", key: String.self, value: .json(Rating.self)).asynchronous
///
/// try await ratings.put(Rating(stars: 5), forKey: "IMG_0231")
/// for try await chunk in ratings.chunks(in: .range(.startingWith("IMG_02"))) {
///     for (id, rating) in chunk { … }
/// }
/// ```
///
/// Values are encoded and decoded on the queues as well.
public struct AsyncKeyspace<Key: Sendable, Value: Sendable>: Sendable {
    /// The keyspace.
    public let keyspace: Keyspace<Key, Value>

    /// Returns the value of a key, or `nil` if the key does not exist.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`; `CancellationError` if the task was
    ///   canceled before.
    public func value(forKey key: Key) async throws -> Value? {
        try await AsyncDatabase.read { [keyspace] in try keyspace.value(forKey: key) }
    }

    /// Returns whether a key exists. The value is not decoded.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`; `CancellationError` if the task was canceled before.
    public func contains(_ key: Key) async throws -> Bool {
        try await AsyncDatabase.read { [keyspace] in try keyspace.contains(key) }
    }

    /// Returns the entry with the first key of a range, in key order, or `nil` if the range is empty.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`; `CancellationError` if the task was
    ///   canceled before.
    public func first(in range: TypedKeyRange<Key> = .all) async throws -> (key: Key, value: Value)? {
        try await AsyncDatabase.read { [keyspace] in try keyspace.first(in: range) }
    }

    /// Returns the entry with the last key of a range, in key order, or `nil` if the range is empty.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`; `CancellationError` if the task was
    ///   canceled before.
    public func last(in range: TypedKeyRange<Key> = .all) async throws -> (key: Key, value: Value)? {
        try await AsyncDatabase.read { [keyspace] in try keyspace.last(in: range) }
    }

    /// Returns the number of keys in a range. Neither keys nor values are decoded.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`; `CancellationError` if the task was canceled before.
    /// - Complexity: O(*n*) in the number of keys in the range.
    public func count(in range: TypedKeyRange<Key> = .all) async throws -> Int {
        try await AsyncDatabase.read { [keyspace] in try keyspace.count(in: range) }
    }

    /// Stores a value under a key, replacing any existing value.
    ///
    /// - Throws: ``LevelError``: `invalidArgument` if the codec cannot encode the value; `tooLarge`, `io`, `closed`;
    ///   `CancellationError` if the task was canceled before the write. Nothing is written then.
    public func put(_ value: Value, forKey key: Key, durability: Durability = .buffered) async throws {
        try await AsyncDatabase.write { [keyspace] in try keyspace.put(value, forKey: key, durability: durability) }
    }

    /// Deletes a key and its value. A missing key is not an error.
    ///
    /// - Throws: ``LevelError``: `io`, `closed`; `CancellationError` if the task was canceled before the write.
    public func delete(_ key: Key, durability: Durability = .buffered) async throws {
        try await AsyncDatabase.write { [keyspace] in try keyspace.delete(key, durability: durability) }
    }

    /// Deletes all keys in a range, in batches of bounded size. Not atomic; see
    /// ``Database/deleteRange(_:batchByteCount:durability:)``. Other asynchronous writes wait until it has ended.
    ///
    /// - Returns: the number of deleted keys.
    /// - Complexity: O(*n*) in the number of keys in the range.
    @discardableResult
    public func deleteRange(_ range: TypedKeyRange<Key>, durability: Durability = .buffered) async throws -> Int {
        try await AsyncDatabase.write { [keyspace] in try keyspace.deleteRange(range, durability: durability) }
    }

    /// Returns the entries of a range in chunks, all from the state at the first chunk.
    ///
    /// - Parameters:
    ///   - range: the keys to read.
    ///   - direction: the order of the entries.
    ///   - count: the number of entries in a chunk, at least 1. The last chunk may have fewer. Cancellation takes effect
    ///     between chunks.
    public func chunks(
        in range: TypedKeyRange<Key> = .all, direction: KeyDirection = .ascending, count: Int = 256
    ) -> Chunks {
        precondition(count >= 1, "a chunk has at least one entry")
        return Chunks(keyspace: keyspace, range: range, direction: direction, count: count)
    }
}

extension AsyncKeyspace where Value == Void {
    /// Stores a key without a value.
    ///
    /// - Throws: ``LevelError``: `tooLarge`, `io`, `closed`; `CancellationError` if the task was canceled before the
    ///   write. Nothing is written then.
    public func insert(_ key: Key, durability: Durability = .buffered) async throws {
        try await put((), forKey: key, durability: durability)
    }
}

extension AsyncKeyspace {
    /// The entries of a key range as an asynchronous sequence of arrays; see
    /// ``AsyncKeyspace/chunks(in:direction:count:)``.
    public struct Chunks: AsyncSequence, Sendable {
        /// A key and its value.
        public typealias Entry = (key: Key, value: Value)

        let keyspace: Keyspace<Key, Value>
        let range: TypedKeyRange<Key>
        let direction: KeyDirection
        let count: Int

        /// Reads one chunk after another.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private var reader: ChunkReader<Entry>

            fileprivate init(_ chunks: Chunks) {
                let layout = chunks.keyspace.view.layout
                reader = ChunkReader(count: chunks.count) {
                    try chunks.keyspace.database.cursor(
                        in: chunks.keyspace.keyRange(chunks.range), direction: chunks.direction, cache: .bypass)
                } entry: { (cursor) throws(LevelError) in
                    (try layout.key(cursor.key), try layout.value(cursor.value))
                }
            }

            /// Returns the next entries, or `nil` at the end.
            ///
            /// - Throws: ``LevelError``: `malformedEntry` if an entry of the chunk cannot be decoded, `corruption`, `io`,
            ///   `closed`; `CancellationError` if the task was canceled.
            public mutating func next() async throws -> [Entry]? { try await reader.next() }
        }

        /// Returns an iterator that starts at the first key of the range in the direction of travel.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
    }
}

extension Keyspace where Value: Sendable {
    /// The operations of this keyspace for code that must not block its thread.
    public var asynchronous: AsyncKeyspace<Key, Value> { AsyncKeyspace(keyspace: self) }
}
