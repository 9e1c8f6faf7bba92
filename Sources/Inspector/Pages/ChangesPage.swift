internal import DocIndex
internal import DocSync

/// The last changes of the store, the newest first.
struct ChangesPage: Sendable {
    private static let shownCount = 100

    private let changes: [StoreChange]
    private let sequence: UInt64

    /// Reads the changes before the newest one.
    init(of store: ReadableStore) throws {
        sequence = store.sequence
        var found: [StoreChange] = []
        var span: UInt64 = 200
        // Each document has only its last change in the feed, so older commits may have none.
        while true {
            let since = sequence > span ? sequence - span : 0
            found = try store.changes(since: since, limit: .max)
            if since == 0 || found.count >= Self.shownCount || span > 100_000 { break }
            span *= 4
        }
        changes = found.suffix(Self.shownCount).reversed()
    }

    func response(in frame: PageFrame) -> SyncResponse {
        frame.page("Changes") { page in
            page.element("h1", text: "Changes")
            page.element("div", .id("live")) { live in
                live.element(
                    "p", .class("quiet"),
                    text: "The last change of each document, the newest first, up to commit "
                        + HumanNumber.grouped(Int(clamping: sequence)) + ".")
                if changes.isEmpty { return live.element("p", text: "Nothing has been written yet.") }
                live.scroll("Changes", isDocuments: true) { table in
                    table.element("thead") {
                        $0.element("tr") { row in
                            row.columnHead("Document")
                            row.columnHead("Collection")
                            row.columnHead("Commit", isNumber: true)
                            row.columnHead("Change")
                        }
                    }
                    table.element("tbody") { body in for change in changes { row(change, &body) } }
                }
            }
        }
    }

    private func row(_ change: StoreChange, _ body: inout Markup) {
        body.element("tr") { row in
            let id = CellText.cut(change.id.description, 80)
            row.element("th", .fixed("scope", "row")) { cell in
                guard !change.isDeletion else { return cell.text(id) }
                cell.element(
                    "a", .href(DocumentAddress.link(change.id, in: change.collection)),
                    text: id.isEmpty ? "(empty)" : id)
            }
            row.cell(CellText.cut(change.collection, 60))
            row.cell(HumanNumber.grouped(Int(clamping: change.sequence)), isNumber: true)
            row.cell(change.isDeletion ? "deleted" : change.hasConflict ? "stored, with a conflict" : "stored")
        }
    }
}
