internal import Dispatch

/// The operations of a database for code that must not block its thread.
///
/// LevelDB's calls block: a read waits for the disk, and a write occasionally waits for a compaction. Here they run on
/// separate queues, writes one after another, while the caller is suspended. Both forms may be mixed.
///
/// ```swift
/// let value = try await database.asynchronous.value(forKey: key)
/// for try await chunk in database.asynchronous.chunks(in: .all) { … }
/// ```
public struct AsyncDatabase: Sendable {
    /// The database.
    public let database: Database

    private static let reads = DispatchQueue(label: "LevelKit.reads", attributes: .concurrent)
    private static let writes = DispatchQueue(label: "LevelKit.writes")

    /// Returns the value of a key, or `nil` if the key does not exist.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`; `CancellationError` if the task was canceled before.
    public func value(forKey key: some ByteRepresentable) async throws -> [UInt8]? {
        try await Self.read { [database] in try database.value(forKey: key) }
    }

    /// Returns the value of a key as a string or data, or `nil` if the key does not exist.
    ///
    /// - Throws: ``LevelError``: `malformedEntry` if the value is not of that type, `corruption`, `io`, `closed`;
    ///   `CancellationError` if the task was canceled before.
    public func value<Value: ByteRepresentable>(
        forKey key: some ByteRepresentable, as type: Value.Type
    ) async throws -> Value? {
        try await Self.read { [database] in try database.value(forKey: key, as: Value.self) }
    }

    /// Returns whether a key exists.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`; `CancellationError` if the task was canceled before.
    public func contains(_ key: some ByteRepresentable) async throws -> Bool {
        try await Self.read { [database] in try database.contains(key) }
    }

    /// Stores bytes, a string or data under a key.
    ///
    /// - Throws: ``LevelError``; `CancellationError` if the task was canceled before the write. Nothing is written
    ///   then.
    public func put(
        _ value: some ByteRepresentable, forKey key: some ByteRepresentable, durability: Durability = .buffered
    ) async throws {
        try await Self.write { [database] in
            try database.put(value, forKey: key, durability: durability)
        }
    }

    /// Deletes a key and its value. A missing key is not an error.
    ///
    /// - Throws: ``LevelError``; `CancellationError` if the task was canceled before the write.
    public func delete(_ key: some ByteRepresentable, durability: Durability = .buffered) async throws {
        try await Self.write { [database] in try database.delete(key, durability: durability) }
    }

    /// Passes a new batch to `body` and writes it atomically; see ``Database/write(durability:_:)``.
    public func write<R: Sendable>(
        durability: Durability = .buffered, _ body: @escaping @Sendable (WriteBatch) throws -> R
    ) async throws -> R {
        try await Self.write { [database] in try database.write(durability: durability, body) }
    }

    /// Returns the pairs of a range in chunks, all from the state at the first chunk.
    ///
    /// - Parameters:
    ///   - range: the keys to read.
    ///   - direction: the order of the pairs.
    ///   - count: the number of pairs in a chunk, at least 1. The last chunk may have fewer. Cancellation takes effect
    ///     between chunks.
    public func chunks(in range: KeyRange = .all, direction: KeyDirection = .ascending, count: Int = 256)
        -> AsyncDatabase.Chunks
    {
        precondition(count >= 1, "a chunk has at least one entry")
        return AsyncDatabase.Chunks(database: database, range: range, direction: direction, count: count)
    }

    /// Runs `body` on a queue and waits for it without blocking a thread.
    private static func run<R: Sendable>(
        on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    static func read<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await run(on: reads, body)
    }

    static func write<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await run(on: writes, body)
    }
}

extension Database {
    /// The operations of this database for code that must not block its thread.
    public var asynchronous: AsyncDatabase { AsyncDatabase(database: self) }
}
