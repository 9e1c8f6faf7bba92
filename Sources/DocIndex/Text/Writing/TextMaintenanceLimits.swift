/// When pending words are written as a segment, and how merges keep up with commits.
///
/// The defaults suit catalogues of any size. Smaller numbers keep less in memory and read fewer documents when a store is
/// opened, and write more.
public struct TextMaintenanceLimits: Sendable, Hashable {
    /// Documents, written or deleted, at which pending words are written as a segment.
    public var pendingDocumentCount = 8192
    /// Words in memory at which they are.
    public var pendingWordCount = 1 << 20
    /// Documents from which on a batch counts as part of a load, which writes larger segments.
    public var loadDocumentCount = 256
    /// Words in memory at which a load writes a segment; a document counts as eight more. Each takes 16 bytes until then.
    public var loadWordCount = 8 << 20
    /// What a commit writes of a segment that is due, for itself and for each of its documents.
    public var flushSliceByteCount = 8 << 10
    /// What a document lets merges write. More than a document costs in all levels together, so that merges keep up.
    public var mergeBytesPerDocument = 8 << 10
    /// What a merge writes at a time.
    public var mergeSliceByteCount = 64 << 10
    /// How many neighbouring segments of a level become one of the next.
    public var mergeFactor = 8
    /// Documents of a segment of the second level; each further level has as many times more as ``mergeFactor`` says.
    public var smallLevelDocumentCount = 16384

    /// The defaults.
    public init() {}

    var mergePolicy: MergePolicy {
        // One would merge for ever.
        MergePolicy(levelFactor: max(2, mergeFactor), baseDocumentCount: max(1, smallLevelDocumentCount))
    }
}
