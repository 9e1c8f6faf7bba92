internal import DocIndex
internal import Synchronization

/// Brings the store's documents to the peer.
struct PushRun: Sendable {
    let link: SyncLink

    private struct Page: Sendable {
        let listings: [RevisionListing]
        let end: UInt64
        let asksFirst: Bool
    }

    private struct Outcome: Sendable {
        let end: UInt64
        let checkedCount: Int
    }

    func run() async throws {
        var position: UInt64 = 0
        if case .int(let commit)? = link.start(.push)?.position.value { position = UInt64(max(commit, 0)) }
        var saver = CheckpointSaver(link: link, direction: .push, saved: Self.position(position))
        let known = KnownShare()
        while true {
            try await inOrder(width: 2) { () -> Page? in
                guard let page = try await read(after: position, known) else { return nil }
                position = page.end
                return page
            } run: { page in
                try await transfer(page, known)
            } finish: { outcome in
                link.board.update { $0.push.checkedCount += outcome.checkedCount }
                try await saver.advance(to: Self.position(outcome.end), count: outcome.checkedCount)
            }
            try await saver.save()
            try await link.saveLeftOut()
            guard link.options.isContinuous else { return }
            link.setIdle(.push, true)
            var changes = link.store.changeStream(
                since: position, in: link.collection.name, batchLimit: 1
            ).makeAsyncIterator()
            guard try await changes.next() != nil else { return }
            link.setIdle(.push, false)
        }
    }

    private static func position(_ commit: UInt64) -> PeerPosition { PeerPosition(.int(Int64(clamping: commit))) }

    /// Returns the next documents that the peer may lack; `nil` at the end.
    private func read(after position: UInt64, _ known: KnownShare) async throws -> Page? {
        let (collection, limit, echoName) = (link.collection, link.options.batchLimit, link.echoName)
        let confirmed = link.confirmed.commit
        var start = position
        while true {
            let (listings, end) = try await link.store.run { [start] _ in
                guard let text = try collection.localRecord(echoName) else {
                    return try collection.revisions(since: start, limit: limit)
                }
                let notes = EchoNotes(text)
                return try collection.revisions(since: start, limit: limit) { commit in
                    commit > confirmed || !notes.contains(commit)
                }
            }
            if !listings.isEmpty { return Page(listings: listings, end: end, asksFirst: known.asksFirst()) }
            if end == start { return start > position ? Page(listings: [], end: end, asksFirst: false) : nil }
            start = end
        }
    }

    private func transfer(_ page: Page, _ known: KnownShare) async throws -> Outcome {
        var wanted: [(id: String, revisions: [Revision])] = []
        for listing in page.listings {
            if let fault = WireDocument.fault(of: listing.id, nil, idField: link.idField) {
                link.board.leaveOut(fault)
            } else {
                wanted.append((VersionWriter.text(listing.id), listing.leaves))
            }
        }
        let checkedCount = wanted.count
        if page.asksFirst, !wanted.isEmpty {
            let missing = try await link.peer.missing(wanted)
            wanted = wanted.compactMap { id, _ in missing[id].map { (id, $0.missing) } }
            known.set(missing: wanted.count, of: checkedCount)
        }
        while !wanted.isEmpty {
            let part = try await encoded(wanted)
            wanted.removeFirst(part.documentCount)
            for fault in part.faults { link.board.leaveOut(fault) }
            try await send(part.body)
        }
        return Outcome(end: page.end, checkedCount: checkedCount)
    }

    private struct Part: Sendable {
        var body = BulkBody()
        var faults: [DocumentFault] = []
        var documentCount = 0
    }

    /// Returns the text of as many documents as fit into a request.
    private func encoded(_ wanted: [(id: String, revisions: [Revision])]) async throws -> Part {
        let (link, collection, idField, limit) = (link, link.collection, link.idField, link.options.byteLimit)
        return try await link.store.run { _ in
            let reader = try collection.revisionReader(isShown: true)
            var part = Part()
            var text: [UInt8] = []
            for (id, revisions) in wanted {
                var texts: [(text: [UInt8], revision: String)] = []
                for version in try reader.stored(revisions, of: .string(id)) where link.takes(version) {
                    if let fault = WireDocument.fault(of: .string(id), version.content, idField: idField) {
                        part.faults.append(fault)
                        continue
                    }
                    text.removeAll(keepingCapacity: true)
                    WireDocument(.string(id), version).write(to: &text, idField: idField)
                    texts.append((text, version.path.revision.description))
                }
                let size = texts.reduce(0) { $0 + $1.text.count }
                if part.documentCount > 0, part.body.byteCount + size > limit { break }
                for item in texts { part.body.add(item.text, id: id, revision: item.revision) }
                part.documentCount += 1
            }
            return part
        }
    }

    private func send(_ body: BulkBody) async throws {
        guard !body.entries.isEmpty else { return }
        do {
            let errors = try await link.peer.store(body)
            for (id, error) in errors {
                link.board.leaveOut(
                    DocumentFault(.refused, id: id, "the peer does not accept the document: \(error)"))
            }
            let (count, bytes) = (body.entries.count - errors.count, body.byteCount)
            let failed = Set(errors.map(\.id))
            link.board.takeIn(body.entries.lazy.map(\.id).filter { !failed.contains($0) })
            link.board.update { status in
                status.push.writtenCount += count
                status.push.byteCount += bytes
            }
        } catch let error as PeerError where [413, 500, 400, 412].contains(error.status) {
            // One document is refused, and all others with it. It is found by halves.
            if let (first, second) = body.halves {
                try await send(first)
                try await send(second)
            } else if let entry = body.entries.first {
                link.board.leaveOut(
                    DocumentFault(
                        error.status == 413 ? .tooLarge : .refused, id: entry.id, revision: entry.revision,
                        "the peer does not accept the document: \(error)"))
            }
        }
    }
}

/// Whether a peer has most documents of a feed, so that it is worthwhile to ask before they are sent.
private final class KnownShare: Sendable {
    private struct State {
        var isLow = false
        var sent = 0
    }

    private let state = Mutex(State())

    /// Returns whether to ask. After a few pages without a question, one asks again.
    func asksFirst() -> Bool {
        state.withLock { state in
            guard state.isLow, state.sent < 8 else {
                state.sent = 0
                return true
            }
            state.sent += 1
            return false
        }
    }

    func set(missing: Int, of count: Int) { state.withLock { $0.isLow = missing * 20 >= count * 19 } }
}
