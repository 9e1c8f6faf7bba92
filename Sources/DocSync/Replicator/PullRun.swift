internal import DocIndex

/// Brings the peer's documents to the store.
struct PullRun: Sendable {
    let link: SyncLink

    /// Rows of the feed.
    private struct Page: Sendable {
        var rows: [ChangeRow] = []
        var problems: [DocumentError] = []
        var end: PeerPosition?
        var isLast = false
    }

    /// The outcome of a page.
    private struct Outcome: Sendable {
        let end: PeerPosition
        let checkedCount: Int
    }

    /// The size of versions in memory above which they are written, in bytes.
    private static let memoryLimit = 4 << 20
    /// How many times to request a version that the peer lists but does not send.
    private static let absenceLimit = 3

    func run() async throws {
        var position = link.start(.pull)?.position ?? .start
        var saver = CheckpointSaver(link: link, direction: .pull, saved: position)
        var waited: Page?
        var polls = false
        while true {
            try await retryUnavailable()
            var isAtEnd = false
            try await inOrder(width: 3) { () -> Page? in
                if let page = waited {
                    waited = nil
                    position = page.end ?? position
                    return page
                }
                guard !isAtEnd else { return nil }
                let page = try await read(after: position)
                isAtEnd = page.isLast || page.rows.count + page.problems.count < link.options.batchLimit
                position = page.end ?? position
                return page
            } run: { page in
                try await transfer(page)
            } finish: { outcome in
                link.board.update { $0.pull.checkedCount += outcome.checkedCount }
                try await saver.advance(to: outcome.end, count: outcome.checkedCount)
            }
            try await saver.save()
            try await link.saveLeftOut()
            guard link.options.isContinuous else { return }
            link.setIdle(.pull, true)
            waited = try await waitedPage(after: position, &polls)
            link.setIdle(.pull, false)
        }
    }

    /// Waits until the peer has changes, and returns the first of them.
    ///
    /// - Parameter polls: whether to ask every few seconds. It is set if a feed that waits shows no sign of life.
    private func waitedPage(
        after position: PeerPosition, _ polls: inout Bool
    ) async throws -> Page {
        while true {
            do {
                if polls { try await Task.sleep(for: link.options.pollInterval) }
                let page = try await read(after: position, waits: !polls)
                if !page.rows.isEmpty || !page.problems.isEmpty { return page }
            } catch let error as TransportError where error.code == .timedOut && !polls {
                polls = true
                link.board.update { $0.isPolling = true }
            }
        }
    }

    private func read(after position: PeerPosition, waits: Bool = false) async throws -> Page {
        var page = Page()
        try await link.peer.changes(
            since: position, limit: link.options.batchLimit,
            waits: waits
        ) {
            page = Page()
        } _: { part in
            switch part {
            case .row(let row): page.rows.append(row)
            case .problem(let problem): page.problems.append(problem)
            case .end(let end): page.end = end
            case .pending(let count): page.isLast = count == 0
            }
        }
        guard page.end != nil else {
            throw MessageError(.malformed, "The answer of _changes does not say where it ends; check the address.")
        }
        return page
    }

    // MARK: - Versions

    /// Fetches what is missing of a page, and writes it.
    private func transfer(_ page: Page) async throws -> Outcome {
        for problem in page.problems { link.board.leaveOut(.pull, problem) }
        // Design documents and other documents of servers are not data.
        let rows = page.rows.filter { $0.id.utf8.first != UInt8(ascii: "_") }
        let collection = link.collection
        let missing = try await link.store.run { _ in
            let reader = try collection.revisionReader(isShown: false)
            return try rows.map { try reader.missing($0.revisions, of: .string($0.id)).missing }
        }
        var writer = ArrivalWriter(link: link)
        var requests: [(id: String, revision: Revision)] = []
        for (row, revisions) in zip(rows, missing) {
            writer.listed[row.id, default: []] += row.revisions
            requests += revisions.map { (row.id, $0) }
            // Known revisions are noted as known to the peer.
            if revisions.isEmpty { writer.addKnown(row.id) }
        }
        try await fetch(requests, &writer)
        try await writer.flush()
        return Outcome(end: page.end ?? .start, checkedCount: rows.count)
    }

    private func fetch(_ requests: [(id: String, revision: Revision)], _ writer: inout ArrivalWriter) async throws {
        var rest = requests
        var attempt = 0
        while !rest.isEmpty {
            var absent: [(id: String, revision: Revision)] = []
            var parts: [BulkDocumentsReader.Part] = []
            var byteCount = 0
            try await link.peer.documents(rest, idField: link.idField) {
                parts = []
                byteCount = 0
            } _: { part, size in
                parts.append(part)
                byteCount = size
                return size < Self.memoryLimit
            }
            let positions = Dictionary(grouping: rest.indices) { rest[$0].id }
            var isDone = [Bool](repeating: false, count: rest.count)
            var attached: [WireDocument] = []
            /// Marks requests for a document as answered, and returns them.
            func answered(_ id: String, where matches: (Revision) -> Bool) -> [(id: String, revision: Revision)] {
                let found = (positions[id] ?? []).filter { !isDone[$0] && matches(rest[$0].revision) }
                for position in found { isDone[position] = true }
                return found.map { rest[$0] }
            }
            for part in parts {
                switch part {
                case .document(let document):
                    let path = document.version.path
                    _ = answered(VersionWriter.text(document.id)) { path.revisions.contains($0) }
                    if document.hasContents {
                        attached.append(document)
                    } else {
                        try await writer.add(document, byteCount: byteCount / max(parts.count, 1))
                    }
                case .problem(let problem):
                    link.board.leaveOut(.pull, problem)
                    let revision = problem.revision.flatMap { Revision($0) }
                    _ = answered(problem.id) { revision == nil || $0 == revision }
                case .absent(let id, let revision):
                    absent += answered(id) { $0.description == revision.lowercased() }
                }
            }
            let hasProgress = isDone.contains(true)
            rest = rest.indices.filter { !isDone[$0] }.map { rest[$0] }
            try await writer.flush()
            try await fetchContents(of: attached.filter { link.takes($0.version) }, &writer)
            if !hasProgress || !absent.isEmpty { attempt += 1 }
            rest += absent
            if attempt >= Self.absenceLimit {
                for request in rest {
                    link.board.leaveOut(
                        .pull,
                        DocumentError(
                            .unavailable, id: request.id, revision: request.revision.description,
                            "the peer lists this revision but does not send it; the next run requests it again"))
                }
                return
            }
        }
    }
}

extension PullRun {
    /// Tries again to get documents that an earlier run left out because the peer did not send all of them. They are
    /// not in the feed again.
    private func retryUnavailable() async throws {
        let problems = link.board.leftOutOfPull.filter { $0.code == .unavailable }
        for problem in problems.prefix(Self.retryLimit) {
            var writer = ArrivalWriter(link: link)
            var attached: [WireDocument] = []
            for case .document(let document) in try await link.peer.versions(of: problem.id, idField: link.idField) {
                writer.listed[problem.id, default: []].append(document.version.path.revision)
                attached.append(document)
            }
            let (collection, listed, id) = (link.collection, writer.listed[problem.id] ?? [], problem.id)
            let missing = try await link.store.run { _ in
                try collection.revisionReader(isShown: false).missing(listed, of: .string(id)).missing
            }
            let wanted = attached.filter { missing.contains($0.version.path.revision) && link.takes($0.version) }
            if wanted.isEmpty, !attached.isEmpty {
                link.board.takeIn(.pull, [id], since: .max)
            } else {
                try await fetchContents(of: wanted, &writer)
            }
        }
    }

    /// The number of documents that are tried again at most.
    private static let retryLimit = 1000

    /// Fetches the contents of attachments, then writes their documents.
    private func fetchContents(of documents: [WireDocument], _ writer: inout ArrivalWriter) async throws {
        enum Outcome: Sendable {
            case fetched(AttachmentFetch.Fetched)
            case problem(DocumentError)
        }
        guard !documents.isEmpty else { return }
        let fetch = AttachmentFetch(link: link)
        var rest = try await fetchGroups(of: documents, &writer)[...]
        try await inOrder(width: 4) {
            rest.popFirst()
        } run: { document -> Outcome in
            let id = VersionWriter.text(document.id)
            let revision = document.version.path.revision.description
            do {
                return .fetched(try await fetch.complete(document))
            } catch let error as AttachmentError {
                return .problem(DocumentError(error, id: id, revision: revision))
            } catch let error as PeerError where [404, 410, 412].contains(error.status) {
                return .problem(
                    DocumentError(
                        .unavailable, id: id, revision: revision,
                        "the peer does not send an attachment (\(error)); the next run requests it again"
                    ))
            } catch let error as MessageError {
                return .problem(DocumentError(.unavailable, id: id, revision: revision, error.message))
            } catch let error as TransportError where error.code == .cut {
                // If the peer answers otherwise, the attachment is at fault, and not the connection.
                _ = try await link.peer.information()
                return .problem(
                    DocumentError(
                        .unavailable, id: id, revision: revision,
                        "the peer closed the connection while sending an attachment; see the peer's log"))
            }
        } finish: { outcome in
            switch outcome {
            case .fetched(let fetched):
                link.board.note { $0.pull.attachmentByteCount += fetched.byteCount }
                try await writer.add(fetched.document, byteCount: 1000, digests: fetched.digests)
            case .problem(let problem): link.board.leaveOut(.pull, problem)
            }
        }
        try await writer.flush()
    }
}

extension PullRun {
    /// Fetches documents with small attachments many at a time, and writes them.
    ///
    /// - Returns: the documents that have to be asked for alone.
    private func fetchGroups(of documents: [WireDocument], _ writer: inout ArrivalWriter) async throws -> [WireDocument]
    {
        let fetch = GroupFetch(link: link)
        guard link.sendsContents.isExpected else { return documents }
        var small = documents.filter(GroupFetch.isSmall)[...]
        guard small.count > 1 else { return documents }
        var rest = documents.filter { !GroupFetch.isSmall($0) }
        try await inOrder(width: 3) {
            small.isEmpty ? nil : fetch.nextGroup(of: &small)
        } run: { group in
            try await link.groupTurns.withTurn { try await fetch.fetch(group) }
        } finish: { outcome in
            rest += outcome.rest
            for fetched in outcome.fetched {
                link.board.note { $0.pull.attachmentByteCount += fetched.byteCount }
                try await writer.add(fetched.document, byteCount: 1000, digests: fetched.digests)
            }
            // Only a document that is stored keeps its attachments from being sent again.
            try await writer.flush()
        }
        return rest
    }
}

/// Collects versions, and writes them a few megabytes at a time.
private struct ArrivalWriter {
    let link: SyncLink
    /// The leaves that the peer has, by ID.
    var listed: [String: [Revision]] = [:]
    private var arrivals: [VersionWriter.Arrival] = []
    private let start: Int
    private var byteCount = 0

    private static let memoryLimit = 4 << 20

    init(link: SyncLink) {
        self.link = link
        start = link.board.leftOutTime
    }

    mutating func add(
        _ document: WireDocument, byteCount: Int, digests: [Attachment.Digest: [String]] = [:]
    ) async throws {
        guard case .string(let id) = document.id, link.takes(document.version) else { return }
        var revisions = listed[id] ?? []
        if !revisions.contains(document.version.path.revision) { revisions.append(document.version.path.revision) }
        var arrival = VersionWriter.Arrival(document, listed: revisions)
        arrival.digests = digests
        arrivals.append(arrival)
        self.byteCount += byteCount
        if self.byteCount >= Self.memoryLimit { try await flush() }
    }

    mutating func addKnown(_ id: String) {
        arrivals.append(VersionWriter.Arrival(id: .string(id), versions: [], listed: listed[id] ?? []))
    }

    mutating func flush() async throws {
        guard !arrivals.isEmpty else { return }
        let writer = VersionWriter(store: link.store, collection: link.collection.name)
        let echoName = link.echoName
        let outcome = try await writer.write(arrivals) { batch in
            var notes = batch.localRecord(echoName).map(EchoNotes.init) ?? EchoNotes()
            notes.add(batch.sequence)
            batch.setLocalRecord(echoName, to: notes.text)
        }
        let (versions, bytes) = (arrivals.reduce(0) { $0 + $1.versions.count }, byteCount)
        let ids = arrivals.map { VersionWriter.text($0.id) }
        link.board.takeIn(.pull, ids, since: start)
        link.board.update { status in
            status.pull.writtenCount += versions - outcome.problems.count
            status.pull.byteCount += bytes
        }
        for problem in outcome.problems { link.board.leaveOut(.pull, problem) }
        for id in outcome.divergedIDs { try await resolve(id) }
        arrivals = []
        byteCount = 0
    }
}

extension ArrivalWriter {
    /// Resolves a conflict if the resolver of the replication can.
    private func resolve(_ id: DocumentID) async throws {
        if try await link.collection.resolve(id, using: link.options.resolver) {
            link.board.note { $0.resolvedCount += 1 }
        } else if try await link.store.run({ [collection = link.collection] _ in try collection.conflict(of: id) != nil
        }) {
            link.board.note { $0.conflicts.insert(VersionWriter.text(id)) }
        }
    }
}

/// Saves checkpoints from time to time.
struct CheckpointSaver {
    private let link: SyncLink
    private let direction: SyncLink.Direction
    private var position: PeerPosition
    private var saved: PeerPosition
    private var count = 0
    private var savedCount = 0
    private var time = ContinuousClock.now

    init(link: SyncLink, direction: SyncLink.Direction, saved: PeerPosition) {
        self.link = link
        self.direction = direction
        self.saved = saved
        position = saved
    }

    /// Notes that everything up to a position was written to the target.
    mutating func advance(to position: PeerPosition, count: Int) async throws {
        self.position = position
        self.count += count
        if self.count - savedCount >= link.options.checkpointInterval
            || ContinuousClock.now - time >= link.options.checkpointPeriod
        {
            try await save()
        }
    }

    mutating func save() async throws {
        guard position != saved else { return }
        try await link.save(direction, position, written: count)
        saved = position
        savedCount = count
        time = .now
    }
}
