/// The parts of a multipart message that arrives as a stream.
///
/// A part is read where it arrives: first ``next()``, then ``piece()`` until it returns `nil`.
package final class MultipartStream {
    private var reader: MultipartReader
    private var chunks: ByteStream.Iterator
    private var isAtEnd = false
    /// A step that was read but not returned.
    private var pending: MultipartReader.Part?
    /// The number of parts that have begun and not ended: 1 in a part, 2 in a part of a document in a `multipart/mixed`
    /// message.
    package private(set) var depth = 0

    /// Creates a stream of the parts of a message; see ``MultipartReader/init(_:of:)``.
    package init(_ type: MediaType, _ body: ByteStream, of what: String) throws(MessageError) {
        reader = try MultipartReader(type, of: what)
        chunks = body.makeAsyncIterator()
    }

    /// Returns the next step; `nil` at the end of the message, which is then read to the last byte.
    ///
    /// - Throws: ``MessageError``; what the stream throws.
    package func step() async throws -> MultipartReader.Part? {
        let part = try await readStep()
        switch part {
        case .head: depth += 1
        case .end: depth -= 1
        case .body, nil: break
        }
        return part
    }

    private func readStep() async throws -> MultipartReader.Part? {
        if let part = pending {
            pending = nil
            return part
        }
        while true {
            if let part = try reader.next() { return part }
            if isAtEnd { return nil }
            if let chunk = try await chunks.next() {
                reader.append(chunk)
            } else {
                isAtEnd = true
                reader.finish()
            }
        }
    }

    /// Returns the header fields of the next part; `nil` after the last one. Skips the unread bytes of the previous
    /// part.
    ///
    /// - Parameter container: the depth of the part whose parts are returned; 0 for all parts of the message.
    /// - Throws: like ``step()``.
    package func next(within container: Int = 0) async throws -> HeaderFields? {
        while let part = try await step() {
            if case .head(let fields) = part { return fields }
            if depth < container { return nil }
        }
        return nil
    }

    /// Returns the next piece of the content of the current part; `nil` at its end, and where a part of it begins.
    ///
    /// - Throws: like ``step()``.
    package func piece() async throws -> [UInt8]? {
        guard depth > 0, let part = try await readStep() else { return nil }
        if case .body(let piece) = part { return piece }
        pending = part
        return nil
    }

    /// Returns the rest of the content of the current part.
    ///
    /// - Throws: ``MessageError`` with the code `tooLarge` if it has more than `limit` bytes; like ``step()``.
    package func content(limit: Int) async throws -> [UInt8] {
        var content: [UInt8] = []
        while let piece = try await piece() {
            guard piece.count <= limit - content.count else {
                throw MessageError(.tooLarge, "A part of a message is larger than \(limit) bytes; raise the limit.")
            }
            content += piece
        }
        return content
    }
}
