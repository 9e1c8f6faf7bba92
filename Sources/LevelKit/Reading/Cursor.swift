#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A position that moves over the keys of a range, in order.
///
/// A new cursor stands before the first key. It sees the database as it was when the cursor was made.
///
/// ```swift
/// var cursor = try database.cursor(in: .prefix(Array("photo/".utf8)))
/// while try cursor.advance() {
///     print(cursor.key.count, cursor.value.count)
/// }
/// ```
///
/// ``key`` and ``value`` lend the engine's own memory: the compiler keeps them from outliving the position. A cursor
/// belongs to one thread at a time. While one lives, the files that it reads stay on disk, and while it stands on an
/// entry, the database cannot be closed.
@safe public struct Cursor: ~Copyable {
    // Without payload, so that a step moves one byte and counts no references.
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
    /// Whether `life` rests, so that closing the database may take the iterator.
    private var isResting = true
    private let range: KeyRange
    private let reverse: Bool
    /// Whether the range ends before the database does, in the direction of travel.
    private let hasFarBound: Bool
    /// Whether the range begins after the database does, in the direction of travel.
    private let hasNearBound: Bool
    @usableFromInline var position = Position.start
    // The key at the position, until the next move. The value is asked for where it is read: many loops want keys alone.
    @usableFromInline var entryKey = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// What went wrong, once the position is `failed`.
    private var failure: LevelError?
    /// The key at which the next ``advance()`` begins, after ``seek(to:)``.
    private var target: [UInt8]?

    /// A cursor over the newest state, or another one that an iterator of its own holds.
    init(core: DatabaseCore, iterator: EngineIterator, range: KeyRange, reverse: Bool) {
        self.init(
            core: core, iterator: EntryIterator(iterator), life: LiveCursor(iterator), range: range, reverse: reverse)
    }

    /// A cursor over a view that others read too.
    init(core: DatabaseCore, iterator: BufferedIterator, range: KeyRange, reverse: Bool) {
        self.init(core: core, iterator: EntryIterator(iterator), life: LiveCursor(nil), range: range, reverse: reverse)
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
    /// - Returns: whether there is one. Once `false`, it stays `false` until ``seek(to:)``.
    /// - Throws: ``LevelError``: `corruption` as soon as a damaged block was met, so that no gap goes unnoticed; `io`;
    ///   `closed`. Once thrown, it is thrown again by every later call.
    /// - Complexity: O(1) amortised, plus a block read from disk now and then.
    public mutating func advance() throws(LevelError) -> Bool {
        try move(checks: true)
    }

    /// Moves as ``advance()`` does, and leaves it to ``checkForErrors()`` to say whether a damaged block was passed over.
    ///
    /// For loops that use nothing of what they read before all of it is read, or that call ``checkForErrors()`` before they
    /// do: asking at each step takes a fifth of the time of such a loop. At the end of the range it is asked in any case, so
    /// `false` means that nothing was left out.
    ///
    /// - Returns: whether there is a next key.
    /// - Throws: as ``advance()``, but damage perhaps only at the end.
    /// - Complexity: as ``advance()``.
    public mutating func advanceUnchecked() throws(LevelError) -> Bool {
        try move(checks: false)
    }

    /// Throws what the moves so far have met, if that was not thrown before. Changes nothing where there was no damage.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`.
    /// - Complexity: O(1).
    public mutating func checkForErrors() throws(LevelError) {
        if position == .failed { throw failure ?? core.closedError }
        // At rest all was asked, and the iterator may be gone.
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

    /// Remembers what the iterator met.
    private mutating func fail() -> LevelError {
        let error = LevelError.engine(iterator.error ?? "unknown", action: "read on in \(core.path)")
            .located(near: keyNearDamage, order: core.order, in: core.enginePath)
        failure = error
        rest(at: .failed)
        return error
    }

    /// A key next to which the iterator has passed over damage; `nil` for the end of the database.
    private var keyNearDamage: [UInt8]? {
        if iterator.isValid { return unsafe Array(iterator.key) }
        switch reverse ? range.lower : range.upper {
        case .included(let key), .excluded(let key): return key
        case .unbounded: return reverse ? [] : nil
        }
    }

    /// Takes a position without an entry, at which nothing of the iterator is lent.
    private mutating func rest(at position: Position) {
        self.position = position
        life.rest()
        isResting = true
    }

    /// Makes the next ``advance()`` begin at `key`: at the first key not less than it, or in reverse at the last key
    /// not greater. A key outside the range begins at the near end of the range, or finds nothing.
    public mutating func seek(to key: [UInt8]) {
        if position == .failed { return }
        target = key
        position = .start
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

    /// LevelDB aborts the process when an iterator is asked for an entry it does not stand on; so does this, with words.
    @inlinable
    func requireEntry() {
        precondition(position == .entry, "key and value exist only after advance() has returned true")
    }

    private mutating func moveToStart() throws(LevelError) {
        defer { target = nil }
        if let target, !hasNearBound, !reverse {
            // What most seeks are, without a copy of the bound.
            iterator.seek(target.span)
        } else if reverse {
            seekToLast(atMost: tighter(range.upper, target, lower: false))
        } else {
            seekToFirst(atLeast: tighter(range.lower, target, lower: true))
        }
    }

    /// The bound of the range or the target of a seek, whichever leaves fewer keys.
    private func tighter(_ bound: KeyBound, _ target: [UInt8]?, lower: Bool) -> KeyBound {
        guard let target else { return bound }
        switch bound {
        case .unbounded: return .included(target)
        case .included(let key), .excluded(let key):
            let order = core.order.compare(target.span, key.span)
            return (lower ? order > 0 : order < 0) ? .included(target) : bound
        }
    }

    private func seekToFirst(atLeast bound: KeyBound) {
        switch bound {
        case .unbounded: iterator.seekToFirst()
        case .included(let key): iterator.seek(key.span)
        case .excluded(let key):
            iterator.seek(key.span)
            if iterator.isValid, isOn(key) { iterator.next() }
        }
    }

    private func seekToLast(atMost bound: KeyBound) {
        switch bound {
        case .unbounded: iterator.seekToLast()
        case .included(let key): seekToLast(key, included: true)
        case .excluded(let key): seekToLast(key, included: false)
        }
    }

    private func seekToLast(_ key: [UInt8], included: Bool) {
        iterator.seek(key.span)
        if !iterator.isValid {
            // Every key is smaller, unless the seek met damage: then the error is found by the caller.
            if iterator.error == nil { iterator.seekToLast() }
        } else if !(included && isOn(key)) {
            iterator.previous()
        }
    }

    /// Whether the iterator stands on a key, in the order of the database.
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

    /// Whether a key lies before the end of the range in the direction of travel. The other end was the start.
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

/// Bytewise order as LevelDB's default comparator has it (`util/comparator.cc`): negative, zero or positive.
@inline(__always)
func compareBytes(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    let common = min(a.count, b.count)
    if common > 0 {
        let order = unsafe memcmp(a.baseAddress!, b.baseAddress!, common)
        if order != 0 { return Int(order) }
    }
    return a.count - b.count
}
