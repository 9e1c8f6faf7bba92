import DocIndex

/// The counts of a load, for its last line of output.
struct LoadSummary: Equatable {
    /// Records read.
    var read = 0
    var inserted = 0
    var replaced = 0
    /// Replaced documents that had members which the input lacks, and the first such member; only counted if asked for.
    var shortened = 0
    var lostMember: String?
    /// Stored without checking whether the key existed, as in a plain database.
    var stored = 0
    var merged = 0
    var deleted = 0
    var skipped = 0
    var rejected = 0
    /// Contents of attachments in the input.
    var attachmentCount = 0
    /// Deleted documents of the input that were stored for their revisions.
    var tombstones = 0
    /// Documents that keep the revisions of the store, or have none, instead of those of the input.
    var withoutRevisions = 0
    /// The commits of the load, if there are several and `undo` can take them back.
    var commits: ClosedRange<UInt64>?
    /// Removed before the first record was stored, in the mode `replace`.
    var cleared = 0

    /// `read 1,000,000 inserted 998,100 replaced 0 skipped 1,850 rejected 50 in 3.1 s`
    func text(seconds: Double) -> String {
        var parts = ["read \(HumanNumber.grouped(read))"]
        func add(_ name: String, _ count: Int, always: Bool = false) {
            if count > 0 || always { parts.append("\(name) \(HumanNumber.grouped(count))") }
        }
        add("removed", cleared)
        if stored > 0 {
            add("stored", stored)
        } else {
            add("inserted", inserted, always: true)
            add("replaced", replaced, always: true)
        }
        add("merged", merged)
        add("deleted", deleted)
        add("attachments", attachmentCount)
        add("tombstones", tombstones)
        add("without-revisions", withoutRevisions)
        add("skipped", skipped, always: true)
        add("rejected", rejected, always: true)
        let tenths = Int((seconds * 10).rounded())
        return parts.joined(separator: " ") + " in \(tenths / 10).\(tenths % 10) s"
    }

    static func += (left: inout LoadSummary, right: LoadSummary) {
        left.read += right.read
        left.inserted += right.inserted
        left.replaced += right.replaced
        left.shortened += right.shortened
        left.lostMember = left.lostMember ?? right.lostMember
        left.stored += right.stored
        left.merged += right.merged
        left.deleted += right.deleted
        left.skipped += right.skipped
        left.rejected += right.rejected
        left.cleared += right.cleared
        left.attachmentCount += right.attachmentCount
        left.tombstones += right.tombstones
        left.withoutRevisions += right.withoutRevisions
    }
}
