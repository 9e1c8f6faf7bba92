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
            private let chunks: AsyncDatabase.Chunks
            private var reader: ChunkReader?

            init(_ chunks: AsyncDatabase.Chunks) { self.chunks = chunks }

            /// Returns the next pairs, or `nil` at the end.
            ///
            /// - Throws: ``LevelError``; `CancellationError` if the task was cancelled.
            public mutating func next() async throws -> [Entry]? {
                let chunks = self.chunks
                let reader = try await existingReader()
                return try await AsyncDatabase.read { try reader.next(chunks.count) }
            }

            private mutating func existingReader() async throws -> ChunkReader {
                if let reader { return reader }
                let chunks = self.chunks
                let reader = try await AsyncDatabase.read {
                    ChunkReader(
                        try chunks.database.cursor(in: chunks.range, direction: chunks.direction, cache: .bypass))
                }
                self.reader = reader
                return reader
            }
        }

        /// Returns an iterator that starts at the first key of the range in the direction of travel.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
    }
}

/// Keeps the cursor between chunks.
final class ChunkReader: @unchecked Sendable {
    // Unchecked: an iterator requests one chunk at a time, so no two threads use the cursor at once.
    private var cursor: Cursor

    init(_ cursor: consuming Cursor) { self.cursor = cursor }

    func next(_ count: Int) throws(LevelError) -> [AsyncDatabase.Chunks.Entry]? {
        var entries: [AsyncDatabase.Chunks.Entry] = []
        while entries.count < count, try cursor.advance() {
            entries.append(AsyncDatabase.Chunks.Entry(key: cursor.key.copied(), value: cursor.value.copied()))
        }
        return entries.isEmpty ? nil : entries
    }
}
