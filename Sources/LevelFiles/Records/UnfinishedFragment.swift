/// A fragment that LevelDB skips silently: its length extends beyond the end of the file, or its header is zero.
///
/// LevelDB treats such a fragment as an unfinished write or as preallocated space, and drops the rest of the block
/// (`db/log_reader.cc`, `ReadPhysicalRecord`). A single corrupt length would thus hide every later record of the last
/// block. This type decides whether the fragment is unfinished or corrupt. It is corrupt if
///
/// - its checksum matches a shorter payload, after which the file ends or another record starts; or
/// - a record with a matching checksum follows anywhere after it.
///
/// *Records inside values.* A value may itself contain a log, so a record may be found inside a truncated write. If the
/// fragment has the form of a truncated write, nothing after it is examined. That requires that its header and its
/// batch agree that the value continues beyond the end of the file.
struct UnfinishedFragment {
    /// The result of the decision.
    enum Verdict: Equatable {
        /// An unfinished write, or preallocated space.
        case unfinished
        /// A fragment that is intact except for its length. Its payload ends at this position of the block.
        case wrongLength(end: Int)
        /// Corruption. The next record starts at this position of the block.
        case damaged(next: Int)
    }

    /// The block, up to the end of the file.
    let block: [UInt8]
    /// The position at which the fragment starts.
    let position: Int
    /// The payload of the preceding fragments of the same record, or `nil` if this one starts a record.
    let beginning: [UInt8]?
    let content: RecordReader.Content
    /// The smallest sequence number that a later batch can have.
    let nextSequence: UInt64

    private static let fullType: UInt8 = 1

    private var payloadStart: Int { position + RecordReader.headerByteCount }
    private var type: UInt8 { block[position + 6] }
    private var isZero: Bool { type == 0 && length(at: position) == 0 }

    /// Decides what the fragment is.
    ///
    /// - Complexity: O(n) in the bytes of the block after the fragment, plus a checksum for each position that looks
    ///   like the header of a batch.
    func verdict() -> Verdict {
        var searchStart = position + 1
        if content == .batches, !isZero {
            switch batchExtent {
            case .goesOn(let byteCount) where isCutOff(batchByteCount: byteCount): return .unfinished
            case .ends(let byteCount):
                // No record of the log can start before this position.
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

    /// Whether its type is allowed here and completes a record. Only a completed record can precede another one.
    private var hasFittingType: Bool { type == (beginning == nil ? Self.fullType : 4) }

    private var batchExtent: BatchExtent? {
        BatchExtent(of: (beginning ?? []) + block[payloadStart...], from: nextSequence)
    }

    /// Returns whether the header describes a fragment that may be a part of such a batch, and fits into a block.
    ///
    /// - Parameter byteCount: the minimum size of the batch in bytes.
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

    // MARK: - Following records

    /// Returns the first position from `start` on at which an intact record starts.
    private func recordStart(from start: Int) -> Int? {
        let last = block.count - RecordReader.headerByteCount
        guard start <= last else { return nil }
        return (start...last).first { position in
            let end = position + RecordReader.headerByteCount + length(at: position)
            // The first part of a record fills its block.
            let isPossible =
                block[position + 6] == Self.fullType
                || block[position + 6] == 2 && end == RecordReader.blockByteCount
            guard isPossible, end <= block.count else { return false }
            let payload = block[(position + RecordReader.headerByteCount)..<end]
            return isPlausible(payload) && isSound(at: position, end: end)
                && isContent(payload, of: block[position + 6])
        }
    }

    /// Returns whether bytes may be a payload, by a cheap check.
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

    /// Returns whether the checksum of the fragment at a position matches if its payload ends at `end`.
    private func isSound(at position: Int, end: Int) -> Bool {
        let stored = block[position..<position + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return CRC32C.masked(CRC32C.checksum(of: block[position + 6..<end])) == stored
    }
}

/// The size of a batch that may be truncated.
enum BatchExtent: Equatable {
    /// The batch is complete and has this size.
    case ends(Int)
    /// The batch is truncated and has at least this size.
    case goesOn(atLeast: Int)

    private static let headerByteCount = 12

    /// Measures a batch. Returns `nil` if the bytes cannot be the start of a batch.
    ///
    /// - Parameter least: the smallest sequence number that it can have.
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
            // A put has a key and a value, a deletion only a key.
            for _ in 0...kind {
                guard let length = try? Varint.read(from: &rest, byteLimit: 5) else {
                    if !rest.isEmpty { return nil }
                    self = .goesOn(atLeast: bytes.count + 1)
                    return
                }
                let byteCount = Int(length)
                guard byteCount <= rest.count else {
                    self = .goesOn(atLeast: bytes.count + byteCount - rest.count)
                    return
                }
                rest = rest.dropFirst(byteCount)
            }
        }
        self = .ends(bytes.count - rest.count)
    }

    /// Returns the sequence number at the start of a batch, or `nil` if LevelDB cannot have assigned it.
    static func sequence(of bytes: ArraySlice<UInt8>) -> UInt64? {
        guard bytes.count >= headerByteCount else { return nil }
        let sequence = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return sequence < BatchOrder.sequenceLimit ? sequence : nil
    }

    /// Returns the number of operations from the header of a batch.
    static func operationCount(of bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.dropFirst(8).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
