internal import DocIndex
internal import Synchronization

/// The state that both directions of a replication share: the two sides, and their common checkpoints.
struct SyncLink: Sendable {
    enum Direction: String, Sendable, CaseIterable { case pull, push }

    let collection: DocumentCollection
    let peer: Peer
    let options: Replicator.Options
    let board: StatusBoard
    let idField: String
    /// The instance of the peer's database at the beginning.
    let instance: String?
    /// The identity of this pair of a store and a database.
    private let pair: String
    /// Stores the attachments that the peer sends.
    let contents: ContentQueue
    /// Whether the peer sends documents together with their attachments, as far as it is known.
    let sendsContents = PeerAbility()
    /// For the groups of a pull; see ``GroupFetch``. What has arrived of one is lost if the process ends.
    let groupTurns = TransferTurns(3)
    /// The size of the contents of a group.
    let groupSize = BodySize()
    /// The newest commit of this store whose pulled documents are covered by the peer's checkpoint.
    let confirmed: Confirmed

    /// A commit that becomes newer.
    final class Confirmed: Sendable {
        private let value: Mutex<UInt64>

        init(_ commit: UInt64) { value = Mutex(commit) }

        var commit: UInt64 { value.withLock { $0 } }

        func advance(to commit: UInt64) { value.withLock { $0 = max($0, commit) } }
    }

    /// An ability that a peer is assumed to have until it shows otherwise.
    final class PeerAbility: Sendable {
        private let isMissing = Atomic(false)

        var isExpected: Bool { !isMissing.load(ordering: .relaxed) }

        func deny() { isMissing.store(true, ordering: .relaxed) }
    }

    private let starts: [Direction: Checkpoint.Session]
    /// The IDs of the newest saves that the peer has.
    private let saves: PeerSaves

    /// The saves by direction.
    private final class PeerSaves: Sendable {
        private let value: Mutex<[Direction: String]>

        init(_ ids: [Direction: String]) { value = Mutex(ids) }

        var ids: [Direction: String] { value.withLock { $0 } }

        func set(_ direction: Direction, to id: String) { value.withLock { $0[direction] = id } }
    }

    var store: AsyncDocumentStore { collection.store.asynchronous }

    /// Returns where a direction begins; `nil` for the beginning.
    func start(_ direction: Direction) -> Checkpoint.Session? { starts[direction] }

    /// Reads what both sides know of each other.
    static func connect(
        _ collection: DocumentCollection, peer: Peer, options: Replicator.Options, board: StatusBoard
    ) async throws -> SyncLink {
        let store = collection.store.asynchronous
        try await store.run { _ in try collection.startReplication() }
        let server = try await peer.serverID()
        let information = try await peer.information()
        let identity: String
        if let server { identity = server } else { identity = try await ownIdentity(of: peer) }
        func pair(_ epoch: StoreEpoch) -> String {
            hash([
                epoch.description, collection.name, identity, peer.path.last ?? "", options.filter?.description ?? "",
            ])
        }
        var name = pair(collection.store.epoch)
        // From the position of a pull, a push knows what it need not send back.
        let wanted = Direction.allCases.filter { $0 == .pull || options.pushes }
        var starts: [Direction: Checkpoint.Session] = [:]
        var saves: [Direction: String] = [:]
        var confirmed: UInt64 = 0
        for direction in wanted {
            let key = Self.name(direction, name)
            let own = try await Checkpoint(recordOf: key, in: collection, store)
            if direction == .pull, !options.pulls, own.sessions.isEmpty { continue }
            let record = try await peer.localRecord(key)
            let other = record.map { Checkpoint($0) } ?? Checkpoint()
            if let acknowledged = try await store.run({ _ in try collection.localRecord(Self.acknowledgedName(key)) }),
                !acknowledged.isEmpty,
                !other.sessions.contains(where: { $0.id.utf8.elementsEqual(acknowledged) })
            {
                board.update { $0.peerWasSetBack = true }
                // It may lack what came from it.
                let echoName = Self.echoName(name)
                try await store.replicate(collection.name) { batch in
                    if batch.localRecord(echoName) != nil { batch.setLocalRecord(echoName, to: EchoNotes().text) }
                }
            }
            if record == nil { continue }
            saves[direction] = other.sessions.first?.id
            if own.isBehind(other) {
                // The store lost what it had saved first: it is an earlier state of itself.
                try await store.run { try $0.renewEpoch() }
                name = pair(collection.store.epoch)
                board.update { $0.wasSetBack = true }
                starts = [:]
                saves = [:]
                confirmed = 0
                break
            }
            starts[direction] = own.common(with: other)
            if direction == .pull { confirmed = own.common(with: other)?.commit ?? 0 }
        }
        let leftOut = try await store.run { [name] _ in try collection.localRecord(Self.leftOutName(name)) }
        board.restore(LeftOutList.read(leftOut), of: name)
        return SyncLink(
            collection: collection, peer: peer, options: options, board: board,
            idField: collection.definition.idField, instance: information.instance, pair: name,
            contents: ContentQueue(of: collection.store), confirmed: Confirmed(confirmed), starts: starts,
            saves: PeerSaves(saves))
    }

    /// Returns the identity of a server that does not state one: a random string stored there.
    private static func ownIdentity(of peer: Peer) async throws -> String {
        let name = "levelkit-server"
        if case .string(let id)? = try await peer.localRecord(name)?["server"] { return id }
        let id = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
        try await peer.setLocalRecord(name, to: ["server": .string(id)])
        return id
    }

    private static func hash(_ parts: [String]) -> String {
        var hash = SHA256Hash()
        for part in parts {
            let bytes = Array("\(part.utf8.count):\(part)".utf8)
            unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        }
        let digits = Array("0123456789abcdef".utf8)
        let text = hash.digest.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    private static func name(_ direction: Direction, _ pair: String) -> String {
        "levelkit-\(direction.rawValue)-\(pair)"
    }

    /// The record of the last save that the peer is known to have.
    private static func acknowledgedName(_ key: String) -> String { "sync/acknowledged-\(key)" }

    private static func leftOutName(_ pair: String) -> String { "sync/left-out-\(pair)" }

    /// Returns whether a version takes part.
    func takes(_ version: DocumentRevision) -> Bool {
        guard let filter = options.filter, !version.isDeleted, let content = version.content else { return true }
        return filter.matches(content)
    }

    /// The record of the commits that need not be sent back.
    var echoName: String { Self.echoName(pair) }

    private static func echoName(_ pair: String) -> String { "sync/echo-\(pair)" }

    /// Notes whether a direction waits for changes. If both do, so does the replication.
    func setIdle(_ direction: Direction, _ isIdle: Bool) {
        board.update { status in
            if isIdle { status.idle.insert(direction) } else { status.idle.remove(direction) }
            status.phase = status.idle.count == directionCount ? .waiting : .transferring
        }
    }

    /// The number of directions that run.
    private var directionCount: Int { (options.pulls ? 1 : 0) + (options.pushes ? 1 : 0) }

    // MARK: - Checkpoints

    /// Reads the peer's checkpoints.
    ///
    /// - Throws: ``SyncError`` with `databaseReplaced` if the peer's database is another one by now, or was set back.
    private func records(at peer: Peer) async throws -> [Direction: DocumentObject] {
        // While the first attempt waited for an answer, many saves may have followed.
        if let records = try await confirmedRecords(at: peer) { return records }
        if let records = try await confirmedRecords(at: peer) { return records }
        throw SyncError(
            .databaseReplaced,
            "The database of the peer was restored to an earlier state during the replication; start again.")
    }

    /// Returns the peer's checkpoints; `nil` if one lacks the newest save.
    private func confirmedRecords(at peer: Peer) async throws -> [Direction: DocumentObject]? {
        guard try await peer.information().instance == instance else {
            throw SyncError(
                .databaseReplaced, "The database of the peer was replaced during the replication; start again.")
        }
        var records: [Direction: DocumentObject] = [:]
        let ids = saves.ids
        for direction in Direction.allCases where direction == .pull ? options.pulls : options.pushes {
            records[direction] = try await peer.localRecord(Self.name(direction, pair))
            guard let id = ids[direction] else { continue }
            guard let record = records[direction], Checkpoint(record).sessions.contains(where: { $0.id == id }) else {
                return nil
            }
        }
        return records
    }

    /// Checks the peer from time to time while changes are waited for.
    ///
    /// - Throws: ``SyncError`` with `databaseReplaced`; ``PeerError`` with status 404 if the database is missing;
    ///   `CancellationError`. Other failures are left to the transfers, which try again and report them.
    func watch() async throws {
        var peer = peer
        peer.onRetry = { _, _ in }
        peer.onRequest = {}
        var isAcknowledged = false
        while true {
            try await Task.sleep(for: min(max(options.checkpointPeriod, .milliseconds(10)), .seconds(3600)))
            do {
                _ = try await records(at: peer)
                guard board.current.idle.count == directionCount else { continue }
                // After an interruption, no document may tell that the transfers are connected again.
                if board.current.phase == .transferring { board.update { $0.phase = .waiting } }
                if !isAcknowledged {
                    try await acknowledgeSetBack()
                    isAcknowledged = true
                }
            } catch let error as PeerError where error.status == 404 {
                throw error
            } catch  where error is SyncError || error is CancellationError {
                throw error
            } catch {
                continue
            }
        }
    }

    /// Notes that a peer that was set back has all it lost, so that the next replication does not report it again.
    func acknowledgeSetBack() async throws {
        guard board.current.peerWasSetBack else { return }
        let ids = saves.ids
        try await store.replicate(collection.name) { batch in
            for direction in Direction.allCases where direction == .pull || options.pushes {
                let name = Self.acknowledgedName(Self.name(direction, pair))
                if batch.localRecord(name) != nil { batch.setLocalRecord(name, to: Array((ids[direction] ?? "").utf8)) }
            }
        }
    }

    /// Saves the checkpoint of a direction: here first, durably, then at the peer.
    ///
    /// - Throws: ``SyncError`` with `databaseReplaced` if the peer's database is another one by now, or was set back.
    ///   Its checkpoint is then not overwritten: the next replication needs it to find what was lost.
    func save(_ direction: Direction, _ position: PeerPosition, written: Int) async throws {
        let key = Self.name(direction, pair)
        if direction == .push { try await peer.commit() }
        let record = try await records(at: peer)[direction]
        let id = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
        let time = DocumentDate.now.description
        let echoName = echoName
        let leftOut = board.unsavedLeftOut().map { (Self.leftOutName(pair), LeftOutList.text($0)) }
        let checkpoint = try await store.replicate(collection.name, isSynced: true) { batch in
            var checkpoint = Checkpoint(batch.localRecord("sync/\(key)"))
            checkpoint.add(
                Checkpoint.Session(
                    id: id, position: position, commit: batch.sequence - 1, written: written, time: time))
            batch.setLocalRecord("sync/\(key)", to: Array(DocumentValue.object(checkpoint.object).json.utf8))
            if let (name, text) = leftOut { batch.setLocalRecord(name, to: text) }
            if direction == .push, case .int(let commit) = position.value, let text = batch.localRecord(echoName) {
                var notes = EchoNotes(text)
                notes.drop(through: UInt64(max(commit, 0)))
                batch.setLocalRecord(echoName, to: notes.text)
            }
            return checkpoint
        }.result
        try await store(checkpoint, direction, replacing: record)
        saves.set(direction, to: id)
        try await store.replicate(collection.name) {
            $0.setLocalRecord(Self.acknowledgedName(key), to: Array(id.utf8))
        }
        if direction == .pull { confirmed.advance(to: checkpoint.sessions.first?.commit ?? 0) }
    }

    /// Stores a checkpoint at the peer.
    ///
    /// Before the request is sent again, the peer is checked: it may have been set back while it did not answer. It may
    /// also have the checkpoint, if the answer was lost.
    private func store(
        _ checkpoint: Checkpoint, _ direction: Direction, replacing stored: DocumentObject?
    ) async throws {
        var once = peer
        once.attemptLimit = 1
        var stored = stored
        var attempt = 1
        while true {
            do {
                try await once.setLocalRecord(
                    Self.name(direction, pair), to: checkpoint.object, replacing: stored)
                return
            } catch {
                // An earlier attempt may arrive late; the peer then refuses this one.
                let isRefused = (error as? PeerError)?.status == 409
                if !isRefused { try await peer.wait(after: error, attempt: attempt) }
                attempt += 1
                stored = try await records(at: peer)[direction]
                if let stored, Checkpoint(stored).sessions.first?.id == checkpoint.sessions.first?.id { return }
                if isRefused { throw error }
            }
        }
    }
}

extension SyncLink {
    /// Saves the list of documents that are left out, if it changed after the last checkpoint.
    func saveLeftOut() async throws {
        guard let list = board.unsavedLeftOut() else { return }
        let (name, text) = (Self.leftOutName(pair), LeftOutList.text(list))
        try await store.replicate(collection.name) { $0.setLocalRecord(name, to: text) }
    }
}

/// The stored form of the list of documents that are left out.
private enum LeftOutList {
    static func text(_ list: [(problem: DocumentError, direction: SyncLink.Direction)]) -> [UInt8] {
        let entries = list.sorted { $0.problem.id < $1.problem.id }.map { problem, direction -> DocumentValue in
            [
                "id": .string(problem.id), "code": .string(problem.code.rawValue), "message": .string(problem.message),
                "revision": problem.revision.map(DocumentValue.string) ?? .null,
                "direction": .string(direction.rawValue),
            ]
        }
        return Array(DocumentValue.array(entries).json.utf8)
    }

    /// Reads the list. Entries that cannot be read are dropped.
    static func read(_ text: [UInt8]?) -> [(problem: DocumentError, direction: SyncLink.Direction)] {
        guard let text, case .array(let entries)? = try? JSONParser().parse(text) else { return [] }
        return entries.compactMap { entry in
            guard case .object(let entry) = entry, case .string(let id)? = entry["id"],
                case .string(let code)? = entry["code"], let code = DocumentError.Code(rawValue: code),
                case .string(let message)? = entry["message"], case .string(let name)? = entry["direction"],
                let direction = SyncLink.Direction(rawValue: name)
            else { return nil }
            var revision: String?
            if case .string(let text)? = entry["revision"] { revision = text }
            return (DocumentError(code, id: id, revision: revision, message), direction)
        }
    }
}

extension Checkpoint {
    /// Reads the checkpoint that a store keeps.
    init(_ record: [UInt8]?) {
        guard let record, case .object(let object)? = try? JSONParser().parse(record) else {
            self.init()
            return
        }
        self.init(object)
    }

    init(recordOf key: String, in collection: DocumentCollection, _ store: AsyncDocumentStore) async throws {
        self.init(try await store.run { _ in try collection.localRecord("sync/\(key)") })
    }
}
