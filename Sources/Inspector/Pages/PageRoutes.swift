internal import DocIndex
internal import DocSync

/// The pages by their addresses.
struct PageRoutes: Sendable {
    let reading: StoreReading
    let target: Target
    let name: String
    let note: String?
    /// The secret of the forms that change documents; `nil` if nothing can be changed.
    let formToken: AccessToken?

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
            return try await document(path.count == 4 ? path[3] : nil, of: path[1], store, frame)
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
        case ("console", 1):
            frame.place = "console"
            return try await ConsolePage(reading: reading, frame: frame, target: target).response()
        case ("help", 1):
            _ = try Parameters(target, known: [])
            return HelpPage.response(in: frame)
        case ("problems", 2):
            _ = try Parameters(target, known: [])
            return try ProblemPage.explanation(path[1], in: frame)
        default: throw Problem(.notFound, "There is no page at this address; the overview links to all pages.")
        }
    }

    private func collection(_ name: String, _ store: ReadableStore, _ frame: PageFrame) async throws -> SyncResponse {
        let text = target["view"] ?? ""
        guard let view = text.isEmpty ? .table : CollectionView(rawValue: text) else {
            throw Problem(.badRequest, "view must be table, grid, time or map.", parameter: "view")
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
            throw Problem(.badRequest, "The search has its own page; view must be table, grid, time or map.")
        }
    }

    // MARK: - Documents

    private func document(
        _ text: String?, of name: String, _ store: ReadableStore, _ frame: PageFrame
    ) async throws -> SyncResponse {
        let known = DocumentPage.parameters + (text == nil ? ["id"] : [])
        let parameters = try Parameters(target, known: known)
        let ids = try candidates(text, parameters)
        let files = reading.services?.versions
        let showsVersions = try parameters.choice("versions", of: ["1"]) != nil && files != nil
        let page = try await page(ids, of: name, store, files: showsVersions ? files : nil)
        let form = formToken.map { EditForm(token: $0, collection: name) }
        if try parameters.choice("confirm", of: ["delete"]) != nil, let form {
            return page.question(in: frame, form: form)
        }
        let link = CollectionHead.link(target).with("versions", "1")
        return page.response(in: frame, form: form, versions: files == nil || showsVersions ? nil : link)
    }

    private func candidates(_ text: String?, _ parameters: Parameters) throws -> [DocumentID] {
        guard text != nil || target["id"] != nil else {
            throw Problem(.badRequest, "The ID of the document is missing; write it after doc/.")
        }
        let kind = try parameters.choice("kind", of: ["int", "string"])
        return try DocumentAddress.candidates(text ?? target["id"] ?? "", kind: kind)
    }

    private func page(
        _ ids: [DocumentID], of name: String, _ store: ReadableStore,
        files: (@Sendable ([UInt8]) throws -> [StoredVersion])? = nil
    ) async throws -> DocumentPage {
        let page = try await reading.run {
            try DocumentPage(ids, in: try store.collection(name), of: store, files: files)
        }
        guard let page else {
            throw Problem(.notFound, "The collection \(CellText.cut(name, 100)) has no document with this ID.")
        }
        return page
    }

    /// Answers a form that changes a document.
    func edit(_ request: SyncRequest, _ routes: WriteRoutes) async throws -> SyncResponse {
        guard let formToken else { throw Problem.methodNotAllowed(request.method, ["GET", "HEAD"]) }
        let name = target.path[1]
        let text = target.path.count == 4 ? target.path[3] : nil
        let ids = try candidates(text, try Parameters(target, known: DocumentPage.parameters + ["id"]))
        let form = EditForm(token: formToken, collection: name)
        let content = try await form.content(of: request)
        do {
            guard content.action == "save" else {
                try await routes.delete(ids, in: name, WritePrecondition(match: content.tag))
                return SyncResponse(status: 303, fields: ["Location": Link("c", name).text])
            }
            let value = try RequestBody.object(in: Array(content.text.utf8))
            try await routes.replace(value, ids, in: name, tag: content.tag)
            var link = CollectionHead.link(target)
            link["confirm"] = nil
            return SyncResponse(status: 303, fields: ["Location": link.text])
        } catch let problem as Problem
            where [.badRequest, .preconditionFailed, .refusedDocument].contains(problem.kind)
        {
            let store = try await reading.state()
            var frame = PageFrame(store: self.name, collections: store.collections.map(\.name), note: note)
            frame.collection = name
            return try await page(ids, of: name, store).refusal(problem, text: content.text, in: frame, form: form)
        }
    }
}
