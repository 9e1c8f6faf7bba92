/// When pending words are written as a segment, and how merges keep up with commits.
struct TextMaintenanceLimits: Sendable {
    /// What a document lets merges write. More than a document costs in all levels together, so that merges keep up.
    var mergeBytesPerDocument = 8 << 10
    /// What a merge writes at a time.
    var sliceByteCount = 128 << 10
    /// Documents from which on a batch counts as part of a load, which flushes seldom.
    var loadDocumentCount = 256
    /// Words in memory at which a load flushes.
    var loadWordCount = 2 << 20
    /// Documents, written or deleted, and words in memory, at which others flush.
    var pendingDocumentCount: UInt32 = 8192
    var pendingWordCount = 1 << 20
    var mergePolicy = MergePolicy()
}
