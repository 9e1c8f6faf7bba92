/// Limits that determine when pending words are flushed to a segment, and how merges keep up with commits.
///
/// The defaults suit catalogs of any size. Smaller values use less memory and read fewer documents when a store is
/// opened, but write more.
package struct TextMaintenanceLimits: Sendable, Hashable {
    /// The number of stored or deleted documents after which pending words are flushed.
    package var pendingDocumentCount = 8192
    /// The number of words in memory after which pending words are flushed.
    package var pendingWordCount = 1 << 20
    /// The minimum size of a batch that counts as part of a load, in documents. Loads write larger segments.
    package var loadDocumentCount = 256
    /// The number of words in memory after which a load flushes them; each document counts as eight more. A word takes
    /// about four bytes of memory.
    package var loadWordCount = 8 << 20
    /// The number of bytes of a segment that a commit writes during a flush, once for itself and once for each of its
    /// documents.
    package var flushSliceByteCount = 8 << 10
    /// The number of bytes that merges may write for each stored document. It exceeds the cost of a document in all
    /// levels, so that merges keep up.
    package var mergeBytesPerDocument = 8 << 10
    /// The number of bytes that a merge writes at a time.
    package var mergeSliceByteCount = 64 << 10
    /// The number of adjacent segments of a level that are merged into one of the next.
    package var mergeFactor = 8
    /// The minimum number of documents of a segment of the second level; each further level is larger by
    /// ``mergeFactor``.
    package var smallLevelDocumentCount = 16384

    /// The defaults.
    package init() {}

    var mergePolicy: MergePolicy {
        // A factor of 1 would merge forever.
        MergePolicy(levelFactor: max(2, mergeFactor), baseDocumentCount: max(1, smallLevelDocumentCount))
    }
}
