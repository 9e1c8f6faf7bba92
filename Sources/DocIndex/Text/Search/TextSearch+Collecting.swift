internal import LevelKit

/// The best documents of one part of an index.
extension TextSearch {
    private func offer(
        _ slot: UInt32, _ score: Int64, _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        let hit = TopHits.Hit(score: score, row: UInt64(view.slots.row(slot)))
        guard hits.accepts(hit), try filter?(hit.row) ?? true else { return }
        hits.add(hit)
    }

    /// Documents that have all that is asked for, without those that cannot win.
    ///
    /// Blocks of the rarest part are passed over by their bounds, and its documents by their scores, before anything of the
    /// other parts is decoded: what Lucene does with blocks (Ding and Suel, "Faster Top-k Document Retrieval Using Block-Max
    /// Indexes", 2011), down to the document.
    func collectAll(
        _ conjunction: inout Conjunction, _ range: Range<UInt32>, _ hits: inout TopHits,
        _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        let lead = conjunction.parts[0].matcher
        let term = lead as? TermMatcher
        // A step is a block of documents.
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

    /// Documents of a block of a term, which leads.
    ///
    /// - Returns: the first slot that was not looked at.
    private func collect(
        _ term: TermMatcher, _ conjunction: borrowing Conjunction, _ range: Range<UInt32>, _ smallestRow: UInt64,
        _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws -> UInt32 {
        guard let block = try term.openBlock(from: range.lowerBound) else { return .max }
        let end = term.index(ofSlot: range.upperBound, from: block.lowerBound)
        let (factor, rest) = (conjunction.parts[0].factor, conjunction.restOfFirst)
        var threshold = hits.threshold(smallestRow: smallestRow)
        // What the lead must score, so that the others can make up for what is missing.
        var bar = Self.bar(threshold - rest, factor)
        var (index, score) = term.firstCandidate(above: bar, from: block.lowerBound, to: end)
        while index < end {
            let slot = term.slot(at: index)
            var next = slot + 1
            if !view.isDead(slot) {
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

    /// What must be exceeded so that `factor` times as much exceeds `missing`; below zero for anything.
    @inline(__always)
    private static func bar(_ missing: Int64, _ factor: Int64) -> Int64 {
        missing < 0 ? -1 : factor == 1 ? missing : missing / factor
    }

    /// Documents of a range, of which anything leads.
    ///
    /// - Returns: the first slot that was not looked at.
    private func collect(
        _ lead: Matcher, _ conjunction: borrowing Conjunction, _ range: Range<UInt32>, _ smallestRow: UInt64,
        _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws -> UInt32 {
        let (factor, rest) = (conjunction.parts[0].factor, conjunction.restOfFirst)
        var threshold = hits.threshold(smallestRow: smallestRow)
        var slot = try lead.advance(to: range.lowerBound)
        while slot < range.upperBound {
            var next = slot + 1
            let score = try lead.scoreBound()
            if score * factor + rest > threshold, !view.isDead(slot),
                let score = try conjunction.score(of: slot, lead: score, above: threshold, next: &next)
            {
                try offer(slot, score, &hits, filter)
                threshold = hits.threshold(smallestRow: smallestRow)
            }
            slot = try lead.advance(to: next)
        }
        return slot
    }

    /// How many slots are left in the chunk of a slot.
    private static func left(in slot: UInt32) -> UInt32 {
        TextStructure.chunkSlotCount - slot % TextStructure.chunkSlotCount
    }

    /// Documents of at least one of several matchers: MaxScore (Turtle and Flood, "Query Evaluation: Strategies and
    /// Optimizations", 1995) in windows with the bounds of blocks, as Lucene's bulk scorer has it.
    ///
    /// In a window, the matchers whose bounds together do not reach the threshold cannot bring a document among the best
    /// by themselves. Only the others are walked through; those are asked about the candidates that remain, the largest
    /// bound first, as long as a candidate can still win.
    func collectAny(
        _ parts: [Matcher], _ range: Range<UInt32>, _ window: ScoreWindow, _ hits: inout TopHits,
        _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        // `parts` keeps them: to count references in each window, and at each candidate, would take a third of the time.
        let unmanaged: [Unmanaged<Matcher>] = unsafe parts.map { unsafe .passUnretained($0) }
        let byLargest = unsafe parts.sorted { $0.largestScore < $1.largestScore }.map {
            unsafe (largest: $0.largestScore, part: Unmanaged.passUnretained($0))
        }
        var bounds = WindowBounds()
        defer { withExtendedLifetime(parts) {} }
        var lower = range.lowerBound
        while lower < range.upperBound {
            // A window has hundreds of documents at least.
            try CancellationCheck.now()
            let smallestRow = UInt64(view.smallestRows[Int(lower / TextStructure.chunkSlotCount)])
            let threshold = hits.threshold(smallestRow: smallestRow)
            // The window ends where a block of one that counts ends, but is not too narrow.
            var upper = lower + min(range.upperBound - lower, Self.left(in: lower))
            var sum: Int64 = 0
            for index in unsafe byLargest.indices {
                sum += unsafe byLargest[index].largest
                guard sum > threshold else { continue }
                let end = try unsafe byLargest[index].part._withUnsafeGuaranteedRef { try $0.blockEnd(lower) }
                upper = min(upper, max(end, lower + min(256, upper - lower)))
            }
            if sum <= threshold {
                // Nothing in this segment can win against what is there; in another chunk rows may be smaller.
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

    /// What the matchers score at most in a window, the least first.
    @safe private struct WindowBounds {
        private(set) var parts: [(bound: Int64, part: Unmanaged<Matcher>)] = unsafe []
        /// What each and those before it score at most, all together.
        private(set) var sums: [Int64] = []
        /// How many of the first do not reach the threshold, all together.
        private(set) var optionalCount = 0

        var count: Int { sums.count }
        /// What those score at most, all together.
        var optionalSum: Int64 { optionalCount > 0 ? sums[optionalCount - 1] : 0 }

        mutating func removeAll() {
            unsafe parts.removeAll(keepingCapacity: true)
            sums.removeAll(keepingCapacity: true)
        }

        mutating func add(_ bound: Int64, _ part: Unmanaged<Matcher>) {
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

        /// The score of a document of which what the others score is known, if it can be above `threshold`.
        func score(of slot: UInt32, others: Int64, above threshold: Int64) throws -> Int64? {
            var score = others
            var index = optionalCount - 1
            while index >= 0 {
                if score + sums[index] <= threshold { return nil }
                let rest = index > 0 ? sums[index - 1] : 0
                score += try unsafe parts[index].part._withUnsafeGuaranteedRef { part in
                    // Its block may say less than the window, and is not decoded for that.
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
            // One alone leads, as in a conjunction: what it scores need not be added up.
            let isDone = try unsafe bounds.parts[first].part._withUnsafeGuaranteedRef { part in
                guard part.scoresAreExact, let term = part as? TermMatcher else { return false }
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
            guard let score = try bounds.score(of: slot, others: partial, above: threshold), !view.isDead(slot) else {
                return
            }
            try offer(slot, score, &hits, filter)
            threshold = hits.threshold(smallestRow: smallestRow)
        }
    }

    private func collect(
        _ term: TermMatcher, _ bounds: borrowing WindowBounds, _ range: Range<UInt32>, _ smallestRow: UInt64,
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
                if let score = try bounds.score(of: slot, others: partial, above: threshold), !view.isDead(slot) {
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
