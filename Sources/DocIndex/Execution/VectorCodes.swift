internal import LevelKit
internal import Synchronization

/// The codes of the vector indexes of a collection in memory, because scanning them in the database takes several times
/// as long as estimating similarities from them.
///
/// The codes of an index are read by its first search. A later search of a newer state reads the codes of documents
/// that have changed since. The codes only choose candidates; their vectors are read from the state of the search.
final class VectorCodes: Sendable {
    /// The codes of an index in one state.
    struct Codes: Sendable {
        /// The last commit of the state.
        fileprivate(set) var sequence: UInt64
        /// The rows, in ascending order.
        fileprivate(set) var rows: [UInt64] = []
        /// The codes, in the order of the rows.
        fileprivate(set) var bytes: [UInt8] = []
    }

    /// The size of the codes of an index above which they are not kept.
    let byteLimit: Int

    private let known = Mutex<[UInt32: Codes]>([:])

    init(byteLimit: Int = DocumentStore.Options.defaultVectorCodeByteCount) { self.byteLimit = byteLimit }

    /// Returns the codes of an index that are in memory, in the state of a snapshot; `nil` if there are none, or only
    /// those of a later state.
    func codes(of index: VectorIndex, for rows: RowReader) throws -> Codes? {
        let sequence = try WriterState.storedSequence(in: rows.snapshot)
        guard let old = known.withLock({ $0[index.number] }), old.sequence <= sequence else { return nil }
        if old.sequence == sequence { return old }
        guard let changed = try changedRows(since: old, rows) else { return nil }
        let new = try updated(old, changed, index, rows.snapshot, sequence: sequence)
        known.withLock { $0[index.number] = new.bytes.count <= byteLimit ? new : nil }
        return new
    }

    /// Keeps the codes of an index, unless they are too large.
    func keep(_ rows: [UInt64], _ bytes: [UInt8], of index: VectorIndex, in snapshot: Snapshot) throws {
        guard bytes.count <= byteLimit else { return }
        let sequence = try WriterState.storedSequence(in: snapshot)
        known.withLock { known in
            // Searches of older states do not replace newer codes.
            if known[index.number]?.sequence ?? 0 > sequence { return }
            known[index.number] = Codes(sequence: sequence, rows: rows, bytes: bytes)
        }
    }

    /// Forgets the codes of an index.
    func forget(_ index: VectorIndex) { known.withLock { $0[index.number] = nil } }

    /// Returns the rows of the documents that have changed since a state, in ascending order; `nil` if reading all
    /// codes takes no longer. A row whose document was deleted, and stored again in another row, can be missing, so that
    /// its code remains.
    private func changedRows(since codes: Codes, _ rows: RowReader) throws -> [UInt64]? {
        var changed: [UInt64] = []
        var cursor = try rows.snapshot.cursor(in: StoreKey.changes(behind: codes.sequence), cache: .bypass)
        var count = 0
        while try cursor.advance() {
            count += 1
            guard count <= 100 + codes.rows.count / 50, let key = StoreChange.Key(cursor.key) else { return nil }
            if key.collection == rows.collection.number { changed.append(key.row) }
        }
        return Set(changed).sorted()
    }

    /// Returns codes in which those of some rows are replaced by the stored ones.
    private func updated(
        _ old: Codes, _ changed: [UInt64], _ index: VectorIndex, _ snapshot: Snapshot, sequence: UInt64
    ) throws -> Codes {
        let size = index.code?.byteCount ?? 0
        var new = Codes(sequence: sequence)
        var next = 0
        func keepRows(before end: Int) {
            new.rows += old.rows[next..<end]
            new.bytes += old.bytes[next * size..<end * size]
        }
        for row in changed {
            let place = old.place(of: row)
            keepRows(before: place)
            next = place < old.rows.count && old.rows[place] == row ? place + 1 : place
            guard let code = try snapshot.value(forKey: index.key(.code, row: row)) else { continue }
            guard code.count == size else { throw index.damaged }
            new.rows.append(row)
            new.bytes += code
        }
        keepRows(before: old.rows.count)
        return new
    }
}

extension VectorCodes.Codes {
    /// The place of the first row that is not less than a row.
    fileprivate func place(of row: UInt64) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle] < row { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
