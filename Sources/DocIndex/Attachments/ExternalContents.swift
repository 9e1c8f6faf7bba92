/// Where the contents of attachments are, if they are not in the store: in a package.
package protocol ExternalContents: Sendable {
    /// The name of the container of the attachments, for messages.
    var name: String { get }

    /// Returns the size of an attachment in bytes; `nil` if it is not there.
    func byteCount(of digest: Attachment.Digest) -> Int64?

    /// Reads bytes of an attachment that is there. Fewer bytes than requested count as damage.
    func read(_ digest: Attachment.Digest, in range: Range<Int64>) throws -> [UInt8]

    /// Calls `body` with a whole attachment mapped into memory. Its digest is not checked.
    ///
    /// - Returns: `nil` if the content is not there.
    func withMapping<R>(of digest: Attachment.Digest, _ body: (RawSpan) throws -> R) throws -> R?

    /// Returns a rendition of an attachment, whether the content itself is there or not; `nil` if there is none.
    ///
    /// - Parameter specification: the name of its specification.
    func rendition(of digest: Attachment.Digest, named specification: String) throws -> [UInt8]?
}
