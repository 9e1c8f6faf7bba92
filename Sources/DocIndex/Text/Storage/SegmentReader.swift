internal import LevelKit
internal import Synchronization

/// Reads the terms and postings of one segment.
struct SegmentReader: Sendable {
    let reader: any KeyValueReader
    let index: TextIndex
    let segment: TextSegment

    /// Returns the record of a term; `nil` if no document of the segment contains it.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`.
    func record(_ term: [UInt8]) throws -> TermRecord? {
        let key = TextIndexKey.terms.term(index.number, segment.number, term)
        guard let bytes = try reader.value(forKey: key) else { return nil }
        return try record(bytes.span)
    }

    func record(_ bytes: Span<UInt8>) throws -> TermRecord {
        guard let record = TermRecord(bytes, segment: segment, hasFields: index.hasFields) else {
            throw damage("the record of a term cannot be read")
        }
        return record
    }

    /// Returns a group of a term whose postings fill at least one block.
    func group(_ number: Int, of record: TermRecord, term: [UInt8]) throws -> PostingGroup {
        guard case .long(let groups, let first) = record.postings else { throw damage("a term has no groups") }
        if number == 0 { return first }
        let key = Self.key(.groups, index.number, segment.number, term, number)
        guard let bytes = try reader.value(forKey: key),
            let group = PostingGroup(
                bytes.span, group: groups[number], hasFields: index.hasFields, count: record.count(ofGroup: number))
        else { throw damage("a group of postings is missing or cannot be read") }
        return group
    }

    /// Returns the encoded positions of a group.
    func positions(_ number: Int, of group: PostingGroup, term: [UInt8]) throws -> [UInt8] {
        let key = Self.key(.positions, index.number, segment.number, term, number)
        guard let bytes = try reader.value(forKey: key), bytes.count == group.blocks.last?.positionEnd else {
            throw damage("the positions of a term are missing or cannot be read")
        }
        return bytes
    }

    static func key(_ kind: TextIndexKey, _ index: UInt32, _ segment: UInt32, _ term: [UInt8], _ group: Int) -> [UInt8]
    {
        var key = kind.term(index, segment, term)
        TupleEncoder.append(Int64(group), to: &key)
        return key
    }

    func damage(_ what: String) -> DocIndexError {
        DocIndexError.damagedTextIndex(index.name, "\(what) (segment \(segment.number))")
    }

    /// Calls `body` with each posting of a term in slot order, with its encoded positions.
    func forEachPosting(
        of record: TermRecord, term: [UInt8],
        _ body: (_ slot: UInt32, _ frequency: UInt32, _ fields: UInt32, _ positions: Span<UInt8>) throws -> Void
    ) throws {
        switch record.postings {
        case .none: return
        case .short(let plain):
            var offset = 0
            let positions = plain.positions.span
            for index in plain.slots.indices {
                let start = offset
                guard TextPosition.skip(positions, &offset, fields: plain.fields[index]) else {
                    throw damage("positions cannot be read")
                }
                try body(
                    plain.slots[index], plain.frequencies[index], plain.fields[index],
                    positions.extracting(start..<offset))
            }
            guard offset == positions.count else { throw damage("there are extra bytes after the positions of a term") }
        case .long(let groups, _):
            let buffer = BlockBuffer()
            for number in groups.indices {
                let group = try group(number, of: record, term: term)
                let positions = try positions(number, of: group, term: term)
                buffer.use(group)
                for block in group.blocks.indices {
                    guard buffer.read(block: block) else { throw damage("a block of postings cannot be read") }
                    var offset = group.blocks[block].positionOffset
                    let span = positions.span
                    for index in 0..<buffer.count {
                        let start = offset
                        let fields = buffer.fieldSet(at: index)
                        guard TextPosition.skip(span, &offset, fields: fields) else {
                            throw damage("positions cannot be read")
                        }
                        unsafe try body(
                            buffer.slots[index], buffer.frequencies[index], fields, span.extracting(start..<offset))
                    }
                    guard offset == group.blocks[block].positionEnd else {
                        throw damage("the positions of a block end in the wrong place")
                    }
                }
            }
        }
    }
}

/// A cache of records, groups and positions of segments. Segments never change, and their numbers are never reused.
///
/// Two generations of entries keep what is used repeatedly. When the younger generation is full, it replaces the older
/// one. An entry found in the older generation moves to the younger one.
final class TermCache: Sendable {
    private struct Key: Hashable {
        let index: UInt32
        let segment: UInt32
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

    private struct State {
        var young: [Key: (entry: Entry, byteCount: Int)] = [:]
        var old: [Key: (entry: Entry, byteCount: Int)] = [:]
        var youngByteCount = 0

        mutating func find(_ key: Key, generationByteLimit: Int) -> Entry? {
            if let found = young[key] { return found.entry }
            guard let found = old.removeValue(forKey: key) else { return nil }
            insert(found.entry, key, byteCount: found.byteCount, generationByteLimit: generationByteLimit)
            return found.entry
        }

        mutating func insert(_ entry: Entry, _ key: Key, byteCount: Int, generationByteLimit: Int) {
            if youngByteCount + byteCount > generationByteLimit {
                old = young
                young = [:]
                youngByteCount = 0
            }
            if young.updateValue((entry, byteCount), forKey: key) == nil { youngByteCount += byteCount }
        }
    }

    private let state = Mutex(State())
    /// The approximate size of each generation, in bytes.
    private let generationByteLimit: Int

    init(generationByteLimit: Int = 16 << 20) { self.generationByteLimit = generationByteLimit }

    /// Returns the record of a term, from the cache or from the reader.
    func record(_ term: [UInt8], in segment: SegmentReader) throws -> TermRecord? {
        let key = key(term, .record, segment)
        switch find(key) {
        case .record(let record): return record
        case .absent: return nil
        default: break
        }
        let record = try segment.record(term)
        insert(record.map { .record($0) } ?? .absent, key, byteCount: record?.byteCount ?? 0)
        return record
    }

    /// Returns a group of a term, from the cache or from the reader.
    func group(_ number: Int, of record: TermRecord, term: [UInt8], in segment: SegmentReader) throws -> PostingGroup {
        if number == 0 { return try segment.group(0, of: record, term: term) }
        let key = key(term, .group(number), segment)
        if case .group(let group) = find(key) { return group }
        let group = try segment.group(number, of: record, term: term)
        insert(.group(group), key, byteCount: group.byteCount)
        return group
    }

    /// Returns the encoded positions of a group, from the cache or from the reader.
    func positions(_ number: Int, of group: PostingGroup, term: [UInt8], in segment: SegmentReader) throws -> [UInt8] {
        let key = key(term, .positions(number), segment)
        if case .positions(let positions) = find(key) { return positions }
        let positions = try segment.positions(number, of: group, term: term)
        insert(.positions(positions), key, byteCount: positions.count)
        return positions
    }

    private func key(_ term: [UInt8], _ part: Part, _ segment: SegmentReader) -> Key {
        Key(index: segment.index.number, segment: segment.segment.number, term: term, part: part)
    }

    private func find(_ key: Key) -> Entry? {
        state.withLock { $0.find(key, generationByteLimit: generationByteLimit) }
    }

    private func insert(_ entry: Entry, _ key: Key, byteCount: Int) {
        state.withLock {
            $0.insert(
                entry, key, byteCount: byteCount + key.term.count + 100, generationByteLimit: generationByteLimit)
        }
    }

    /// Removes all entries.
    func removeAll() { state.withLock { $0 = State() } }
}
