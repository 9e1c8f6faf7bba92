/// Writes the lines between the parts of a multipart message (RFC 2046).
package struct MultipartWriter: Sendable, Hashable {
    /// The boundary: 32 hexadecimal digits, random, so that no part contains it by chance.
    package let boundary: String

    /// Creates a writer with a new boundary.
    package init() {
        var random = SystemRandomNumberGenerator()
        self.init(using: &random)
    }

    /// Creates a writer with a new boundary from a source of random numbers.
    package init(using random: inout some RandomNumberGenerator) {
        let digits = (0..<2).map { _ in
            let digits = String(random.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
        boundary = digits.joined()
    }

    /// Returns the value of `Content-Type` for a kind of message, such as `related`.
    package func contentType(_ kind: String) -> String { "multipart/\(kind); boundary=\"\(boundary)\"" }

    /// Returns what stands before the content of a part.
    package func head(_ fields: HeaderFields, isFirst: Bool) -> [UInt8] {
        var text = isFirst ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n"
        for field in fields.fields { text += "\(field.name): \(field.value)\r\n" }
        text += "\r\n"
        return Array(text.utf8)
    }

    /// Returns what stands after the content of the last part.
    package func end(isEmpty: Bool = false) -> [UInt8] {
        Array((isEmpty ? "--\(boundary)--" : "\r\n--\(boundary)--").utf8)
    }
}

/// A multipart message that is sent. Its parts are produced while it is read.
package struct MultipartBody: Sendable {
    /// A part of the message.
    package struct Part: Sendable {
        package var fields: HeaderFields
        package var content: SyncBody

        package init(_ fields: HeaderFields, _ content: SyncBody) {
            self.fields = fields
            self.content = content
        }
    }

    /// The value of `Content-Type`.
    package let contentType: String
    /// The message. Its length is exact, and known if the lengths of all parts are. It can be read several times if
    /// all parts can.
    ///
    /// Reading it throws what reading a part throws, and a ``MessageError`` if a part is not as long as it stated,
    /// so that a message with a wrong length is never complete.
    package let body: SyncBody

    /// Creates a message.
    ///
    /// - Parameter kind: the kind of message, such as `related`.
    package init(_ kind: String, _ parts: [Part], writer: MultipartWriter = MultipartWriter()) {
        contentType = writer.contentType(kind)
        let heads = parts.enumerated().map { writer.head($0.element.fields, isFirst: $0.offset == 0) }
        let end = writer.end(isEmpty: parts.isEmpty)
        var byteCount: Int64? = Int64(end.count)
        for (part, head) in zip(parts, heads) {
            byteCount = byteCount.flatMap { count in part.content.byteCount.map { count + Int64(head.count) + $0 } }
        }
        let chunks = Chunks(contents: parts.map(\.content), heads: heads, end: end)
        body = .stream(ByteStream(chunks, byteCount: byteCount))
    }

    private struct Chunks: AsyncSequence, Sendable {
        typealias Element = [UInt8]
        let contents: [SyncBody]
        let heads: [[UInt8]]
        let end: [UInt8]

        func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

        struct Iterator: AsyncIteratorProtocol {
            let chunks: Chunks
            private var position = 0
            /// The content of the part before `position`, while it is read.
            private var content: ByteStream.Iterator?
            private var byteCount: Int64 = 0
            private var isAtEnd = false

            init(chunks: Chunks) { self.chunks = chunks }

            mutating func next() async throws -> [UInt8]? {
                if content != nil {
                    if let chunk = try await content?.next() {
                        byteCount += Int64(chunk.count)
                        try check(isComplete: false)
                        return chunk
                    }
                    try check(isComplete: true)
                    content = nil
                }
                if position < chunks.contents.count {
                    content = chunks.contents[position].chunks.makeAsyncIterator()
                    byteCount = 0
                    position += 1
                    return chunks.heads[position - 1]
                }
                if isAtEnd { return nil }
                isAtEnd = true
                return chunks.end
            }

            private func check(isComplete: Bool) throws {
                guard let stated = chunks.contents[position - 1].byteCount else { return }
                guard isComplete ? byteCount != stated : byteCount > stated else { return }
                throw MessageError(
                    .malformed,
                    "The content of part \(position) of a message has \(byteCount) bytes instead of \(stated); send it "
                        + "again.")
            }
        }
    }
}
