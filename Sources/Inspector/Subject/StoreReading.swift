internal import DocIndex
internal import Synchronization

/// The store that is shown, and how it is read: away from the threads of the network, a limited number of queries at
/// once, and each for a limited time.
final class StoreReading: Sendable {
    /// The largest number of clients that wait for changes.
    static let seatLimit = 16
    /// How often a store of another process is looked at, at most. It takes at most a tenth of a core.
    private static let shortestInterval = Duration.milliseconds(100)

    private struct State {
        var store: DocumentStore
        var seatCount = 0
        var lastRenewal = ContinuousClock.now
        var renewalInterval = StoreReading.shortestInterval
        var isRenewing = false
    }

    private let condition: Mutex<State>
    /// Returns a newer state of a store that another process writes; `nil` if there is none.
    private let renew: (@Sendable () throws -> DocumentStore?)?
    private let limits: ReadingLimits
    private let turnstile: QueryTurnstile
    private let cache = StateCache()
    /// The services of a shell; `nil` for none.
    let services: ShellServices?
    /// Commands run one at a time, because they share the session of the shell.
    private let consoleTurnstile: QueryTurnstile

    init(
        _ store: DocumentStore, renew: (@Sendable () throws -> DocumentStore?)? = nil, services: ShellServices? = nil,
        limits: ReadingLimits = ReadingLimits()
    ) {
        condition = Mutex(State(store: store))
        self.renew = renew
        self.services = services
        self.limits = limits
        turnstile = QueryTurnstile(patience: limits.patience)
        consoleTurnstile = QueryTurnstile(limit: 1, patience: limits.patience)
    }

    private var store: DocumentStore { condition.withLock { $0.store } }

    // MARK: - Queries

    /// Returns the newest state.
    func state() async throws -> ReadableStore {
        try await renewIfDue()
        return try await store.asynchronous.run { try ReadableStore(newestOf: $0) }
    }

    /// Runs `body`, which reads the store, within a time. A query that takes longer is canceled.
    ///
    /// - Throws: ``Problem`` with `busy` or `tooSlow`; what `body` throws.
    func run<R: Sendable>(
        within limit: Duration? = nil, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        let limit = limit ?? limits.query
        let executor = store.asynchronous
        return try await turnstile.run {
            try await withThrowingTaskGroup(of: R?.self) { group in
                group.addTask { try await executor.run { _ in try body() } }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
                defer { group.cancelAll() }
                guard let result = try await group.next() ?? nil else {
                    throw Problem(
                        .tooSlow,
                        "The query took longer than \(limit.components.seconds) s and was canceled; narrow the condition."
                    )
                }
                return result
            }
        }
    }

    /// Runs `body` within a short time; returns `nil` if it takes longer, or if too many queries are running.
    func quick<R: Sendable>(
        within limit: Duration? = nil, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R? {
        do {
            return try await run(within: limit ?? limits.extra, body)
        } catch let problem as Problem where problem.kind == .tooSlow || problem.kind == .busy {
            return nil
        }
    }

    /// Returns the answer to a question about a state, from memory or by `body` within a short time; `nil` if it takes
    /// longer, or if too many queries are running.
    func remembered<R: Sendable>(
        _ what: String, of collection: ReadableCollection, in store: ReadableStore, where condition: String,
        _ body: @escaping @Sendable () throws -> R
    ) async throws -> R? {
        let question = StateCache.Question(collection: collection.name, what: what, condition: condition)
        return try await cache.answer(to: question, of: store.tag) { try await quick(within: limits.keptExtra, body) }
    }

    // MARK: - Pictures

    /// Returns an attached picture in another size; `nil` if no shell makes it, or not within a time.
    ///
    /// The work is canceled at the end of the time, and when the task is canceled.
    ///
    /// - Throws: `CancellationError`.
    func picture(
        _ original: Attachment, _ size: ShownSize, within limit: Duration? = nil
    ) async throws -> [UInt8]? {
        guard let services else { return nil }
        let limit = limit ?? limits.picture
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { try await services.picture(original, size) }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    // MARK: - Commands

    /// Runs a command on the newest state, within the time of a query.
    ///
    /// - Throws: ``Problem`` with `notFound` if there is no console, with `busy` or `tooSlow`.
    func run(
        command line: String, _ form: CommandConsole.Form, byteLimit: Int
    ) async throws -> CommandConsole.Output {
        guard let console = services?.console else {
            throw Problem(
                .notFound, "This server has no console; lkrepl serve has one, for the commands of lkrepl that read.")
        }
        try await renewIfDue()
        return try await consoleTurnstile.run { [self] in
            try await run { try console.run(line, form, byteLimit) }
        }
    }

    // MARK: - Changes

    /// A place among the clients that wait for changes. It is free again when it is released.
    final class Seat: Sendable {
        private let reading: StoreReading

        fileprivate init(_ reading: StoreReading) { self.reading = reading }

        deinit { reading.condition.withLock { $0.seatCount -= 1 } }
    }

    /// Takes a place among the clients that wait for changes.
    ///
    /// - Throws: ``Problem`` with `busy` if none is free.
    func takeSeat() throws -> Seat {
        let isFree = condition.withLock { state in
            guard state.seatCount < Self.seatLimit else { return false }
            state.seatCount += 1
            return true
        }
        guard isFree else {
            throw Problem(.busy, "\(Self.seatLimit) clients are already waiting for changes; close a page.")
        }
        return Seat(self)
    }

    /// Waits for a commit after another one.
    ///
    /// - Returns: whether there was one within the time.
    func waitForCommit(after position: UInt64, within limit: Duration) async throws -> Bool {
        guard renew == nil else { return try await poll(after: position, within: limit) }
        let changes = store.changeStream(since: position, batchLimit: 1)
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

    private func poll(after position: UInt64, within limit: Duration) async throws -> Bool {
        let end = ContinuousClock.now + limit
        while true {
            if try await state().sequence > position { return true }
            let rest = end - ContinuousClock.now
            guard rest > .zero else { return false }
            try await Task.sleep(for: min(rest, condition.withLock { $0.renewalInterval }))
        }
    }

    /// Takes a newer state of a store of another process, if it has not been looked at for a while.
    private func renewIfDue() async throws {
        guard let renew else { return }
        let now = ContinuousClock.now
        let isDue = condition.withLock { state in
            guard !state.isRenewing, now - state.lastRenewal >= state.renewalInterval else { return false }
            state.isRenewing = true
            return true
        }
        guard isDue else { return }
        defer {
            condition.withLock { state in
                state.isRenewing = false
                state.lastRenewal = ContinuousClock.now
                state.renewalInterval = max(Self.shortestInterval, (ContinuousClock.now - now) * 10)
            }
        }
        guard let newer = try await store.asynchronous.run({ _ in try renew() }) else { return }
        // Requests in progress keep the old one until they end.
        condition.withLock { $0.store = newer }
    }
}
