internal import DocIndex
internal import DocSync

/// The pages by their addresses.
struct PageRoutes: Sendable {
    let reading: StoreReading
    let target: Target
    let name: String
    let note: String?

    func answer() async throws -> SyncResponse {
        let store = try await reading.state()
        let path = target.path
        var frame = PageFrame(store: name, collections: store.collections.map(\.name), note: note)
        switch (path.first, path.count) {
        case (nil, _):
            _ = try Parameters(target, known: [])
            frame.place = "overview"
            return try await reading.run { try OverviewPage(of: store) }.response(in: frame)
        case ("c", 2):
            frame.collection = path[1]
            return try await collection(path[1], store, frame)
        case ("c", 3) where path[2] == "search":
            frame.collection = path[1]
            return try await SearchPage(reading: reading, store: store, frame: frame, target: target)
                .response(of: path[1])
        case ("c", 3...4) where path[2] == "doc":
            frame.collection = path[1]
            return try await document(path.count == 4 ? path[3] : nil, of: try store.collection(path[1]), frame)
        case ("changes", 1):
            _ = try Parameters(target, known: [])
            frame.place = "changes"
            return try await reading.run { try ChangesPage(of: store) }.response(in: frame)
        case ("keys", 1):
            frame.place = "keys"
            let place = try KeyLevel.place(try Parameters(target, known: KeyLevel.parameters))
            let level = try await reading.run {
                try KeyLevel(of: store, below: place.prefix, from: place.from)
            }
            return KeysPage(level: level).response(in: frame)
        case ("problems", 2):
            _ = try Parameters(target, known: [])
            return try ProblemPage.explanation(path[1], in: frame)
        default: throw Problem(.notFound, "There is no page at this address; the overview links all pages.")
        }
    }

    private func collection(_ name: String, _ store: ReadableStore, _ frame: PageFrame) async throws -> SyncResponse {
        let text = target["view"] ?? ""
        guard let view = text.isEmpty ? .table : CollectionView(rawValue: text) else {
            throw Problem(.badRequest, "view is table, grid, time or map.", parameter: "view")
        }
        switch view {
        case .table:
            return try await TablePage(reading: reading, store: store, frame: frame, target: target).response(of: name)
        case .grid:
            return try await GridPage(reading: reading, store: store, frame: frame, target: target).response(of: name)
        case .time:
            return try await TimePage(reading: reading, store: store, frame: frame, target: target).response(of: name)
        case .map:
            return try await MapPage(reading: reading, store: store, frame: frame, target: target).response(of: name)
        case .search:
            throw Problem(.badRequest, "The search has a page of its own; view is table, grid, time or map.")
        }
    }

    private func document(
        _ text: String?, of collection: ReadableCollection, _ frame: PageFrame
    ) async throws -> SyncResponse {
        let parameters = try Parameters(target, known: text == nil ? ["kind", "id"] : ["kind"])
        let kind = try parameters.choice("kind", of: ["int", "string"])
        guard text != nil || target["id"] != nil else {
            throw Problem(.badRequest, "The ID of the document is missing; write it behind doc/.")
        }
        let ids = try DocumentAddress.candidates(text ?? target["id"] ?? "", kind: kind)
        guard let page = try await reading.run({ try DocumentPage(ids, in: collection) }) else {
            throw Problem(
                .notFound, "The collection \(CellText.cut(collection.name, 100)) has no document with this ID.")
        }
        return page.response(in: frame)
    }
}
