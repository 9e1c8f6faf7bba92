/// Where the contents of attachments are, if they are not in the store: in a package.
package protocol ExternalContents: Sendable {
    /// What contains the contents, for messages.
    var name: String { get }

    /// Returns the size of a content in bytes; `nil` if it is not there.
    func byteCount(of digest: Attachment.Digest) -> Int64?

    /// Reads bytes of a content that is there. Fewer bytes than requested count as damage.
    func read(_ digest: Attachment.Digest, in range: Range<Int64>) throws -> [UInt8]

    /// Returns a rendition of a content, whether the content itself is there or not; `nil` if there is none.
    ///
    /// - Parameter specification: the name of its specification.
    func rendition(of digest: Attachment.Digest, named specification: String) throws -> [UInt8]?
}
