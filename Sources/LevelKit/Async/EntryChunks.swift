extension AsyncDatabase {
    /// The pairs of a key range as an asynchronous sequence of arrays; see ``AsyncDatabase/chunks(in:direction:count:)``.
    public struct Chunks: AsyncSequence, Sendable {
        /// A key and its value, both owned.
        public struct Entry: Sendable, Hashable {
            /// The key.
            public let key: [UInt8]
            /// The value.
            public let value: [UInt8]
        }

        let database: Database
        let range: KeyRange
        let direction: KeyDirection
        let count: Int

        /// Reads one chunk after another.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private var reader: ChunkReader<Entry>

            fileprivate init(_ chunks: Chunks) {
                reader = ChunkReader(count: chunks.count) {
                    try chunks.database.cursor(in: chunks.range, direction: chunks.direction, cache: .bypass)
                } entry: { (cursor) throws(LevelError) in
                    Entry(key: cursor.key.copied(), value: cursor.value.copied())
                }
            }

            /// Returns the next pairs, or `nil` at the end.
            ///
            /// - Throws: ``LevelError``; `CancellationError` if the task was canceled.
            public mutating func next() async throws -> [Entry]? { try await reader.next() }
        }

        /// Returns an iterator that starts at the first key of the range in the direction of travel.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
    }
}

/// Reads the entries of a cursor in chunks, on the queue for reads. The first chunk creates the cursor.
struct ChunkReader<Entry: Sendable> {
    private let count: Int
    private let open: @Sendable () throws -> Cursor
    private let entry: @Sendable (borrowing Cursor) throws(LevelError) -> Entry
    private var position: Position?

    /// Keeps the cursor between chunks.
    private final class Position: @unchecked Sendable {
        // Unchecked: an iterator requests one chunk at a time, so no two threads use the cursor at once.
        var cursor: Cursor

        init(_ cursor: consuming Cursor) { self.cursor = cursor }
    }

    /// - Parameters:
    ///   - count: the number of entries in a chunk.
    ///   - open: creates the cursor.
    ///   - entry: returns the entry at the position of the cursor.
    init(
        count: Int, open: @escaping @Sendable () throws -> Cursor,
        entry: @escaping @Sendable (borrowing Cursor) throws(LevelError) -> Entry
    ) {
        self.count = count
        self.open = open
        self.entry = entry
    }

    /// Returns the next entries, or `nil` at the end.
    mutating func next() async throws -> [Entry]? {
        let (count, open, entry, position) = (self.count, self.open, self.entry, self.position)
        let (chunk, next) = try await AsyncDatabase.read {
            let position = try position ?? Position(open())
            var chunk: [Entry] = []
            while chunk.count < count, try position.cursor.advance() { chunk.append(try entry(position.cursor)) }
            return (chunk, position)
        }
        self.position = next
        return chunk.isEmpty ? nil : chunk
    }
}
