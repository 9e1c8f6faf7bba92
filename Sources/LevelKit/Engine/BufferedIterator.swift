/// Iterates over the entries of a view after later writes, like a dedicated LevelDB iterator.
///
/// All readers of such a view share a single LevelDB iterator. Entries are therefore copied from it in batches,
/// doubling with each call, and the iterator is repositioned only if another reader has used it in between.
@safe final class BufferedIterator {
    private struct Entry {
        let start: Int
        let keyCount: Int
        let valueCount: Int
    }

    private enum Origin {
        case first
        case last
        case atOrAfter([UInt8])
        /// After the last entry of the buffer, or before its first.
        case neighbour
    }

    private static let entryLimit = 256
    private static let byteLimit = 128 << 10

    private let views: ReadViews
    private let view: ReadView
    private let reader: UInt64
    /// The entries in ascending order. Their bytes may be in any order.
    private var entries: [Entry] = []
    private var bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 10)
    private var capacity = 1 << 10
    private var used = 0
    private var index = 0
    /// The number of entries that the next fill copies.
    private var wanted = 1
    /// Whether no entries exist beyond the buffer in the direction of the last fill.
    private var isAtEnd = false
    private var isForward = true
    /// The error that LevelDB's iterator reported after the entries of the buffer.
    private var failure: String?

    /// Creates an iterator without a position. It is a user of the view until it is destroyed.
    init(_ view: ReadView, of views: ReadViews) {
        self.view = view
        self.views = views
        reader = views.makeReader()
        views.retain(view)
    }

    deinit {
        views.release(view)
        unsafe bytes.deallocate()
    }

    var isValid: Bool { entries.indices.contains(index) }

    /// Whether the current position was unreadable.
    var hasFailed: Bool { failure != nil && !isValid }

    var error: String? { isValid ? nil : failure }

    /// The key at a valid position, until the next move.
    var key: UnsafeBufferPointer<UInt8> {
        let entry = entries[index]
        return unsafe UnsafeBufferPointer(start: bytes + entry.start, count: entry.keyCount)
    }

    /// The value at a valid position, until the next move.
    var value: UnsafeBufferPointer<UInt8> {
        let entry = entries[index]
        return unsafe UnsafeBufferPointer(start: bytes + entry.start + entry.keyCount, count: entry.valueCount)
    }

    func seekToFirst() { begin(at: .first, forward: true) }

    func seekToLast() { begin(at: .last, forward: false) }

    func seek(_ key: Span<UInt8>) { begin(at: .atOrAfter(key.copied()), forward: true) }

    func next() { step(1) }

    func previous() { step(-1) }

    private func begin(at origin: Origin, forward: Bool) {
        wanted = 1
        isAtEnd = false
        fill(from: origin, forward: forward)
    }

    private func step(_ offset: Int) {
        index += offset
        if isValid { return }
        let forward = offset > 0
        if forward == isForward, isAtEnd || failure != nil { return }
        if forward != isForward { wanted = 1 }
        fill(from: .neighbour, forward: forward)
    }

    /// Replaces the entries of the buffer.
    private func fill(from origin: Origin, forward: Bool) {
        let old = Neighbour(
            key: (forward ? entries.last : entries.first).map { unsafe Array(keyBytes(of: $0)) },
            // LevelDB's iterator was left at the last copied entry.
            isWhereTheLastFillEnded: forward == isForward || entries.count == 1)
        entries.removeAll(keepingCapacity: true)
        used = 0
        failure = nil
        isForward = forward
        let isOpen = views.withIterator(of: view, for: reader) { iterator, isWhereItWasLeft in
            switch origin {
            case .first: iterator.seekToFirst()
            case .last: iterator.seekToLast()
            case .atOrAfter(let key): iterator.seek(key.span)
            case .neighbour:
                guard let key = old.key else { return false }
                if !(isWhereItWasLeft && old.isWhereTheLastFillEnded) { iterator.seek(key.span) }
                if iterator.isValid { move(iterator, forward) }
            }
            return take(from: iterator, forward)
        }
        // The database is closed, which the cursor has checked before. The cursor finds no entries and ends.
        if !isOpen { failure = "the database was closed" }
        if !forward { entries.reverse() }
        index = forward ? 0 : entries.count - 1
        wanted = min(wanted * 2, Self.entryLimit)
    }

    private struct Neighbour {
        let key: [UInt8]?
        let isWhereTheLastFillEnded: Bool
    }

    private func move(_ iterator: EngineIterator, _ forward: Bool) {
        if forward { iterator.next() } else { iterator.previous() }
    }

    /// Copies entries, starting at the position of LevelDB's iterator.
    ///
    /// - Returns: whether the iterator is at the last copied entry.
    private func take(from iterator: EngineIterator, _ forward: Bool) -> Bool {
        while true {
            // LevelDB skips corrupt blocks, so the error is checked before each entry.
            if iterator.hasFailed {
                failure = iterator.error ?? "unknown"
                return false
            }
            guard iterator.isValid else {
                isAtEnd = true
                return false
            }
            unsafe append(iterator.key, iterator.value)
            if entries.count >= wanted || used >= Self.byteLimit {
                isAtEnd = false
                return true
            }
            move(iterator, forward)
        }
    }

    private func append(_ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        let count = key.count + value.count
        if used + count > capacity {
            let larger = max(used + count, 2 * capacity)
            let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
            unsafe copy.update(from: bytes, count: used)
            unsafe bytes.deallocate()
            unsafe bytes = copy
            capacity = larger
        }
        if let start = key.baseAddress { unsafe (bytes + used).update(from: start, count: key.count) }
        if let start = value.baseAddress { unsafe (bytes + used + key.count).update(from: start, count: value.count) }
        entries.append(Entry(start: used, keyCount: key.count, valueCount: value.count))
        used += count
    }

    private func keyBytes(of entry: Entry) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: bytes + entry.start, count: entry.keyCount)
    }
}
