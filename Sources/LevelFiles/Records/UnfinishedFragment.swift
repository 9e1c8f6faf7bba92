/// A fragment that LevelDB skips without a word: its length leads beyond the end of the file, or its header is zero.
///
/// LevelDB takes such a fragment for a write that was not finished, or for reserved room, and drops the rest of the block
/// (`db/log_reader.cc`, `ReadPhysicalRecord`). So one damaged length would hide every later record of the last block.
/// This type decides whether the fragment is unfinished or damaged. It is damaged if
///
/// - its checksum matches a shorter payload, after which the file ends or another record begins; or
/// - a record with a matching checksum lies anywhere after it.
///
/// *Records inside values.* A value may itself contain a log, so that a record lies within a write that was cut off. Where
/// the fragment has the form of a write that was cut off, nothing after it is looked at: its header and its batch must
/// agree that the value goes on beyond the end of the file.
struct UnfinishedFragment {
    /// What the bytes are.
    enum Verdict: Equatable {
        /// A write that was not finished, or nothing at all.
        case unfinished
        /// A fragment that is whole but for its length; its payload ends at this position of the block.
        case wrongLength(end: Int)
        /// Damage. The next record begins at this position of the block.
        case damaged(next: Int)
    }

    /// The block, up to the end of the file.
    let block: [UInt8]
    /// Where the fragment begins.
    let position: Int
    /// The payloads of the fragments before it that belong to the same record; `nil` if it begins a record.
    let beginning: [UInt8]?
    let content: RecordReader.Content
    /// The least sequence number that a later batch can have.
    let nextSequence: UInt64

    private static let fullType: UInt8 = 1

    private var payloadStart: Int { position + RecordReader.headerByteCount }
    private var type: UInt8 { block[position + 6] }
    private var isZero: Bool { type == 0 && length(at: position) == 0 }

    /// Decides what the fragment is.
    ///
    /// - Complexity: O(n) in the bytes of the block after the fragment, plus a checksum for each position that looks like
    ///   the header of a batch.
    func verdict() -> Verdict {
        var searchStart = position + 1
        if content == .batches, !isZero {
            switch batchExtent {
            case .goesOn(let byteCount) where isCutOff(batchByteCount: byteCount): return .unfinished
            case .ends(let byteCount):
                // Nothing before this is a record of the log.
                searchStart = max(searchStart, payloadStart + byteCount - (beginning?.count ?? 0))
            case .goesOn, .none: break
            }
        }
        let next = recordStart(from: searchStart)
        let end = next ?? block.count
        if !isZero, end >= payloadStart, hasFittingType, isSound(at: position, end: end) {
            return .wrongLength(end: end)
        }
        return next.map { .damaged(next: $0) } ?? .unfinished
    }

    // MARK: - The fragment

    /// Whether its type is one that may stand here and end a record. Only a record's end can be in front of another one.
    private var hasFittingType: Bool { type == (beginning == nil ? Self.fullType : 4) }

    private var batchExtent: BatchExtent? {
        BatchExtent(of: (beginning ?? []) + block[payloadStart...], from: nextSequence)
    }

    /// Whether the header tells of a fragment that may be a part of such a batch, and fits into a block.
    ///
    /// - Parameter byteCount: the batch has at least so many bytes.
    private func isCutOff(batchByteCount byteCount: Int) -> Bool {
        let end = payloadStart + length(at: position)
        guard end <= RecordReader.blockByteCount else { return false }
        switch (type, beginning) {
        case (1, nil): return byteCount <= length(at: position)
        case (2, nil): return end == RecordReader.blockByteCount
        case (3, .some): return position == 0 && end == RecordReader.blockByteCount
        case (4, .some(let beginning)): return position == 0 && byteCount <= beginning.count + length(at: position)
        default: return false
        }
    }

    // MARK: - Records after it

    /// The first position from `start` on at which a sound record begins.
    private func recordStart(from start: Int) -> Int? {
        let last = block.count - RecordReader.headerByteCount
        guard start <= last else { return nil }
        return (start...last).first { position in
            let end = position + RecordReader.headerByteCount + length(at: position)
            // A record's first part fills its block.
            let isPossible =
                block[position + 6] == Self.fullType
                || block[position + 6] == 2 && end == RecordReader.blockByteCount
            guard isPossible, end <= block.count else { return false }
            let payload = block[(position + RecordReader.headerByteCount)..<end]
            return isPlausible(payload) && isSound(at: position, end: end)
                && isContent(payload, of: block[position + 6])
        }
    }

    /// Whether a payload may be one, without much work.
    private func isPlausible(_ payload: ArraySlice<UInt8>) -> Bool {
        switch content {
        case .edits: !payload.isEmpty
        case .batches: BatchExtent.sequence(of: payload).map { $0 >= nextSequence } ?? false
        }
    }

    private func isContent(_ payload: ArraySlice<UInt8>, of type: UInt8) -> Bool {
        guard type == Self.fullType else { return true }
        switch content {
        case .edits: return (try? VersionEdit(decoding: Array(payload))) != nil
        case .batches: return (try? BatchRecord(decoding: Array(payload))) != nil
        }
    }

    // MARK: - Headers

    private func length(at position: Int) -> Int { Int(block[position + 4]) | Int(block[position + 5]) << 8 }

    /// Whether the checksum of the fragment at a position matches if its payload ends at `end`.
    private func isSound(at position: Int, end: Int) -> Bool {
        let stored = block[position..<position + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return CRC32C.masked(CRC32C.checksum(of: block[position + 6..<end])) == stored
    }
}

/// How many bytes a batch has of which perhaps only the beginning is there.
enum BatchExtent: Equatable {
    /// All of it is there: so many bytes.
    case ends(Int)
    /// It has at least so many bytes, more than are there.
    case goesOn(atLeast: Int)

    private static let headerByteCount = 12

    /// Measures a batch; `nil` for bytes that do not begin like one.
    ///
    /// - Parameter least: the least sequence number that it can have.
    init?(of bytes: [UInt8], from least: UInt64) {
        guard bytes.count >= Self.headerByteCount else {
            self = .goesOn(atLeast: Self.headerByteCount)
            return
        }
        guard let sequence = Self.sequence(of: bytes[...]), sequence >= least else { return nil }
        var rest = bytes[Self.headerByteCount...]
        for _ in 0..<Self.operationCount(of: bytes[...]) {
            guard let kind = rest.popFirst() else {
                self = .goesOn(atLeast: bytes.count + 1)
                return
            }
            guard kind <= 1 else { return nil }
            // A put has a key and a value, a deletion a key.
            for _ in 0...kind {
                guard let byteCount = Self.length(&rest) else {
                    if !rest.isEmpty { return nil }
                    self = .goesOn(atLeast: bytes.count + 1)
                    return
                }
                guard byteCount <= rest.count else {
                    self = .goesOn(atLeast: bytes.count + byteCount - rest.count)
                    return
                }
                rest = rest.dropFirst(byteCount)
            }
        }
        self = .ends(bytes.count - rest.count)
    }

    /// The sequence number at the beginning of a batch; `nil` if there is none that LevelDB gives.
    static func sequence(of bytes: ArraySlice<UInt8>) -> UInt64? {
        guard bytes.count >= headerByteCount else { return nil }
        let sequence = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return sequence < BatchOrder.sequenceLimit ? sequence : nil
    }

    /// The number of operations at the beginning of a batch, which has a header.
    static func operationCount(of bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.dropFirst(8).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A length of at most 32 bits. `nil` where the bytes end within it, and then none is left, or where it is too long.
    private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
        var length = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            length |= Int(byte & 0x7f) << shift
            if byte < 0x80 { return length }
        }
        return nil
    }
}
