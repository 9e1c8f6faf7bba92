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
        _ conjunction: Conjunction, _ range: Range<UInt32>, _ hits: inout TopHits, _ filter: ((UInt64) throws -> Bool)?
    ) throws {
        var conjunction = conjunction
        let (lead, factor) = conjunction.parts[0]
        let term = lead as? TermMatcher
        // A step is a block of documents.
        var cancellation = CancellationCheck()
        var lower = range.lowerBound
        while lower < range.upperBound {
            try cancellation.step()
            let chunk = Int(lower / TextStructure.chunkSlotCount)
            let smallestRow = UInt64(view.smallestRows[chunk])
            var upper = lower + min(range.upperBound - lower, Self.left(in: lower))
            upper = min(upper, max(try lead.blockEnd(lower), lower + 1))
            var threshold = hits.threshold(smallestRow: smallestRow)
            guard try conjunction.canExceed(threshold, lead: try lead.bound(lower, upper), lower, upper) else {
                lower = upper
                continue
            }
            let dead = view.dead[chunk]
            let rest = conjunction.rest[1]
            if let term {
                guard let block = try term.openBlock(from: lower) else { return }
                let end = term.index(ofSlot: upper, from: block.lowerBound)
                // What the lead must score, so that the others can make up for what is missing.
                var bar = max(-1, (threshold - rest) / factor)
                var index = term.firstIndex(above: bar, from: block.lowerBound, to: end)
                while index < end {
                    let slot = term.slot(at: index)
                    var next = slot + 1
                    if dead?.contains(slot) != true {
                        term.place(at: index)
                        let score = try conjunction.score(
                            of: slot, lead: try term.scoreBound(), above: threshold, next: &next)
                        if let score {
                            try offer(slot, score, &hits, filter)
                            threshold = hits.threshold(smallestRow: smallestRow)
                            bar = max(-1, (threshold - rest) / factor)
                        }
                    }
                    index = next > slot + 1 ? term.index(ofSlot: min(next, upper), from: index + 1) : index + 1
                    index = term.firstIndex(above: bar, from: index, to: end)
                }
                lower = end < block.upperBound ? max(upper, term.slot(at: end)) : upper
            } else {
                var slot = try lead.advance(to: lower)
                while slot < upper {
                    var next = slot + 1
                    let score = try lead.scoreBound()
                    if score * factor + rest > threshold, dead?.contains(slot) != true,
                        let score = try conjunction.score(of: slot, lead: score, above: threshold, next: &next)
                    {
                        try offer(slot, score, &hits, filter)
                        threshold = hits.threshold(smallestRow: smallestRow)
                    }
                    slot = try lead.advance(to: next)
                }
                if slot == Matcher.end { return }
                lower = max(upper, slot)
            }
        }
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
        var bounded: [(bound: Int64, part: Unmanaged<Matcher>)] = unsafe []
        defer { withExtendedLifetime(parts) {} }
        var sums: [Int64] = []
        var lower = range.lowerBound
        while lower < range.upperBound {
            // A window has hundreds of documents at least.
            try CancellationCheck.now()
            let chunk = Int(lower / TextStructure.chunkSlotCount)
            let smallestRow = UInt64(view.smallestRows[chunk])
            let dead = view.dead[chunk]
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
            unsafe bounded.removeAll(keepingCapacity: true)
            for index in unsafe unmanaged.indices {
                let bound = try unsafe unmanaged[index]._withUnsafeGuaranteedRef { try $0.bound(lower, upper) }
                if bound >= 0 { unsafe bounded.append((bound, unmanaged[index])) }
            }
            unsafe bounded.sort { unsafe $0.bound < $1.bound }
            sums.removeAll(keepingCapacity: true)
            sum = 0
            var optionalCount = 0
            for index in unsafe bounded.indices {
                unsafe sum += bounded[index].bound
                sums.append(sum)
                if sum <= threshold { optionalCount += 1 }
            }
            if unsafe optionalCount == bounded.count {
                lower = upper
                continue
            }
            for index in unsafe optionalCount..<bounded.count {
                try unsafe bounded[index].part._withUnsafeGuaranteedRef {
                    try $0.accumulate(lower, upper, into: window)
                }
            }
            try window.drain(upTo: Int(upper - lower)) { offset, partial in
                let slot = lower + UInt32(offset)
                var score = partial
                let threshold = hits.threshold(smallestRow: smallestRow)
                var index = optionalCount - 1
                while index >= 0 {
                    if score + sums[index] <= threshold { return }
                    score += try unsafe bounded[index].part._withUnsafeGuaranteedRef {
                        try $0.advance(to: slot) == slot ? $0.score() : 0
                    }
                    index -= 1
                }
                if score <= threshold || dead?.contains(slot) == true { return }
                try offer(slot, score, &hits, filter)
            }
            lower = upper
        }
    }
}
