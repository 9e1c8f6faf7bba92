internal import DocIndex

/// Produces the feed of changes of a collection.
struct ServedChanges: Sendable {
    enum Mode: String { case normal, longpoll, continuous }

    let database: ServedDatabase
    let mode: Mode
    let since: UInt64
    /// The number of rows after which the feed ends. A commit is not divided, so its last rows may be beyond.
    let limit: Int
    let selection: ServedSelection
    let showsAllLeaves: Bool
    let includesDocuments: Bool
    /// How often a line feed is sent while nothing changes; `nil` for never.
    let heartbeat: Duration?
    /// How long to wait for a change; `nil` for ever.
    let timeout: Duration?

    private static let pageCount = 500

    init(_ target: Target, _ selection: ServedSelection, of database: ServedDatabase) throws {
        self.database = database
        self.selection = selection
        guard let mode = Mode(rawValue: target["feed"] ?? "normal") else {
            throw ServerError(400, "bad_request", "feed is normal, longpoll or continuous")
        }
        func number(_ name: String) throws -> Int? {
            guard let text = target[name], text != "true" else { return nil }
            guard let number = Int(text), number >= 0 else {
                throw ServerError(400, "bad_request", "\(name) is not a number")
            }
            return number
        }
        self.mode = mode
        since =
            target["since"] == "now" ? try database.collection.show() : try database.sequence(target["since"])
        limit = max(1, try number("limit") ?? .max)
        showsAllLeaves = target["style"] == "all_docs"
        includesDocuments = target["include_docs"] == "true"
        heartbeat =
            try number("heartbeat").map { .milliseconds(min(max($0, 100), 3_600_000)) }
            ?? (target["heartbeat"] == "true" ? .seconds(60) : nil)
        timeout = heartbeat == nil ? .milliseconds(min(try number("timeout") ?? 60_000, 3_600_000)) : nil
    }

    var stream: ByteStream { ByteStream(Pages(feed: self)) }

    private struct Page: Sendable {
        var text: [UInt8] = []
        var count = 0
        var position: UInt64 = 0
    }

    /// Returns the next rows after a position, each with its end of line.
    private func page(after position: UInt64, limit: Int) async throws -> Page {
        try await database.server.store.run { _ in
            let (listings, end) = try database.collection.revisions(
                since: position, limit: limit, lists: database.lists)
            let reader =
                includesDocuments || selection.readsDocuments
                ? try database.collection.revisionReader(isShown: true) : nil
            var page = Page(position: end)
            for (listing, position) in Self.positions(of: listings, after: position) {
                try append(listing, at: position, to: &page, reader)
            }
            return page
        }
    }

    /// Returns documents with the positions of their rows.
    ///
    /// A peer may continue after any row. So only the last row of a commit has its position; the other rows have the
    /// position of the commit before. Otherwise, a peer that stops within a commit would never see the rest.
    static func positions(
        of listings: [RevisionListing], after position: UInt64
    ) -> [(listing: RevisionListing, position: UInt64)] {
        var earlier = position
        // Numbers have no place in the protocol.
        let rows = listings.filter { if case .string = $0.id { true } else { false } }
        return rows.enumerated().map { index, listing in
            if index + 1 == rows.count || rows[index + 1].sequence != listing.sequence { earlier = listing.sequence }
            return (listing, earlier)
        }
    }

    private func append(
        _ listing: RevisionListing, at position: UInt64, to page: inout Page, _ reader: RevisionReader?
    ) throws {
        guard case .string(let id) = listing.id else { return }
        let shown = showsAllLeaves ? listing.leaves : Array(listing.leaves.prefix(1))
        let leaves = try selection.wanted(shown, of: id) { try reader?.stored(shown, of: listing.id) ?? [] }
        if leaves.isEmpty { return }
        if mode != .continuous, page.count > 0 { page.text += Array(",\n".utf8) }
        page.count += 1
        page.text += Array(#"{"seq":"#.utf8)
        JSONWriter().write(.string(database.token(position)), to: &page.text)
        page.text += Array(#","id":"#.utf8)
        JSONWriter().write(.string(id), to: &page.text)
        page.text += Array(#","changes":"#.utf8)
        JSONWriter().write(.array(leaves.map { ["rev": .string($0.description)] }), to: &page.text)
        if listing.isDeleted { page.text += Array(#","deleted":true"#.utf8) }
        if includesDocuments, let version = try reader?.stored(nil, of: listing.id).first {
            page.text += Array(#","doc":"#.utf8)
            try database.listed(listing.id, version).write(
                to: &page.text, idField: database.idField, includesPath: false)
        }
        page.text.append(UInt8(ascii: "}"))
        if mode == .continuous { page.text.append(UInt8(ascii: "\n")) }
    }

    private struct Pages: AsyncSequence, Sendable {
        typealias Element = [UInt8]
        let feed: ServedChanges

        func makeAsyncIterator() -> Iterator {
            Iterator(feed: feed, position: feed.since, rest: feed.limit)
        }

        struct Iterator: AsyncIteratorProtocol {
            enum Step { case begin, rows, end, done }

            let feed: ServedChanges
            var position: UInt64
            var rest: Int
            var step = Step.begin
            var count = 0

            mutating func next() async throws -> [UInt8]? {
                switch step {
                case .begin:
                    step = .rows
                    return feed.mode == .continuous ? try await rows() : Array("{\"results\":[\n".utf8)
                case .rows: return try await rows()
                case .end:
                    step = .done
                    let collection = feed.database.collection
                    let last = try await feed.database.server.store.run { _ in try collection.show() }
                    return feed.end(at: position, isLast: position >= last)
                case .done: return nil
                }
            }

            private mutating func rows() async throws -> [UInt8]? {
                let page = try await feed.page(after: position, limit: Swift.min(rest, ServedChanges.pageCount))
                let isAtEnd = page.position == position
                position = page.position
                rest -= page.count
                let isFirst = count == 0
                count += page.count
                if rest <= 0 || isAtEnd && (feed.mode == .normal || feed.mode == .longpoll && count > 0) {
                    step = .end
                } else if page.count == 0, isAtEnd {
                    let hasChanged = try await feed.waitForChange(after: position)
                    if !hasChanged, feed.heartbeat == nil { step = .end }
                    return [UInt8(ascii: "\n")]
                }
                if page.count == 0 { return [UInt8(ascii: "\n")] }
                return (isFirst || feed.mode == .continuous ? [] : Array(",\n".utf8)) + page.text
            }
        }
    }

    private func end(at position: UInt64, isLast: Bool) -> [UInt8] {
        var text = Array((mode == .continuous ? "{" : "\n],\n").utf8)
        text += Array(#""last_seq":"#.utf8)
        JSONWriter().write(.string(database.token(position)), to: &text)
        // Counting the rows that follow would read them. That there are none is worth knowing.
        if isLast { text += Array(",\"pending\":0".utf8) }
        return text + Array("}\n".utf8)
    }

    /// Waits for a commit after a position, but no longer than until the next heartbeat or the end of the wait.
    ///
    /// - Returns: whether there was one.
    private func waitForChange(after position: UInt64) async throws -> Bool {
        let limit = heartbeat ?? timeout ?? .seconds(60)
        let changes = database.server.store.changeStream(
            since: position, in: database.collection.name, batchLimit: 1)
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                var iterator = changes.makeAsyncIterator()
                return try await iterator.next() != nil
            }
            group.addTask {
                try await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }
}

extension ServedDatabase {
    func changes(_ request: SyncRequest, _ target: Target) async throws -> SyncResponse {
        let selection = try await ServedSelection(request, target, limit: server.options.messageLimit)
        return SyncResponse(
            status: 200, fields: ["Content-Type": "application/json"],
            body: .stream(try ServedChanges(target, selection, of: self).stream))
    }
}
