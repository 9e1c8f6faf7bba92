/// Splits a multipart message (RFC 2046) into its parts while it arrives in chunks of any size.
///
/// The content of parts is passed on in pieces and never kept. Text before the first boundary and after the last one is
/// ignored. Lines end with CR and LF, as all known peers write them. A part ends at the next boundary; if it states a
/// `Content-Length`, that must be its length. It is a state machine and performs no I/O.
///
/// In a `multipart/mixed` message, a part of the type `multipart/related` is a document with its attachments, whose
/// parts are returned between the head and the end of the outer part. Other parts can have any type, also a multipart
/// one: they are attachments.
package struct MultipartReader: Sendable {
    /// A step through the message.
    package enum Part: Sendable, Hashable {
        /// A part begins.
        case head(HeaderFields)
        /// The next piece of the content of a part. Never empty.
        case body([UInt8])
        /// A part ends.
        case end
    }

    private let what: String
    private let hasDocuments: Bool
    private var outer: BoundaryReader
    /// Reads the content of an outer part that consists of parts.
    private var inner: BoundaryReader?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - type: the value of `Content-Type`.
    ///   - what: the message in messages of errors, such as "the answer of open_revs".
    /// - Throws: ``MessageError`` with `malformed` if the type is not multipart or has no usable boundary.
    package init(_ type: MediaType, of what: String) throws(MessageError) {
        self.what = what
        hasDocuments = type.name == "multipart/mixed"
        outer = try BoundaryReader(type, of: what)
    }

    /// The number of bytes in memory.
    package var bufferedByteCount: Int { outer.bufferedByteCount + (inner?.bufferedByteCount ?? 0) }

    /// Adds the next chunk. Call ``next()`` until it returns `nil` before.
    package mutating func append(_ chunk: [UInt8]) { outer.append(chunk) }

    /// Marks the message as complete, so that ``next()`` reports what is missing.
    package mutating func finish() { outer.finish() }

    /// Returns the next step; `nil` if more input is needed or the message has ended.
    ///
    /// - Throws: ``MessageError``, after all steps before the error have been returned. Later calls throw it again.
    /// - Complexity: O(*n*) in the length of the piece.
    package mutating func next() throws(MessageError) -> Part? {
        while true {
            if let part = try inner?.next() { return part }
            guard let part = try outer.next() else { return nil }
            switch part {
            case .head(let fields):
                let type = MediaType(fields["Content-Type"] ?? "")
                if hasDocuments, type.name == "multipart/related" {
                    inner = try BoundaryReader(type, of: "a document in \(what)")
                }
                return part
            case .body(let piece):
                if inner == nil { return part }
                inner?.append(piece)
            case .end:
                inner?.finish()
                // Throws if the inner message is incomplete.
                _ = try inner?.next()
                inner = nil
                return part
            }
        }
    }
}
