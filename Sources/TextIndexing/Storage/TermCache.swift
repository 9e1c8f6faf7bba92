internal import Synchronization

/// A cache of records, groups and positions of segments. Segments never change, and their numbers are never reused.
///
/// Two generations of entries keep what is used repeatedly. When the younger generation is full, it replaces the older
/// one. An entry found in the older generation moves to the younger one. Entries of a merged segment are removed at once:
/// only readers of older snapshots still use them.
package final class TermCache: Sendable {
    private struct Segment: Hashable {
        let index: UInt32
        let number: UInt32
    }

    private struct Key: Hashable {
        let term: [UInt8]
        let part: Part
    }

    private enum Part: Hashable {
        case record
        case group(Int)
        case positions(Int)
    }

    private enum Entry {
        case absent
        case record(TermRecord)
        case group(PostingGroup)
        case positions([UInt8])
    }

    private typealias Entries = [Key: (entry: Entry, byteCount: Int)]

    /// The entries of each segment, so that those of one segment can be removed quickly.
    private struct Generation {
        private var segments: [Segment: (entries: Entries, byteCount: Int)] = [:]
        private(set) var byteCount = 0

        var keys: some Collection<Segment> { segments.keys }

        func find(_ key: Key, of segment: Segment) -> Entry? { segments[segment]?.entries[key]?.entry }

        mutating func remove(_ key: Key, of segment: Segment) -> (entry: Entry, byteCount: Int)? {
            guard segments[segment]?.entries[key] != nil else { return nil }
            let found = segments[segment]?.entries.removeValue(forKey: key)
            segments[segment]?.byteCount -= found?.byteCount ?? 0
            byteCount -= found?.byteCount ?? 0
            return found
        }

        mutating func insert(_ entry: Entry, byteCount: Int, _ key: Key, of segment: Segment) {
            guard segments[segment, default: ([:], 0)].entries.updateValue((entry, byteCount), forKey: key) == nil
            else { return }
            segments[segment]?.byteCount += byteCount
            self.byteCount += byteCount
        }

        /// Removes the entries of a segment. Returns them, so that they can be freed after the lock is released.
        mutating func remove(_ segment: Segment) -> Entries? {
            guard let removed = segments.removeValue(forKey: segment) else { return nil }
            byteCount -= removed.byteCount
            return removed.entries
        }
    }

    private struct State {
        var young = Generation()
        var old = Generation()

        mutating func find(_ key: Key, of segment: Segment, generationByteLimit: Int) -> Entry? {
            if let found = young.find(key, of: segment) { return found }
            guard let found = old.remove(key, of: segment) else { return nil }
            insert(found.entry, byteCount: found.byteCount, key, of: segment, generationByteLimit: generationByteLimit)
            return found.entry
        }

        mutating func insert(
            _ entry: Entry, byteCount: Int, _ key: Key, of segment: Segment, generationByteLimit: Int
        ) {
            if young.byteCount + byteCount > generationByteLimit {
                old = young
                young = Generation()
            }
            young.insert(entry, byteCount: byteCount, key, of: segment)
        }
    }

    private let state = Mutex(State())
    /// The approximate size of each generation, in bytes.
    private let generationByteLimit: Int

    init(generationByteLimit: Int = 16 << 20) { self.generationByteLimit = generationByteLimit }

    /// Returns the record of a term, from the cache or from the reader.
    func record(_ term: [UInt8], in segment: SegmentReader) throws -> TermRecord? {
        let key = Key(term: term, part: .record)
        switch find(key, segment) {
        case .record(let record): return record
        case .absent: return nil
        default: break
        }
        let record = try segment.record(term)
        insert(record.map { .record($0) } ?? .absent, byteCount: record?.byteCount ?? 0, key, segment)
        return record
    }

    /// Returns a group of a term, from the cache or from the reader.
    func group(_ number: Int, of record: TermRecord, term: [UInt8], in segment: SegmentReader) throws -> PostingGroup {
        if number == 0 { return try segment.group(0, of: record, term: term) }
        let key = Key(term: term, part: .group(number))
        if case .group(let group) = find(key, segment) { return group }
        let group = try segment.group(number, of: record, term: term)
        insert(.group(group), byteCount: group.byteCount, key, segment)
        return group
    }

    /// Returns the encoded positions of a group, from the cache or from the reader.
    func positions(_ number: Int, of group: PostingGroup, term: [UInt8], in segment: SegmentReader) throws -> [UInt8] {
        let key = Key(term: term, part: .positions(number))
        if case .positions(let positions) = find(key, segment) { return positions }
        let positions = try segment.positions(number, of: group, term: term)
        insert(.positions(positions), byteCount: positions.count, key, segment)
        return positions
    }

    private static func segment(_ reader: SegmentReader) -> Segment {
        Segment(index: reader.index.number, number: reader.segment.number)
    }

    private func find(_ key: Key, _ reader: SegmentReader) -> Entry? {
        let segment = Self.segment(reader)
        return state.withLock { $0.find(key, of: segment, generationByteLimit: generationByteLimit) }
    }

    /// The size of an entry beside its term and its content: the hash table, the headers of objects, and what they
    /// waste.
    private static let overhead = 180

    private func insert(_ entry: Entry, byteCount: Int, _ key: Key, _ reader: SegmentReader) {
        let byteCount = byteCount + key.term.count + Self.overhead
        let segment = Self.segment(reader)
        state.withLock {
            $0.insert(entry, byteCount: byteCount, key, of: segment, generationByteLimit: generationByteLimit)
        }
    }

    // MARK: - Removal

    /// The approximate size of all entries, in bytes.
    var byteCount: Int { state.withLock { $0.young.byteCount + $0.old.byteCount } }

    /// Returns the numbers of the segments of an index that have entries.
    func segments(of index: UInt32) -> Set<UInt32> {
        state.withLock { state in
            Set((Array(state.young.keys) + state.old.keys).filter { $0.index == index }.map(\.number))
        }
    }

    /// Removes the entries of some segments of an index.
    func remove(_ numbers: some Sequence<UInt32>, of index: UInt32) {
        for number in numbers {
            let segment = Segment(index: index, number: number)
            let removed = state.withLock { ($0.young.remove(segment), $0.old.remove(segment)) }
            withExtendedLifetime(removed) {}
        }
    }

    /// Removes all entries.
    func removeAll() { state.withLock { $0 = State() } }
}
