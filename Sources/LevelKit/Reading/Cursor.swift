/// A position that moves over the keys of a range, in order.
///
/// A new cursor is before the first key. It sees the database as it was when the cursor was created.
///
/// ```swift
/// var cursor = try database.cursor(in: .prefix(Array("photo/".utf8)))
/// while try cursor.advance() {
///     print(cursor.key.count, cursor.value.count)
/// }
/// ```
///
/// ``key`` and ``value`` lend LevelDB's memory. The compiler ensures that they do not outlive the position. A cursor
/// belongs to one thread at a time. While it exists, the files that it reads stay on disk. While it is on an entry, the
/// database cannot be closed.
@safe public struct Cursor: ~Copyable {
    // Without payload, so that a step moves a single byte and counts no references.
    @usableFromInline
    enum Position {
        case start
        case entry
        case end
        case failed
    }

    private let core: DatabaseCore
    private let iterator: EntryIterator
    private let life: LiveCursor
    private let registration: UInt64
    /// Whether `life` is at rest, so that closing the database may destroy the iterator.
    private var isResting = true
    private let range: KeyRange
    private let reverse: Bool
    /// Whether the range has a bound at its end, in the direction of travel.
    private let hasFarBound: Bool
    /// Whether the range has a bound at its start, in the direction of travel.
    private let hasNearBound: Bool
    @usableFromInline var position = Position.start
    // The key at the position, until the next move. The value is read on demand, because many loops use only keys.
    @usableFromInline var entryKey = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The error, once the position is `failed`.
    private var failure: LevelError?
    /// The key at which the next ``advance()`` starts, after ``seek(to:)``.
    private var target: [UInt8]?

    /// Creates a cursor over the newest state, or over another state that a dedicated iterator holds.
    init(core: DatabaseCore, iterator: EngineIterator, range: KeyRange, direction: KeyDirection) {
        self.init(
            core: core, iterator: EntryIterator(iterator), life: LiveCursor(iterator), range: range,
            reverse: direction == .descending)
    }

    /// Creates a cursor over a shared view.
    init(core: DatabaseCore, iterator: BufferedIterator, range: KeyRange, direction: KeyDirection) {
        self.init(
            core: core, iterator: EntryIterator(iterator), life: LiveCursor(nil), range: range,
            reverse: direction == .descending)
    }

    private init(core: DatabaseCore, iterator: EntryIterator, life: LiveCursor, range: KeyRange, reverse: Bool) {
        self.core = core
        self.iterator = iterator
        self.life = life
        self.range = range
        self.reverse = reverse
        hasFarBound = (reverse ? range.lower : range.upper) != .unbounded
        hasNearBound = (reverse ? range.upper : range.lower) != .unbounded
        registration = core.register(life)
    }

    deinit {
        guard core.isOwnedByThisProcess else { return }
        life.end()
        iterator.end()
        core.unregisterCursor(registration)
    }

    /// Moves to the next key in the cursor's direction.
    ///
    /// - Returns: whether a next key exists. Once `false`, it stays `false` until the next call of `seek(to:)`.
    /// - Throws: ``LevelError``: `corruption` at the first corrupt block, so that no gap goes unnoticed; `io`;
    ///   `closed`. Every later call throws the same error again.
    /// - Complexity: amortized O(1), plus an occasional block read from disk.
    public mutating func advance() throws(LevelError) -> Bool {
        try move(checks: true)
    }

    /// Moves like ``advance()``, but leaves the detection of skipped corrupt blocks to ``checkForErrors()``.
    ///
    /// For loops that use no results before everything is read, or that call ``checkForErrors()`` before they use them.
    /// Checking at each step takes a fifth of the time of such a loop. The end of the range is always checked, so
    /// `false` means that nothing was skipped.
    ///
    /// - Returns: whether a next key exists.
    /// - Throws: like ``advance()``, but corruption may be reported only at the end.
    /// - Complexity: like ``advance()``.
    public mutating func advanceUnchecked() throws(LevelError) -> Bool {
        try move(checks: false)
    }

    /// Throws an error that earlier moves encountered and did not throw. Has no effect if nothing is corrupt.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`.
    /// - Complexity: O(1).
    public mutating func checkForErrors() throws(LevelError) {
        if position == .failed { throw failure ?? core.closedError }
        // At rest all errors have been checked, and the iterator may be gone.
        if !isResting, iterator.hasFailed { throw fail() }
    }

    @inline(__always)
    private mutating func move(checks: Bool) throws(LevelError) -> Bool {
        try core.requireOpen()
        switch position {
        case .start:
            if isResting {
                guard life.wake() else { throw core.closedError }
                isResting = false
            }
            try moveToStart()
        case .entry: if reverse { iterator.previous() } else { iterator.next() }
        case .end: return false
        case .failed: throw failure ?? core.closedError
        }
        let isValid = iterator.isValid
        if checks || !isValid, iterator.hasFailed { throw fail() }
        guard isValid else {
            rest(at: .end)
            return false
        }
        unsafe entryKey = iterator.key
        if hasFarBound, unsafe !isWithinFarBound(entryKey) {
            if !checks, iterator.hasFailed { throw fail() }
            rest(at: .end)
            return false
        }
        position = .entry
        return true
    }

    /// Stores and returns the iterator's error.
    private mutating func fail() -> LevelError {
        let error = LevelError.engine(iterator.error ?? "unknown", action: "continue reading \(core.path)")
            .located(near: keyNearDamage, order: core.order, in: core.enginePath)
        failure = error
        rest(at: .failed)
        return error
    }

    /// A key next to the corruption that the iterator skipped, or `nil` for the end of the database.
    private var keyNearDamage: [UInt8]? {
        if iterator.isValid { return unsafe Array(iterator.key) }
        switch reverse ? range.lower : range.upper {
        case .included(let key), .excluded(let key): return key
        case .unbounded: return reverse ? [] : nil
        }
    }

    /// Moves to a position without an entry, at which the cursor lends no memory of the iterator.
    private mutating func rest(at position: Position) {
        self.position = position
        life.rest()
        isResting = true
    }

    /// Makes the next ``advance()`` start at `key`: at the first key not less than it, or in descending direction at the last key
    /// not greater. With a key outside the range, it starts at the near end of the range, or finds nothing.
    public mutating func seek(to key: [UInt8]) {
        if position == .failed { return }
        target = key
        position = .start
    }

    /// Makes the next ``advance()`` start at `key`, such as a string; see ``seek(to:)-([UInt8])``.
    public mutating func seek(to key: some ByteRepresentable) {
        seek(to: key.byteArray)
    }

    /// The key at the position.
    ///
    /// - Precondition: the last ``advance()`` returned `true`.
    @inlinable
    public var key: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            requireEntry()
            return unsafe _overrideLifetime(Span(_unsafeElements: entryKey), borrowing: self)
        }
    }

    /// The value at the position.
    ///
    /// - Precondition: the last ``advance()`` returned `true`.
    public var value: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            requireEntry()
            return unsafe _overrideLifetime(Span(_unsafeElements: iterator.value), borrowing: self)
        }
    }

    // MARK: - Bounds

    /// LevelDB aborts the process if an iterator is read at an invalid position. This traps with a message instead.
    @inlinable
    func requireEntry() {
        precondition(position == .entry, "key and value exist only after advance() has returned true")
    }

    private mutating func moveToStart() throws(LevelError) {
        defer { target = nil }
        if let target, !hasNearBound, !reverse {
            // The common case of a seek, without a copy of the bound.
            iterator.seek(target.span)
        } else if reverse {
            seekToLast(atMost: tighter(range.upper, target, lower: false))
        } else {
            seekToFirst(atLeast: tighter(range.lower, target, lower: true))
        }
    }

    /// Returns the bound of the range or the target of a seek, whichever includes fewer keys.
    private func tighter(_ bound: KeyBound<[UInt8]>, _ target: [UInt8]?, lower: Bool) -> KeyBound<[UInt8]> {
        guard let target else { return bound }
        switch bound {
        case .unbounded: return .included(target)
        case .included(let key), .excluded(let key):
            let order = core.order.compare(target.span, key.span)
            return (lower ? order > 0 : order < 0) ? .included(target) : bound
        }
    }

    private func seekToFirst(atLeast bound: KeyBound<[UInt8]>) {
        switch bound {
        case .unbounded: iterator.seekToFirst()
        case .included(let key): iterator.seek(key.span)
        case .excluded(let key):
            iterator.seek(key.span)
            if iterator.isValid, isOn(key) { iterator.next() }
        }
    }

    private func seekToLast(atMost bound: KeyBound<[UInt8]>) {
        switch bound {
        case .unbounded: iterator.seekToLast()
        case .included(let key): seekToLast(key, included: true)
        case .excluded(let key): seekToLast(key, included: false)
        }
    }

    private func seekToLast(_ key: [UInt8], included: Bool) {
        iterator.seek(key.span)
        if !iterator.isValid {
            // Every key is smaller, unless the seek found corruption, which the caller reports.
            if iterator.error == nil { iterator.seekToLast() }
        } else if !(included && isOn(key)) {
            iterator.previous()
        }
    }

    /// Returns whether the iterator is at a key that compares equal to `key`.
    private func isOn(_ key: [UInt8]) -> Bool {
        unsafe core.order.compare(Span(_unsafeElements: iterator.key), key.span) == 0
    }

    @inline(__always)
    private func compare(_ key: UnsafeBufferPointer<UInt8>, with bound: [UInt8]) -> Int {
        switch core.order.kind {
        case .bytewise: unsafe bound.withUnsafeBufferPointer { unsafe compareBytes(key, $0) }
        case .custom(let compare): unsafe compare(Span(_unsafeElements: key), bound.span)
        }
    }

    /// Returns whether a key is before the end of the range, in the direction of travel. The start has already been
    /// applied.
    @inline(__always)
    private func isWithinFarBound(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        switch reverse ? range.lower : range.upper {
        case .unbounded: return true
        case .included(let bound):
            let order = unsafe compare(key, with: bound)
            return reverse ? order >= 0 : order <= 0
        case .excluded(let bound):
            let order = unsafe compare(key, with: bound)
            return reverse ? order > 0 : order < 0
        }
    }
}

@available(*, unavailable)
extension Cursor: Sendable {}
