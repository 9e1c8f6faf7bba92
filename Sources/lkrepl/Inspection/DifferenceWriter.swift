import DocIndex

/// Writes differences as rows, and counts them.
final class DifferenceWriter {
    private let writer: ResultWriter
    private let view: KeyView
    private let hasValues: Bool
    private let isForPeople: Bool
    private var counts = (removed: 0, added: 0, changed: 0)
    private var reorderedCount = 0

    init(_ options: GlobalOptions, view: KeyView, hasValues: Bool) throws {
        let mode = try options.outputMode()
        writer = try options.writer()
        isForPeople = mode == .table || mode == .line
        self.view = view
        self.hasValues = hasValues
    }

    /// Whether there was no difference.
    var isEmpty: Bool { counts == (0, 0, 0) }

    /// The numbers of differences.
    var summary: String {
        "diff: \(HumanNumber.grouped(counts.removed)) only in the first, \(HumanNumber.grouped(counts.added)) only in the "
            + "second, \(HumanNumber.grouped(counts.changed)) differ"
            + (reorderedCount == 0
                ? "" : ", \(HumanNumber.grouped(reorderedCount)) of them only in the order of their members")
    }

    /// Writes a difference of two pairs.
    func write(_ item: PairDifference.Item) throws {
        var row: DocumentObject = ["op": .string(mark(item.first == nil, item.second == nil))]
        if isForPeople {
            row["key"] = .string(view.text(of: item.key))
        } else {
            DumpRecord.append(item.key, name: "k", to: &row)
        }
        if hasValues {
            for (name, value) in [("first", item.first), ("second", item.second)] {
                guard let value else { continue }
                if isForPeople {
                    row[name] = .string(view.text(ofValue: value))
                } else {
                    DumpRecord.append(value, name: name, to: &row)
                }
            }
        }
        try writer.write(row)
    }

    /// Writes a difference of two documents.
    func write(_ item: DocumentDifference.Item) throws {
        var row: DocumentObject = [
            "op": .string(
                item.revisions == nil ? mark(item.first == nil, item.second == nil) : mark(false, false)),
            "c": .string(item.collection),
            "id": item.id.value,
        ]
        if item.differsInOrderAlone {
            reorderedCount += 1
            row["difference"] = "order of members"
        }
        if hasValues {
            if let first = item.first { row["first"] = .object(first) }
            if let second = item.second { row["second"] = .object(second) }
            if let revisions = item.revisions {
                row["first"] = ["revisions": .array(revisions.first.map { .string($0) })]
                row["second"] = ["revisions": .array(revisions.second.map { .string($0) })]
            }
        }
        try writer.write(row)
    }

    /// Writes an attached file that only one store has.
    func write(_ item: AttachmentDifference.Item) throws {
        try writer.write([
            "op": .string(mark(!item.isInFirst, item.isInFirst)), "a": .string(item.digest.description),
            "bytes": .int(item.byteCount),
        ])
    }

    /// Writes the last rows.
    func finish() throws { try writer.finish(tellsOfNothing: false) }

    private func mark(_ isMissingInFirst: Bool, _ isMissingInSecond: Bool) -> String {
        if isMissingInFirst {
            counts.added += 1
            return "+"
        }
        if isMissingInSecond {
            counts.removed += 1
            return "-"
        }
        counts.changed += 1
        return "~"
    }
}
