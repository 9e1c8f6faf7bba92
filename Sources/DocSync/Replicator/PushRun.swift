internal import DocIndex
internal import Synchronization

/// Brings the store's documents to the peer.
struct PushRun: Sendable {
    let link: SyncLink
    private let size = BodySize()

    init(link: SyncLink) { self.link = link }

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
            try await inOrder(width: 3) { () -> Page? in
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
            guard try await changes.next() != nil else {
                try Task.checkCancellation()
                return
            }
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
            let (listings, end, hasEcho) = try await link.store.run { [start] _ in
                let notes = try collection.localRecord(echoName).map(EchoNotes.init) ?? EchoNotes()
                let (listings, end) = try collection.revisions(since: start, limit: limit) { commit in
                    commit > confirmed || !notes.contains(commit)
                }
                return (listings, end, listings.contains { notes.contains($0.sequence) })
            }
            if !listings.isEmpty {
                // The peer has what came from there, but has not confirmed it yet.
                return Page(listings: listings, end: end, asksFirst: known.asksFirst() || hasEcho)
            }
            if end == start { return start > position ? Page(listings: [], end: end, asksFirst: false) : nil }
            start = end
        }
    }

    private func transfer(_ page: Page, _ known: KnownShare) async throws -> Outcome {
        let start = link.board.leftOutTime
        var wanted: [Wanted] = []
        for listing in page.listings {
            if let problem = WireDocument.problem(of: listing.id, nil, idField: link.idField) {
                // The peer never had the document, so it need not hear of the deletion.
                if listing.isDeleted {
                    link.board.takeIn(.push, [problem.id], since: .max)
                } else {
                    link.board.leaveOut(.push, problem)
                }
            } else {
                wanted.append(Wanted(id: VersionWriter.text(listing.id), revisions: listing.leaves))
            }
        }
        let checkedCount = wanted.count
        // A document that was edited may have attachments that the peer has.
        let asksFirst = page.asksFirst || page.listings.contains { $0.leaves.contains { $0.generation > 1 } }
        if asksFirst, !wanted.isEmpty {
            let missing = try await link.peer.missing(wanted.map { ($0.id, $0.revisions) })
            wanted = wanted.compactMap { item in
                missing[item.id].map {
                    Wanted(id: item.id, revisions: $0.missing, ancestors: $0.possibleAncestors)
                }
            }
            known.set(missing: wanted.count, of: checkedCount)
        }
        while !wanted.isEmpty {
            let part = try await encoded(wanted)
            wanted.removeFirst(part.documentCount)
            for problem in part.problems { link.board.leaveOut(.push, problem) }
            try await send(part.body, since: start)
            var attached = part.attached[...]
            try await inOrder(width: 3) {
                attached.isEmpty ? nil : Self.nextGroup(of: &attached)
            } run: {
                try await send($0, since: start)
            } finish: { _ in
            }
        }
        return Outcome(end: page.end, checkedCount: checkedCount)
    }

    /// Versions that the peer lacks.
    private struct Wanted: Sendable {
        let id: String
        let revisions: [Revision]
        /// Leaves that the peer has, which may be ancestors.
        var ancestors: [Revision] = []
    }

    /// A version whose attachments are sent, or may be.
    private struct Attached: Sendable {
        let id: String
        let version: DocumentRevision
        let ancestors: [Revision]

        /// The size of the attachments that may be sent within the document; `nil` if they are sent after it.
        var inlineByteCount: Int64? {
            guard let content = version.content, let attachments = try? DocumentAttachments(of: content) else {
                return nil
            }
            var sum: Int64 = 0
            for named in attachments.list {
                guard named.attachment.byteCount <= OutgoingAttachments.inlineByteCount else { return nil }
                sum += named.attachment.byteCount
                if sum > OutgoingAttachments.totalInlineByteCount { return nil }
            }
            return sum
        }
    }

    private struct Part: Sendable {
        var body = BulkBody()
        var attached: [Attached] = []
        var problems: [DocumentError] = []
        var documentCount = 0
    }

    /// Returns as many documents in JSON as fit into a request.
    private func encoded(_ wanted: [Wanted]) async throws -> Part {
        let (link, collection, idField, limit) = (link, link.collection, link.idField, link.options.byteLimit)
        return try await link.store.run { _ in
            let reader = try collection.revisionReader(isShown: true)
            var part = Part()
            var text: [UInt8] = []
            for item in wanted {
                let id = item.id
                var texts: [(text: [UInt8], revision: String)] = []
                for version in try reader.stored(item.revisions, of: .string(id)) where link.takes(version) {
                    if let problem = WireDocument.problem(of: .string(id), version.content, idField: idField) {
                        part.problems.append(problem)
                        continue
                    }
                    if let content = version.content,
                        content.position(ofName: DocumentAttachments.member) != nil
                            || !AttachmentReferences(of: content).list.isEmpty
                    {
                        part.attached.append(Attached(id: id, version: version, ancestors: item.ancestors))
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

    // MARK: - Attachments

    /// The size of the attachments that are sent with one request, in bytes, and the number of their documents. A
    /// commit of CouchDB waits for the disk, so fewer requests are faster.
    private static let groupByteCount: Int64 = 3 << 19
    private static let groupCount = 200

    /// Removes the documents from the front of a list that are sent with one request.
    private static func nextGroup(of attached: inout ArraySlice<Attached>) -> [Attached] {
        var byteCount: Int64 = 0
        var group: [Attached] = []
        while let document = attached.first, group.count < groupCount {
            byteCount += document.inlineByteCount ?? groupByteCount
            if !group.isEmpty, byteCount > groupByteCount { break }
            group.append(document)
            attached.removeFirst()
        }
        return group
    }

    /// Sends versions with the attachments that the peer lacks.
    private func send(_ group: [Attached], since start: Int) async throws {
        guard group.count > 1 else {
            for attached in group { try await send(attached, since: start) }
            return
        }
        var items: [(attached: Attached, known: KnownAttachments)] = []
        for attached in group { items.append((attached, try await knownAttachments(of: attached))) }
        let (body, alone, byteCounts) = try await link.store.run { [items] store in
            var body = BulkBody()
            var alone: [Attached] = []
            var byteCounts: [Int64] = []
            for (attached, known) in items {
                // A document at fault is named when it is sent alone.
                if let (text, following, byteCount) = try? self.text(of: attached, known: known, in: store),
                    following.isEmpty
                {
                    body.add(text, id: attached.id, revision: attached.version.path.revision.description)
                    byteCounts.append(byteCount)
                } else {
                    alone.append(attached)
                }
            }
            return (body, alone, byteCounts)
        }
        var isRefused = false
        if !body.entries.isEmpty {
            do {
                let failed = try await sendOnce(body, since: start)
                let sent = zip(body.entries, byteCounts).filter { !failed.contains($0.0.id) }
                link.board.update { $0.push.attachmentByteCount += sent.reduce(0) { $0 + $1.1 } }
            } catch let error as PeerError where [400, 401, 403, 412, 413, 500].contains(error.status) {
                // One document is refused, and all others with it.
                isRefused = true
            }
        }
        for attached in isRefused ? group : alone { try await send(attached, since: start) }
    }

    /// Sends a version with the attachments that the peer lacks.
    private func send(_ attached: Attached, since start: Int, isRepeated: Bool = false) async throws {
        do {
            do {
                try await send(attached, known: try await knownAttachments(of: attached))
            } catch let error as PeerError where error.status == 412 {
                // The peer lacks an attachment that it was expected to have.
                try await send(attached, known: KnownAttachments())
            }
            link.board.takeIn(.push, [attached.id], since: start)
        } catch let error as AttachmentError {
            link.board.leaveOut(
                .push,
                DocumentError(error, id: attached.id, revision: attached.version.path.revision.description))
        } catch let error as DocIndexError where [.attachmentMissing, .attachmentDamaged].contains(error.code) {
            link.board.leaveOut(.push, DocumentError(.unavailable, id: attached.id, error.message))
        } catch let error as PeerError where [400, 401, 403, 412, 413, 500].contains(error.status) {
            // A rule of the database for one document can answer like wrong credentials, or like a failure of the peer.
            if error.status == 401 || error.status == 500 { _ = try await link.peer.information() }
            if error.status == 500, !isRepeated { return try await send(attached, since: start, isRepeated: true) }
            link.board.leaveOut(
                .push,
                DocumentError(
                    error.status == 413 ? .tooLarge : .refused, id: attached.id,
                    revision: attached.version.path.revision.description,
                    "the peer does not accept the document: \(error)"))
        }
    }

    /// Returns what the peer has for the closest ancestor of a version.
    private func knownAttachments(of attached: Attached) async throws -> KnownAttachments {
        let (collection, path) = (link.collection, attached.version.path)
        let ancestors = path.revisions.dropFirst().filter(attached.ancestors.contains)
        guard let closest = ancestors.first else { return KnownAttachments() }
        let stored = try await link.store.run { _ in
            try collection.revisionReader(isShown: false).closestContent(
                on: path, of: .string(attached.id), among: [closest])?.content
        }
        if let stored, let attachments = try? DocumentAttachments(of: stored) { return KnownAttachments(attachments) }
        guard let entries = try await link.peer.attachments(of: attached.id, closest) else { return KnownAttachments() }
        return KnownAttachments(entries)
    }

    private func send(_ attached: Attached, known: KnownAttachments) async throws {
        let version = attached.version
        let (text, following, byteCount) = try await link.store.run {
            try self.text(of: attached, known: known, in: $0)
        }
        if following.isEmpty {
            var body = BulkBody()
            body.add(text, id: attached.id, revision: version.path.revision.description)
            if let (_, error) = try await link.peer.store(body).first { throw error.withStatus(400) }
        } else {
            let message = try AttachmentUpload.message(text, following, of: link.collection.store)
            try await link.peer.store(message, id: attached.id)
        }
        link.board.update { status in
            status.push.writtenCount += 1
            status.push.byteCount += text.count
            status.push.attachmentByteCount += byteCount
        }
    }

    /// Returns a document as it is sent: the text, the attachments that follow it, and the size of all attachments that
    /// are sent. Called where reads may block.
    private func text(
        of attached: Attached, known: KnownAttachments, in store: DocumentStore
    ) throws -> (text: [UInt8], following: [(entry: WireAttachment, content: Attachment)], byteCount: Int64) {
        let version = attached.version
        let outgoing = try OutgoingAttachments(
            of: version.content ?? DocumentObject(), generation: version.path.revision.generation, of: store,
            known: known, digests: AttachmentDigests(of: link.collection).known)
        let document = WireDocument(
            .string(attached.id),
            DocumentRevision(version.path, isDeleted: version.isDeleted, content: outgoing.content),
            attachments: outgoing.entries)
        var text: [UInt8] = []
        document.write(to: &text, idField: link.idField)
        let sent = outgoing.entries.filter { $0.content != .stub }
        return (text, outgoing.following, sent.reduce(0) { $0 + ($1.byteCount ?? 0) })
    }

    // MARK: - Documents in bulk

    /// Sends documents, usually with one request. On a connection that breaks off, with smaller ones, so that less is
    /// sent twice.
    ///
    /// - Returns: the IDs of the documents that the peer does not accept.
    private func sendOnce(_ body: BulkBody, since start: Int) async throws -> Set<String> {
        let canSplit = body.entries.count > 1 && body.byteCount > BodySize.smallest
        if canSplit, body.byteCount > size.limit, let (first, second) = body.halves {
            return try await sendOnce(first, since: start).union(sendOnce(second, since: start))
        }
        let errors: [(id: String, error: PeerError)]
        do {
            errors = try await link.peer.store(body, repeatsAfterCut: !canSplit)
            size.grow()
        } catch let error as TransportError where canSplit && error.isInterruption {
            size.shrink(below: body.byteCount)
            return try await sendOnce(body, since: start)
        }
        for (id, error) in errors {
            link.board.leaveOut(
                .push,
                DocumentError(.refused, id: id, "the peer does not accept the document: \(error)"))
        }
        let (count, bytes) = (body.entries.count - errors.count, body.byteCount)
        let failed = Set(errors.map(\.id))
        link.board.takeIn(.push, body.entries.lazy.map(\.id).filter { !failed.contains($0) }, since: start)
        link.board.update { status in
            status.push.writtenCount += count
            status.push.byteCount += bytes
        }
        return failed
    }

    private func send(_ body: BulkBody, since start: Int, isRepeated: Bool = false) async throws {
        guard !body.entries.isEmpty else { return }
        do {
            _ = try await sendOnce(body, since: start)
        } catch let error as PeerError where [413, 500, 400, 412].contains(error.status) {
            // Whether the peer itself fails, or a document does.
            if error.status == 500 { _ = try await link.peer.information() }
            // One document is refused, and all others with it. It is found by halves.
            if let (first, second) = body.halves {
                try await send(first, since: start)
                try await send(second, since: start)
            } else if error.status == 500, !isRepeated {
                try await send(body, since: start, isRepeated: true)
            } else if let entry = body.entries.first {
                link.board.leaveOut(
                    .push,
                    DocumentError(
                        error.status == 413 ? .tooLarge : .refused, id: entry.id, revision: entry.revision,
                        "the peer does not accept the document: \(error)"))
            }
        }
    }
}

/// The size of the documents that one request sends or asks for. It is halved when a connection breaks off, and grows slowly with
/// each success.
final class BodySize: Sendable {
    /// The size in bytes below which a request is repeated as it is.
    static let smallest = 64 << 10

    /// By how many bytes a success raises the size. With one break in each megabyte, a tenth is sent twice.
    static let step = 16 << 10

    private let bound = Mutex(Int.max)

    /// The largest size in bytes.
    var limit: Int { bound.withLock { $0 } }

    /// Notes that a request of some bytes was interrupted.
    func shrink(below byteCount: Int) { bound.withLock { $0 = max(Self.smallest, min($0, byteCount) / 2) } }

    /// Notes that a request succeeded.
    func grow() { bound.withLock { $0 = $0 > Int.max - Self.step ? .max : $0 + Self.step } }
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
