internal import LevelKit

/// Finds the vectors of an index that are most similar to a query, in one snapshot.
///
/// The search estimates the similarity of every vector from its code, and then reads the vectors of the best
/// candidates. Used by a single thread.
struct VectorSearch {
    /// The number of candidates unless the caller sets it; see `Benchmarks/README.md`.
    static let leastCandidateCount = 2000

    let index: VectorIndex
    let rows: RowReader
    private let limit: Int
    /// The number of vectors to read; `nil` for all.
    private let candidateCount: Int?
    private let options: Query.Options
    private let documentCount: Int
    private let memory: VectorCodes
    private var keysExamined = 0

    /// - Throws: ``DocIndexError`` with `invalidQuery` for invalid numbers.
    init(
        _ index: VectorIndex, rows: RowReader, limit: Int, exact: Bool = false, candidates: Int? = nil,
        options: Query.Options
    ) throws {
        guard limit >= 0, candidates ?? 1 >= 1 else {
            throw DocIndexError(
                .invalidQuery,
                candidates ?? 1 < 1
                    ? "the number of candidates is \(candidates ?? 0); it must be 1 or more"
                    : "the limit is \(limit); it must be 0 or more")
        }
        self.index = index
        self.rows = rows
        self.limit = limit
        self.options = options
        let wanted = candidates ?? max(Self.leastCandidateCount, limit < 1 << 40 ? 20 * limit : limit)
        candidateCount = exact ? nil : max(wanted, limit)
        documentCount = try rows.documentCount()
        memory = rows.collection.companion {
            VectorCodes(byteLimit: rows.documents?.cache.vectorCodeByteLimit ?? 0)
        }
    }

    /// Returns the most similar rows with their similarity, best first, and in ascending order at equal similarity.
    ///
    /// - Parameters:
    ///   - query: a vector with the length 1.
    ///   - chosen: the rows to consider; `nil` for all.
    ///   - excluded: a row that is not returned.
    mutating func nearest(
        to query: [Float], among chosen: RowBitmap?, except excluded: UInt64? = nil
    ) throws -> [(row: UInt64, score: Float)] {
        guard limit > 0, chosen?.count != 0 else { return [] }
        var best = BestRows<Float>(limit: limit)
        if let code = index.code, let candidateCount, candidateCount < documentCount,
            // Reading a vector takes as long as estimating some hundred.
            chosen.map({ $0.count > max(candidateCount, documentCount / 100) }) ?? true
        {
            for usesMemory in [true, false] {
                best = BestRows(limit: limit)
                let found = try estimate(
                    code, query, candidateCount, among: chosen, except: excluded, usesMemory: usesMemory)
                let missing = try read(found.sorted(), query, except: nil, into: &best)
                if missing.isEmpty { break }
                // Codes in memory can be of documents that no longer exist.
                if !usesMemory { throw index.damaged }
                memory.forget(index)
            }
        } else if let chosen, chosen.count < documentCount / 4 {
            _ = try read(chosen.sorted, query, except: excluded, into: &best)
        } else {
            try readAll(query, among: chosen, except: excluded, into: &best)
        }
        return best.sorted
    }

    /// Returns the rows with the best estimates.
    ///
    /// - Parameter usesMemory: whether to use codes in memory.
    private mutating func estimate(
        _ code: VectorCode, _ query: [Float], _ count: Int, among chosen: RowBitmap?, except excluded: UInt64?,
        usesMemory: Bool
    ) throws -> [UInt64] {
        let table = code.table(of: query)
        var best = BestRows<Int32>(limit: count)
        if usesMemory, let known = try memory.codes(of: index, for: rows) {
            for (place, row) in known.rows.enumerated() {
                try step()
                let start = place * code.byteCount
                guard let score = table.estimate(known.bytes.span.extracting(start..<start + code.byteCount)) else {
                    throw index.damaged
                }
                guard best.admits(score), row != excluded, chosen?.contains(row) ?? true else { continue }
                best.add(row, score)
            }
            return best.sorted.map(\.row)
        }
        var (known, bytes): ([UInt64], [UInt8]) = ([], [])
        var last: UInt64 = 0
        var cursor = try rows.snapshot.cursor(in: index.range(.code), cache: .bypass)
        while try cursor.advanceUnchecked() {
            try step()
            guard let row = index.row(of: cursor.key), row > last, let score = table.estimate(cursor.value) else {
                throw index.damaged
            }
            last = row
            if bytes.count <= memory.byteLimit {
                known.append(row)
                unsafe cursor.value.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            }
            guard best.admits(score), row != excluded, chosen?.contains(row) ?? true else { continue }
            best.add(row, score)
        }
        try cursor.checkForErrors()
        if usesMemory { try memory.keep(known, bytes, of: index, in: rows.snapshot) }
        return best.sorted.map(\.row)
    }

    /// Reads the vectors of rows in ascending order.
    ///
    /// - Returns: the rows without a vector.
    private mutating func read(
        _ wanted: [UInt64], _ query: [Float], except excluded: UInt64?, into best: inout BestRows<Float>
    ) throws -> [UInt64] {
        var missing: [UInt64] = []
        for row in wanted where row != excluded {
            try step()
            let key = index.key(.vector, row: row)
            let index = index
            let found = try rows.snapshot.withValue(forKey: key.span) { index.product(of: query, $0) }
            guard let found else {
                missing.append(row)
                continue
            }
            guard let product = found else { throw index.damaged }
            best.add(row, product)
        }
        return missing
    }

    /// Reads every vector.
    private mutating func readAll(
        _ query: [Float], among chosen: RowBitmap?, except excluded: UInt64?, into best: inout BestRows<Float>
    ) throws {
        var cursor = try rows.snapshot.cursor(in: index.range(.vector), cache: .bypass)
        while try cursor.advanceUnchecked() {
            try step()
            guard let row = index.row(of: cursor.key) else { throw index.damaged }
            guard row != excluded, chosen?.contains(row) ?? true else { continue }
            guard let product = index.product(of: query, cursor.value) else { throw index.damaged }
            best.add(row, product)
        }
        try cursor.checkForErrors()
    }

    /// Counts a step. At intervals, checks for cancellation and reports progress.
    private mutating func step() throws {
        keysExamined += 1
        guard keysExamined & 0xff == 0 else { return }
        try CancellationCheck.now()
        guard keysExamined & 0xfff == 0, let progress = options.progress else { return }
        progress(
            Query.Options.Progress(
                keysExamined: keysExamined, documentsExamined: 0, expectedKeyCount: documentCount))
    }
}

/// The rows with the greatest scores. Rows are added in ascending order; at equal scores, the first one is kept.
struct BestRows<Score: Comparable> {
    private let limit: Int
    private var items: [(row: UInt64, score: Score)] = []
    /// The smallest score of the best rows, once there are enough.
    private var least: Score?

    init(limit: Int) { self.limit = limit }

    /// Returns whether a row with a score can still be among the best.
    func admits(_ score: Score) -> Bool { least.map { score > $0 } ?? true }

    mutating func add(_ row: UInt64, _ score: Score) {
        guard admits(score) else { return }
        items.append((row, score))
        // Sorting twice as many as needed takes less time than keeping them in order.
        if items.count - limit >= limit { shrink() }
    }

    private mutating func shrink() {
        items = sorted
        least = items.last?.score
    }

    /// The best rows, best first, and in ascending order at equal scores.
    var sorted: [(row: UInt64, score: Score)] {
        Array(items.sorted { $0.score > $1.score || $0.score == $1.score && $0.row < $1.row }.prefix(limit))
    }
}
