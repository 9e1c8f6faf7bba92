internal import LevelKit
internal import Synchronization

/// Documents that were used several times, in memory, so that reading them again needs neither LevelDB nor decoding.
///
/// **Which documents.** A document is added when it is read for the second time, so reading everything once changes
/// little. It replaces documents that were not used since the last time they could have been replaced, as in CLOCK (F.
/// J. Corbató, "A Paging Experiment with the Multics System", 1968).
///
/// **Which state.** A commit removes its documents before it is written. Therefore a document in the cache has not changed
/// since it was added. It answers readers whose snapshot contains all commits that had ended by then, and only a reader
/// whose snapshot contains every commit that has begun adds documents.
final class DocumentCache: Sendable {
    /// The number of parts that are locked separately.
    private static let partCount = 8

    private let parts: [Part]
    /// The columns of fields.
    let columns: ValueColumns
    /// The maximum size of the codes of a vector index in memory.
    let vectorCodeByteLimit: Int
    /// The number of commits that have begun, and of those that have ended.
    private let begun = Atomic<UInt64>(0)
    private let ended = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - byteLimit: the maximum size of the documents in memory; 0 to keep none.
    ///   - columnByteLimit: the maximum size of the columns in memory; 0 to keep none.
    ///   - vectorCodeByteLimit: the maximum size of the codes of a vector index in memory.
    ///   - addsAtFirstUse: whether documents and columns are added when they are read for the first time.
    init(
        byteLimit: Int, columnByteLimit: Int = 0,
        vectorCodeByteLimit: Int = DocumentStore.Options.defaultVectorCodeByteCount, addsAtFirstUse: Bool = false
    ) {
        self.vectorCodeByteLimit = vectorCodeByteLimit
        columns = ValueColumns(byteLimit: columnByteLimit, buildsAtFirstUse: addsAtFirstUse)
        parts =
            byteLimit <= 0
            ? []
            : (0..<Self.partCount).map { _ in
                Part(byteLimit: max(1, byteLimit / Self.partCount), addsAtFirstUse: addsAtFirstUse)
            }
    }

    /// The document of a row of a collection.
    struct Key: Hashable {
        let collection: UInt32
        let row: UInt64

        /// A number that few documents share.
        fileprivate var number: UInt64 { row ^ UInt64(collection) << 40 }

        /// Bits that select a part and a counter.
        fileprivate var bits: UInt64 { number &* 0x9e37_79b9_7f4a_7c15 }
    }

    /// The number of commits that a snapshot taken from now on contains at least.
    var commitCount: UInt64 { ended.load(ordering: .sequentiallyConsistent) }

    /// Runs `body`, which writes documents, and removes them from the cache before.
    ///
    /// - Parameter keys: the documents; `nil` for any.
    func whileWriting<R>(_ keys: [Key]?, _ body: () throws -> R) rethrows -> R {
        begun.add(1, ordering: .sequentiallyConsistent)
        defer { ended.add(1, ordering: .sequentiallyConsistent) }
        columns.forget(keys)
        if let keys, !parts.isEmpty {
            for key in keys { part(of: key).remove(key) }
        } else {
            for part in parts { part.removeAll() }
        }
        return try body()
    }

    /// Returns a document as of a snapshot; `nil` if it is not in memory. Counts as a use.
    ///
    /// - Parameter commitCount: the number of commits that the snapshot contains at least.
    func row(_ key: Key, commitCount: UInt64) -> CachedRow? {
        parts.isEmpty ? nil : part(of: key).row(key, commitCount: commitCount)
    }

    /// Adds a document that was not in memory, if it was read before.
    ///
    /// - Parameters:
    ///   - record: the record of the document.
    ///   - commitCount: the number of commits that the snapshot contains at least.
    func add(_ record: borrowing RowRecord, of key: Key, commitCount: UInt64) -> CachedRow? {
        if parts.isEmpty { return nil }
        return part(of: key).add(record, of: key, commitCount: commitCount) { isNewest(commitCount) }
    }

    /// Returns whether a snapshot with these commits contains every commit that has begun.
    func isNewest(_ commitCount: UInt64) -> Bool { begun.load(ordering: .sequentiallyConsistent) == commitCount }

    /// Keeps the decoded document of a row.
    func keep(_ document: Document, of row: CachedRow) { part(of: row.key).keep(document, of: row) }

    /// Returns the fields that a selection had of a document as of a snapshot; `nil` if they are not in memory, or if
    /// another selection was the last one. Counts as a use.
    ///
    /// - Parameter commitCount: the number of commits that the snapshot contains at least.
    func object(_ key: Key, selectedBy selection: Selection, commitCount: UInt64) -> DocumentObject? {
        parts.isEmpty ? nil : part(of: key).object(key, selectedBy: selection, commitCount: commitCount)
    }

    /// Keeps the selected fields of a row, in place of an earlier selection.
    func keep(_ object: DocumentObject, selectedBy selection: Selection, of row: CachedRow) {
        part(of: row.key).keep(object, selectedBy: selection, of: row)
    }

    /// The cache, as a snapshot sees it.
    struct View: Sendable {
        let cache: DocumentCache
        /// The number of commits that the snapshot contains at least.
        let commitCount: UInt64

        /// Returns the row of a collection; `nil` if it is not in memory. Counts as a use.
        func row(_ row: UInt64, of collection: LoadedCollection) -> CachedRow? {
            cache.row(Key(collection: collection.number, row: row), commitCount: commitCount)
        }

        /// Returns the fields that a selection had of a row of a collection; `nil` if they are not in memory. Counts as a
        /// use.
        func object(
            _ row: UInt64, of collection: LoadedCollection, selectedBy selection: Selection
        ) -> DocumentObject? {
            cache.object(
                Key(collection: collection.number, row: row), selectedBy: selection, commitCount: commitCount)
        }

        /// Adds a row that was not in memory, if it was read before.
        func add(_ record: borrowing RowRecord, _ row: UInt64, of collection: LoadedCollection) -> CachedRow? {
            cache.add(record, of: Key(collection: collection.number, row: row), commitCount: commitCount)
        }
    }

    /// The cache as the newest state sees it, without a snapshot.
    var newest: View { View(cache: self, commitCount: commitCount) }

    /// The size of the documents in memory.
    var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

    private func part(of key: Key) -> Part { parts[Int(key.bits >> 61)] }
}

/// The paths of one or more calls of ``DocumentCollection/select(_:_:options:)``, which recognize each other's results.
final class Selection: Sendable {
    let paths: [FieldPath]

    init(_ paths: [FieldPath]) { self.paths = paths }
}

/// The record of a document in memory, and the document itself once it was decoded.
final class CachedRow: Sendable {
    fileprivate let key: DocumentCache.Key
    fileprivate let bytes: [UInt8]
    fileprivate let bodyStart: Int
    fileprivate let sequence: UInt64
    private let decoded = Mutex<Document?>(nil)

    fileprivate init(_ record: borrowing RowRecord, of key: DocumentCache.Key) {
        self.key = key
        bytes = record.bytes.copied()
        bodyStart = record.bodyStart
        sequence = record.sequence
    }

    /// Calls `body` with the record.
    func withRecord<R>(_ body: (borrowing RowRecord) throws -> R) rethrows -> R {
        let bytes = bytes
        let record = RowRecord(bytes.span, bodyStart: bodyStart, sequence: sequence, cached: self)
        return try body(record)
    }

    /// The decoded document; `nil` if it was not decoded yet.
    fileprivate(set) var document: Document? {
        get { decoded.withLock { $0 } }
        set { decoded.withLock { $0 = newValue } }
    }
}

/// A part of the cache, with its own lock.
private final class Part: Sendable {
    /// The estimated memory of a row beside its record.
    private static let rowByteCount = 240

    private struct Slot {
        let row: CachedRow
        let key: DocumentCache.Key
        /// The number of commits that had ended when the record was read.
        let commitCount: UInt64
        var byteCount: Int
        /// The fields that were selected last, and their part of the memory.
        var object: DocumentObject?
        var selection: Selection?
        var selectedByteCount = 0
        /// Whether the row was used since it was added or spared.
        var isUsed = false
    }

    private struct Content {
        /// The positions of rows by the numbers of their keys, of which each is there once.
        var positions: [UInt64: Int] = [:]
        var slots: [Slot] = []
        var byteCount = 0
        /// The next slot that is considered for replacement.
        var hand = 0
        var readRows: ReadRows

        /// Returns the position of a document; `nil` if it is not there, or not in the state of a snapshot.
        func position(of key: DocumentCache.Key, _ commitCount: UInt64) -> Int? {
            guard let position = positions[key.number], slots[position].key == key,
                slots[position].commitCount <= commitCount
            else { return nil }
            return position
        }

        /// Returns the position of a row; `nil` if it was removed.
        func position(of row: CachedRow) -> Int? {
            positions[row.key.number].flatMap { slots[$0].row === row ? $0 : nil }
        }

        mutating func add(_ wanted: Int, at position: Int) {
            byteCount += wanted
            slots[position].byteCount += wanted
        }

        mutating func setObject(
            _ object: DocumentObject?, selectedBy selection: Selection?, byteCount: Int, at position: Int
        ) {
            add(byteCount - slots[position].selectedByteCount, at: position)
            slots[position].object = object
            slots[position].selection = selection
            slots[position].selectedByteCount = byteCount
        }

        mutating func remove(at position: Int) {
            let removed = slots[position]
            byteCount -= removed.byteCount
            positions[removed.key.number] = nil
            let last = slots.removeLast()
            if position < slots.count {
                slots[position] = last
                positions[last.key.number] = position
            }
        }

        /// Removes rows that were not used lately until there is room.
        ///
        /// - Returns: whether there is; there is none for a large document.
        mutating func makeRoom(_ wanted: Int, _ byteLimit: Int) -> Bool {
            guard wanted <= byteLimit / 4 else { return false }
            while byteCount + wanted > byteLimit {
                if hand >= slots.count { hand = 0 }
                if slots[hand].isUsed {
                    slots[hand].isUsed = false
                } else {
                    // The newest row takes this slot, and must not be the next one to go.
                    remove(at: hand)
                }
                hand += 1
            }
            return true
        }
    }

    private let byteLimit: Int
    private let addsAtFirstUse: Bool
    private let content: Mutex<Content>

    init(byteLimit: Int, addsAtFirstUse: Bool) {
        self.byteLimit = byteLimit
        self.addsAtFirstUse = addsAtFirstUse
        content = Mutex(Content(readRows: ReadRows(rowCount: min(byteLimit / 512, 1 << 18))))
    }

    var byteCount: Int { content.withLock { $0.byteCount } }

    func row(_ key: DocumentCache.Key, commitCount: UInt64) -> CachedRow? {
        content.withLock { content in
            guard let position = content.position(of: key, commitCount) else { return nil }
            content.slots[position].isUsed = true
            return content.slots[position].row
        }
    }

    func object(
        _ key: DocumentCache.Key, selectedBy selection: Selection, commitCount: UInt64
    ) -> DocumentObject? {
        content.withLock { content in
            guard let position = content.position(of: key, commitCount),
                content.slots[position].selection === selection
            else { return nil }
            content.slots[position].isUsed = true
            return content.slots[position].object
        }
    }

    func add(
        _ record: borrowing RowRecord, of key: DocumentCache.Key, commitCount: UInt64, if isNewest: () -> Bool
    ) -> CachedRow? {
        content.withLock { content in
            let byteCount = record.bytes.count + Self.rowByteCount
            guard content.readRows.insert(key) || addsAtFirstUse, isNewest(), content.positions[key.number] == nil,
                content.makeRoom(byteCount, byteLimit)
            else { return nil }
            let row = CachedRow(record, of: key)
            content.positions[key.number] = content.slots.count
            content.slots.append(Slot(row: row, key: key, commitCount: commitCount, byteCount: byteCount))
            content.byteCount += byteCount
            return row
        }
    }

    func keep(_ document: Document, of row: CachedRow) {
        let wanted = document.content.byteCountInMemory
        content.withLock { content in
            guard row.document == nil, content.position(of: row) != nil, content.makeRoom(wanted, byteLimit),
                // Making room moves rows, or removes this one.
                let position = content.position(of: row)
            else { return }
            row.document = document
            content.add(wanted, at: position)
        }
    }

    func keep(_ object: DocumentObject, selectedBy selection: Selection, of row: CachedRow) {
        let wanted = object.byteCountInMemory
        content.withLock { content in
            guard let known = content.position(of: row) else { return }
            content.setObject(nil, selectedBy: nil, byteCount: 0, at: known)
            guard content.makeRoom(wanted, byteLimit), let position = content.position(of: row) else { return }
            content.setObject(object, selectedBy: selection, byteCount: wanted, at: position)
        }
    }

    func remove(_ key: DocumentCache.Key) {
        content.withLock { content in
            if let position = content.position(of: key, .max) { content.remove(at: position) }
        }
    }

    func removeAll() {
        content.withLock { content in
            content.positions = [:]
            content.slots = []
            content.byteCount = 0
        }
    }
}

/// Rows that were read lately. A row is forgotten after a few others with the same place, and may be confused with
/// another one in rare cases.
private struct ReadRows {
    /// A part of the hash of four rows for each place, the last one first; 0 for none.
    private var places: [SIMD4<UInt16>]

    /// - Parameter rowCount: the approximate number of rows to remember.
    init(rowCount: Int) {
        var count = 16
        while 4 * count < 2 * rowCount { count *= 2 }
        places = Array(repeating: .zero, count: count)
    }

    /// Adds a row, and returns whether it was there already.
    mutating func insert(_ key: DocumentCache.Key) -> Bool {
        let place = Int(truncatingIfNeeded: key.bits >> 40) & (places.count - 1)
        let hash = UInt16(truncatingIfNeeded: key.bits >> 24) | 1
        let known = places[place]
        if any(known .== SIMD4(repeating: hash)) { return true }
        places[place] = SIMD4(hash, known.x, known.y, known.z)
        return false
    }
}

// MARK: - Memory

extension DocumentObject {
    /// The estimated memory of the members, without what documents share, such as names.
    fileprivate var byteCountInMemory: Int {
        // From some size on, an object has an index of its members.
        let memberByteCount = MemoryLayout<Member>.stride + (count > 32 ? 32 : 0)
        return reduce(64 + count * memberByteCount) { $0 + $1.value.byteCountInMemory }
    }
}

extension DocumentValue {
    /// The estimated memory of the value beside the enumeration itself.
    fileprivate var byteCountInMemory: Int {
        switch self {
        case .array(let elements):
            elements.reduce(48 + elements.count * MemoryLayout<DocumentValue>.stride) { $0 + $1.byteCountInMemory }
        case .object(let object): object.byteCountInMemory
        default: scalarByteCountInMemory
        }
    }

    private var scalarByteCountInMemory: Int {
        switch self {
        // Swift stores up to 15 bytes in place.
        case .string(let text): text.utf8.count > 15 ? text.utf8.count + 48 : 0
        case .bytes(let bytes): bytes.count + 48
        case .attachment: 256
        case .null, .bool, .int, .double, .date, .array, .object: 0
        }
    }
}
