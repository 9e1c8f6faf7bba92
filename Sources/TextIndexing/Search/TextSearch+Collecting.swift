/// Collects the best documents of one part of an index.
///
/// Two algorithms skip documents whose upper bound does not exceed the threshold: ``collectAll(_:_:_:_:)`` for queries
/// with required parts, and ``collectAny(_:_:_:_:_:)``, Block-Max MaxScore, for alternatives.
extension TextSearch {
    private func offer(
        _ slot: UInt32, _ score: Int64, _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        let hit = TopHits.Hit(score: score, row: UInt64(view.slots.row(slot)))
        guard hits.accepts(hit), try filter?(hit.row) ?? true else { return }
        hits.add(hit)
    }

    /// Collects documents that match all parts of a conjunction, and skips documents that cannot be among the best.
    ///
    /// The rarest part leads. Its blocks are skipped by their bounds, and its documents by their scores, before
    /// anything of the other parts is decoded: Block-Max (Ding and Suel, "Faster Top-k Document Retrieval Using
    /// Block-Max Indexes", 2011), as in Lucene, extended to single documents.
    func collectAll(
        _ conjunction: inout Conjunction, _ range: Range<UInt32>, _ hits: inout TopHits,
        _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        let lead = conjunction.parts[0].scorer
        let term = lead as? TermScorer
        // One step per block of documents.
        var cancellation = CancellationCheck()
        var lower = range.lowerBound
        while lower < range.upperBound {
            try cancellation.step()
            let upper = min(range.upperBound, max(try lead.blockEnd(lower), lower + 1))
            let smallestRow = view.smallestRow(lower..<upper)
            let threshold = hits.threshold(smallestRow: smallestRow)
            guard try conjunction.canExceed(threshold, lead: try lead.bound(lower, upper), lower, upper) else {
                lower = upper
                continue
            }
            lower =
                if let term {
                    try collect(term, conjunction, lower..<upper, smallestRow, &hits, filter)
                } else {
                    try collect(lead, conjunction, lower..<upper, smallestRow, &hits, filter)
                }
        }
    }

    /// Collects documents of one block of the leading term.
    ///
    /// - Returns: the first slot that was not examined.
    private func collect(
        _ term: TermScorer, _ conjunction: borrowing Conjunction, _ range: Range<UInt32>, _ smallestRow: UInt64,
        _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws -> UInt32 {
        guard let block = try term.openBlock(from: range.lowerBound) else { return .max }
        let end = term.index(ofSlot: range.upperBound, from: block.lowerBound)
        let (factor, rest) = (conjunction.parts[0].factor, conjunction.restOfFirst)
        var threshold = hits.threshold(smallestRow: smallestRow)
        // The score that the lead must exceed for the upper bounds of the other parts to lift the sum above the
        // threshold.
        var bar = Self.bar(threshold - rest, factor)
        var (index, score) = term.firstCandidate(above: bar, from: block.lowerBound, to: end)
        while index < end {
            let slot = term.slot(at: index)
            var next = slot + 1
            if !view.isDeleted(slot) {
                term.place(at: index)
                if let score = try conjunction.score(of: slot, lead: score, above: threshold, next: &next) {
                    try offer(slot, score, &hits, filter)
                    threshold = hits.threshold(smallestRow: smallestRow)
                    bar = Self.bar(threshold - rest, factor)
                }
            }
            index = next > slot + 1 ? term.index(ofSlot: min(next, range.upperBound), from: index + 1) : index + 1
            (index, score) = term.firstCandidate(above: bar, from: index, to: end)
        }
        return end < block.upperBound ? max(range.upperBound, term.slot(at: end)) : range.upperBound
    }

    /// Returns the score that must be exceeded for `factor` times the score to exceed `missing`; negative if every
    /// score does.
    @inline(__always)
    private static func bar(_ missing: Int64, _ factor: Int64) -> Int64 {
        missing < 0 ? -1 : factor == 1 ? missing : factor == 0 ? .max : missing / factor
    }

    /// Collects documents of a range, led by any kind of scorer.
    ///
    /// - Returns: the first slot that was not examined.
    private func collect(
        _ lead: Scorer, _ conjunction: borrowing Conjunction, _ range: Range<UInt32>, _ smallestRow: UInt64,
        _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws -> UInt32 {
        let (factor, rest) = (conjunction.parts[0].factor, conjunction.restOfFirst)
        var threshold = hits.threshold(smallestRow: smallestRow)
        var slot = try lead.advance(to: range.lowerBound)
        while slot < range.upperBound {
            var next = slot + 1
            let score = try lead.scoreBound()
            if score * factor + rest > threshold, !view.isDeleted(slot),
                let score = try conjunction.score(of: slot, lead: score, above: threshold, next: &next)
            {
                try offer(slot, score, &hits, filter)
                threshold = hits.threshold(smallestRow: smallestRow)
            }
            slot = try lead.advance(to: next)
        }
        return slot
    }

    /// Returns the number of slots from this one to the end of its chunk.
    private static func left(in slot: UInt32) -> UInt32 {
        TextStructure.chunkSlotCount - slot % TextStructure.chunkSlotCount
    }

    /// Collects documents that match at least one of several scorers: Block-Max MaxScore (Turtle and Flood, "Query
    /// Evaluation: Strategies and Optimizations", 1995) over windows of slots, as in Lucene's bulk scorer.
    ///
    /// In each window, the scorers are sorted by their upper bounds. The longest prefix whose bounds add up to no more
    /// than the threshold is non-essential: a document that matches only those cannot be among the best. The others are
    /// essential. Only their postings are traversed. For each candidate found, the non-essential scorers are looked
    /// up, the one with the largest bound first, until the candidate can no longer exceed the threshold.
    ///
    /// For example, three terms have the upper bounds 20, 30 and 70 in a window, and the threshold is 60. The sums of
    /// the bounds are 20, 50 and 120, so the first two terms are non-essential and the third is the pivot and the only
    /// essential one. A document that scores 5 for the third term can reach at most 55 and is dropped. One that scores
    /// 35 can reach 85 and is looked up in the second term. If that adds nothing, the document can reach at most 55 and
    /// is dropped before the first term is read.
    func collectAny(
        _ parts: [Scorer], _ range: Range<UInt32>, _ window: ScoreWindow, _ hits: inout TopHits,
        _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        // `parts` keeps the scorers alive. Reference counting in each window and for each candidate would take a third
        // of the time.
        let unmanaged: [Unmanaged<Scorer>] = unsafe parts.map { unsafe .passUnretained($0) }
        let byLargest = unsafe parts.sorted { $0.largestScore < $1.largestScore }.map {
            unsafe (largest: $0.largestScore, part: Unmanaged.passUnretained($0))
        }
        var bounds = WindowBounds()
        defer { withExtendedLifetime(parts) {} }
        var lower = range.lowerBound
        while lower < range.upperBound {
            // A window spans at least 256 slots, unless its chunk ends first.
            try CancellationCheck.now()
            let smallestRow = UInt64(view.smallestRows[Int(lower / TextStructure.chunkSlotCount)])
            let threshold = hits.threshold(smallestRow: smallestRow)
            // The window ends at the first block end of a scorer that may be essential, but is not made too narrow.
            var upper = lower + min(range.upperBound - lower, Self.left(in: lower))
            var sum: Int64 = 0
            for index in unsafe byLargest.indices {
                sum += unsafe byLargest[index].largest
                guard sum > threshold else { continue }
                let end = try unsafe byLargest[index].part._withUnsafeGuaranteedRef { try $0.blockEnd(lower) }
                upper = min(upper, max(end, lower + min(256, upper - lower)))
            }
            if sum <= threshold {
                // No document of this chunk can be among the best. In another chunk rows may be smaller, and thus the
                // threshold lower.
                lower = upper
                continue
            }
            bounds.removeAll()
            for index in unsafe unmanaged.indices {
                let bound = try unsafe unmanaged[index]._withUnsafeGuaranteedRef { try $0.bound(lower, upper) }
                if bound >= 0 { unsafe bounds.add(bound, unmanaged[index]) }
            }
            bounds.divide(by: threshold)
            if bounds.optionalCount < bounds.count {
                try collect(bounds, lower..<upper, smallestRow, window, &hits, filter)
            }
            lower = upper
        }
    }

    /// The scorers of a window with their upper bounds, in ascending order of the bounds.
    @safe private struct WindowBounds {
        private(set) var parts: [(bound: Int64, part: Unmanaged<Scorer>)] = unsafe []
        /// The sum of the bounds of each scorer and all before it.
        private(set) var sums: [Int64] = []
        /// The number of non-essential scorers: their bounds add up to no more than the threshold.
        private(set) var optionalCount = 0

        var count: Int { sums.count }
        /// The sum of the bounds of the non-essential scorers.
        var optionalSum: Int64 { optionalCount > 0 ? sums[optionalCount - 1] : 0 }

        mutating func removeAll() {
            unsafe parts.removeAll(keepingCapacity: true)
            sums.removeAll(keepingCapacity: true)
        }

        mutating func add(_ bound: Int64, _ part: Unmanaged<Scorer>) {
            unsafe parts.append((bound, part))
            sums.append(0)
        }

        mutating func divide(by threshold: Int64) {
            if count > 1 { unsafe parts.sort { unsafe $0.bound < $1.bound } }
            var sum: Int64 = 0
            optionalCount = 0
            for index in sums.indices {
                unsafe sum += parts[index].bound
                sums[index] = sum
                if sum <= threshold { optionalCount += 1 }
            }
        }

        /// Returns the score of a document whose score in the essential scorers is `others`; `nil` if it is not above
        /// `threshold`.
        func score(of slot: UInt32, others: Int64, above threshold: Int64) throws -> Int64? {
            var score = others
            var index = optionalCount - 1
            while index >= 0 {
                if score + sums[index] <= threshold { return nil }
                let rest = index > 0 ? sums[index - 1] : 0
                score += try unsafe parts[index].part._withUnsafeGuaranteedRef { part in
                    // The bound of the block may be lower than that of the window, and does not require decoding it.
                    let bound = try part.bound(slot, slot + 1)
                    guard bound >= 0, score + bound + rest > threshold else { return 0 }
                    return try part.advance(to: slot) == slot ? part.score() : 0
                }
                index -= 1
            }
            return score > threshold ? score : nil
        }
    }

    private func collect(
        _ bounds: borrowing WindowBounds, _ range: Range<UInt32>, _ smallestRow: UInt64, _ window: ScoreWindow,
        _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        let first = bounds.optionalCount
        if bounds.count - first == 1 {
            // A single essential scorer leads, as in a conjunction, and needs no score window.
            let isDone = try unsafe bounds.parts[first].part._withUnsafeGuaranteedRef { part in
                guard part.scoresAreExact, let term = part as? TermScorer else { return false }
                try collect(term, bounds, range, smallestRow, &hits, filter)
                return true
            }
            if isDone { return }
        }
        for index in first..<bounds.count {
            try unsafe bounds.parts[index].part._withUnsafeGuaranteedRef {
                try $0.accumulate(range.lowerBound, range.upperBound, into: window)
            }
        }
        var threshold = hits.threshold(smallestRow: smallestRow)
        let optionalSum = bounds.optionalSum
        try window.drain(upTo: range.count) { offset, partial in
            if partial + optionalSum <= threshold { return }
            let slot = range.lowerBound + UInt32(offset)
            guard let score = try bounds.score(of: slot, others: partial, above: threshold), !view.isDeleted(slot)
            else {
                return
            }
            try offer(slot, score, &hits, filter)
            threshold = hits.threshold(smallestRow: smallestRow)
        }
    }

    private func collect(
        _ term: TermScorer, _ bounds: borrowing WindowBounds, _ range: Range<UInt32>, _ smallestRow: UInt64,
        _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        var threshold = hits.threshold(smallestRow: smallestRow)
        let optionalSum = bounds.optionalSum
        var lower = range.lowerBound
        while lower < range.upperBound, let block = try term.openBlock(from: lower) {
            let end = term.index(ofSlot: range.upperBound, from: block.lowerBound)
            var (index, partial) = term.firstCandidate(
                above: max(-1, threshold - optionalSum), from: block.lowerBound, to: end)
            while index < end {
                let slot = term.slot(at: index)
                term.place(at: index)
                if let score = try bounds.score(of: slot, others: partial, above: threshold), !view.isDeleted(slot) {
                    try offer(slot, score, &hits, filter)
                    threshold = hits.threshold(smallestRow: smallestRow)
                }
                (index, partial) = term.firstCandidate(
                    above: max(-1, threshold - optionalSum), from: index + 1, to: end)
            }
            if end < block.upperBound { return }
            lower = term.slot(at: end - 1) + 1
        }
    }
}
