import DocIndex
import LevelKit

/// Where a load stores its records.
protocol LoadTarget: AnyObject {
    /// Takes what a dump says of itself.
    func begin(_ header: DumpHeader) throws
    /// Takes the schema that the documents of a dump were stored by.
    func adopt(_ schema: Schema) throws
    /// Removes what the mode `replace` replaces.
    ///
    /// - Parameter step: told how many records are removed so far; what it throws ends the removal between two batches.
    /// - Returns: how many records were removed.
    func clear(_ step: (_ removed: Int) throws -> Void) throws -> Int
    /// Stores a batch, each of its records or, if that one is rejected, none.
    func store(_ batch: LoadBatch) throws -> LoadOutcome
    /// The marker that a load which did not come to its end has left; `nil` if there is none.
    func marker() throws -> LoadMarker?
    /// Whether the marker is in the batch of the records, so that a load that only inserts can go on behind it.
    var resumesInserts: Bool { get }
    /// Makes what was stored survive the loss of power.
    func synchronize() throws
    /// How many records there are now; `nil` if it cannot differ from those that were stored.
    func count() throws -> Int?
}

/// A record on its way into a database.
struct LoadItem {
    var change: InputChange
    /// How many records of the input came up to this one, itself included.
    var ordinal: Int
    var place: RecordPlace
}

/// Records that are stored together.
struct LoadBatch {
    var items: [LoadItem]
    /// Whether a record that is rejected ends the load, so that none behind it is stored.
    var stopsAtReject: Bool
    /// Whether nothing comes behind it, so that no marker is needed any more.
    var isLast: Bool
    var durability: Durability
    /// The marker for when the first of the items are stored; `nil` if no markers are kept.
    var marker: (_ itemCount: Int) -> LoadMarker?
}

/// What became of a batch.
struct LoadOutcome {
    var summary = LoadSummary()
    /// Records that could not be stored, in their order.
    var rejects: [(item: LoadItem, fault: RecordFault)] = []
}
