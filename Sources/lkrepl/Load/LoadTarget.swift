import DocIndex
import LevelKit

/// The destination of a load.
protocol LoadTarget: AnyObject {
    /// Processes the header of a dump.
    func begin(_ header: DumpHeader) throws
    /// Processes the schema of a dump of documents.
    func adopt(_ schema: Schema) throws
    /// Takes a part of the content of an attachment, which is stored with its last part.
    func add(_ part: ContentPart) throws
    /// Removes the attachments that were added and that no stored document refers to; returns their number.
    func removeSuperfluousContents() throws -> Int
    /// Notes that the content of an attachment in the input is damaged; no more parts of it follow.
    func lose(_ digest: Attachment.Digest, _ fault: RecordError)
    /// Removes what the mode `replace` replaces.
    ///
    /// - Parameter step: Called with the number of removed records; an error that it throws stops the removal between
    ///   two batches.
    /// - Returns: The number of removed records.
    func clear(_ step: (_ removed: Int) throws -> Void) throws -> Int
    /// Stores a batch. Each record is stored completely or, if rejected, not at all.
    func store(_ batch: LoadBatch) throws -> LoadOutcome
    /// The marker of an interrupted load; `nil` if there is none.
    func marker() throws -> ResumePoint?
    /// Whether the marker is written atomically with the records, so that a load with the mode `insert` can be resumed.
    var resumesInserts: Bool { get }
    /// Makes stored records survive a loss of power.
    func synchronize() throws
    /// The current number of records; `nil` if it cannot differ from the number of stored records.
    func count() throws -> Int?
}

extension LoadTarget {
    func removeSuperfluousContents() throws -> Int { 0 }

    func lose(_ digest: Attachment.Digest, _ fault: RecordError) {}

    func add(_ part: ContentPart) throws {
        throw RecordError(.type, "the record is an attachment, but the database is not a document store").final
    }
}

/// A record to be stored.
struct LoadItem {
    var change: InputChange
    /// The position of the record in the input, from 1.
    var ordinal: Int
    var place: RecordPlace
}

/// Records to be stored together.
struct LoadBatch {
    var items: [LoadItem]
    /// Whether a rejected record ends the load, so that no later record is stored.
    var stopsAtReject: Bool
    /// Whether this is the last batch, so that the marker is no longer needed.
    var isLast: Bool
    var durability: Durability
    /// The marker after the first `itemCount` items; `nil` if no markers are kept.
    var marker: (_ itemCount: Int) -> ResumePoint?
}

/// The result of storing a batch.
struct LoadOutcome {
    var summary = LoadSummary()
    /// Records that could not be stored, in order.
    var rejects: [(item: LoadItem, fault: RecordError)] = []
}
