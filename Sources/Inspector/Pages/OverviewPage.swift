internal import DocIndex
internal import DocSync
internal import LevelKit

/// The first page: the collections and their indexes, and the state of the store.
struct OverviewPage: Sendable {
    private struct Index: Sendable {
        let definition: IndexDefinition
        let byteCount: UInt64?
        let failure: String?
    }

    private struct Collection: Sendable {
        let name: String
        let definition: CollectionDefinition
        let count: Int
        let indexes: [Index]
    }

    private let store: ReadableStore
    private let collections: [Collection]
    private let census: DocumentStore.Attachments.Census
    /// The levels of the database, for people.
    private let tables: String

    /// Reads what the page shows.
    init(of store: ReadableStore) throws {
        self.store = store
        let (failed, textFailures) = (store.failedIndexes, store.textIndexFailures)
        collections = try store.collections.map { collection in
            let sizes = try collection.indexSizes()
            let definition = collection.definition
            let indexes = definition.indexes.map { index in
                func isThis(_ name: String, _ owner: String) -> Bool {
                    name.utf8.elementsEqual(index.name.utf8) && owner.utf8.elementsEqual(collection.name.utf8)
                }
                return Index(
                    definition: index, byteCount: sizes.first { isThis($0.name, collection.name) }?.byteCount,
                    failure: failed.first { isThis($0.index, $0.collection) }?.reason
                        ?? textFailures.first { isThis($0.index, $0.collection) }?.reason)
            }
            return Collection(
                name: collection.name, definition: definition, count: try collection.count(), indexes: indexes)
        }
        census = try store.attachmentCensus()
        let statistics = try store.statistics()
        let levels = statistics.levels.filter { $0.tableCount > 0 }.map { "level \($0.number): \($0.tableCount)" }
        tables = ([HumanNumber.byteCount(Int(clamping: statistics.tableByteCount))] + levels).joined(separator: ", ")
    }

    /// The page.
    func response(in frame: PageFrame) -> SyncResponse {
        frame.page("Overview") { page in
            page.element("h1", text: frame.store)
            page.element("div", .id("live")) { content(&$0) }
        }
    }

    private func content(_ page: inout Markup) {
        page.element("dl") { list in
            list.term("Directory", store.path)
            list.term("Last commit", HumanNumber.grouped(Int(clamping: store.sequence)))
            list.term("Epoch", store.epoch)
            list.term("Schema", "version \(store.schemaVersion)")
            list.term("Tables", tables)
            if census.count > 0 {
                list.term(
                    "Attached files",
                    "\(HumanNumber.grouped(census.count)) (\(HumanNumber.byteCount(Int(clamping: census.byteCount))))"
                )
            }
        }
        page.element("h2", text: "Collections")
        if collections.isEmpty { page.element("p", text: "The store has no collections.") } else { table(&page) }
        for collection in collections where !collection.indexes.isEmpty { indexes(of: collection, &page) }
    }

    private func table(_ page: inout Markup) {
        page.scroll("Collections") { table in
            table.element("thead") {
                $0.element("tr") { row in
                    row.columnHead("Collection")
                    row.columnHead("Documents", isNumber: true)
                    row.columnHead("Indexes", isNumber: true)
                    row.columnHead("Size of the indexes", isNumber: true)
                    row.columnHead("ID field")
                }
            }
            table.element("tbody") { body in
                for collection in collections { row(collection, &body) }
            }
        }
    }

    private func row(_ collection: Collection, _ body: inout Markup) {
        body.element("tr") { row in
            row.element("th", .fixed("scope", "row")) {
                $0.element("a", .href(Link("c", collection.name)), text: CellText.cut(collection.name, CellText.limit))
            }
            row.cell(HumanNumber.grouped(collection.count), isNumber: true)
            row.cell("\(collection.indexes.count)", isNumber: true)
            let size = collection.indexes.reduce(UInt64(0)) { $0 &+ ($1.byteCount ?? 0) }
            row.cell(HumanNumber.byteCount(Int(clamping: size)), isNumber: true)
            row.cell(CellText.cut(collection.definition.idField, CellText.limit))
        }
    }

    private func indexes(of collection: Collection, _ page: inout Markup) {
        page.element("h2", text: "Indexes of " + CellText.cut(collection.name, CellText.limit))
        page.scroll("Indexes of " + collection.name) { table in
            table.element("thead") {
                $0.element("tr") { row in
                    row.columnHead("Index")
                    row.columnHead("Kind")
                    row.columnHead("Fields")
                    row.columnHead("Size", isNumber: true)
                    row.columnHead("Properties")
                }
            }
            table.element("tbody") { body in
                for index in collection.indexes {
                    body.element("tr") { row in
                        row.element("th", .fixed("scope", "row"), text: CellText.cut(index.definition.name, 100))
                        row.cell(index.definition.kind.rawValue)
                        let fields = index.definition.fields.map(\.description).joined(separator: ", ")
                        row.cell(CellText.cut(fields, CellText.limit))
                        row.cell(index.byteCount.map { HumanNumber.byteCount(Int(clamping: $0)) } ?? "", isNumber: true)
                        properties(of: index, &row)
                    }
                }
            }
        }
    }

    private func properties(of index: Index, _ row: inout Markup) {
        let definition = index.definition
        let words = [
            definition.isUnique ? "unique" : nil, definition.isSparse ? "sparse" : nil,
            definition.countsValues ? "counts values" : nil, definition.covered.isEmpty ? nil : "covering",
            definition.condition == nil ? nil : "partial",
        ].compactMap { $0 }
        row.element("td") { cell in
            cell.text(words.joined(separator: ", "))
            if let failure = index.failure { cell.element("span", .class("failure"), text: " failed: " + failure) }
        }
    }
}

extension Markup {
    /// Adds a table that scrolls sideways where it is too wide.
    mutating func scroll(_ label: String, isDocuments: Bool = false, table: (inout Markup) -> Void) {
        element(
            "div", .class("scroll"), .fixed("tabindex", "0"), .fixed("role", "region"),
            .label(CellText.cut(label, CellText.limit))
        ) { region in
            region.element("table", isDocuments ? .class("documents") : nil) { table(&$0) }
        }
    }
}
