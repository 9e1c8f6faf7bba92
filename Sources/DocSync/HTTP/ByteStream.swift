/// The bytes of a body as chunks of any size, produced on demand.
///
/// The reader determines the speed. A reader that stops early drops the iterator; the producer then closes what it has
/// open, for example the connection.
///
/// A stream can be read once, unless its producer says otherwise.
package struct ByteStream: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    /// The number of bytes of all chunks; `nil` if it is not known.
    package let byteCount: Int64?
    private let open: @Sendable () -> Iterator

    /// Creates a stream of the chunks of a sequence.
    package init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, byteCount: Int64? = nil)
    where Chunks.Element == [UInt8] {
        self.byteCount = byteCount
        open = {
            var iterator = chunks.makeAsyncIterator()
            return Iterator { try await iterator.next(isolation: #isolation) }
        }
    }

    /// Creates a stream of the chunks that a function returns, until it returns `nil`.
    package init(byteCount: Int64? = nil, next: @escaping @Sendable () async throws -> [UInt8]?) {
        self.byteCount = byteCount
        open = { Iterator { try await next() } }
    }

    /// Creates a stream of chunks that are in memory. It can be read several times.
    package init(_ chunks: [[UInt8]]) {
        byteCount = chunks.reduce(0) { $0 + Int64($1.count) }
        open = {
            var rest = chunks[...]
            return Iterator { rest.popFirst() }
        }
    }

    package func makeAsyncIterator() -> Iterator { open() }

    /// Reads the chunks of a stream.
    package struct Iterator: AsyncIteratorProtocol {
        private let pull: () async throws -> [UInt8]?

        fileprivate init(_ pull: @escaping () async throws -> [UInt8]?) { self.pull = pull }

        /// Returns the next chunk; `nil` at the end.
        ///
        /// - Throws: ``TransportError`` for bytes from a peer; other producers throw their own errors.
        package mutating func next() async throws -> [UInt8]? { try await pull() }
    }
}
