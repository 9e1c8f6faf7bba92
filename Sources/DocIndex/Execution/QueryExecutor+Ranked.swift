/// Finding the best matches of searches.
extension QueryExecutor {
    /// Visits every matching row, best first.
    ///
    /// - Parameter filter: The rows to choose from; `nil` for all.
    func visitRanked(_ scan: Plan.TextScan, among filter: RowBitmap?, _ visit: Visit) throws {
        guard let searches else { throw Self.unknown(scan.index) }
        // The first page needs only as many hits as it returns. After a position, or without a limit, all hits are
        // ranked.
        if let needed = window.neededCount, start == nil {
            let hits = try searches.top(scan.query, limit: needed) { row in
                try self.noteKey()
                guard filter?.contains(row) ?? true else { return false }
                return try self.residual.isAll || self.isResult(row)
            }
            for hit in hits where window.admit() {
                if try !self.visit(hit.row, visit) { return }
            }
            return
        }
        let place = try start.map { try scoredPlace(of: $0) }
        for hit in try searches.top(scan.query, limit: nil, filter: nil) {
            try noteKey()
            if let place, !place.precedes(hit) { continue }
            guard filter?.contains(hit.row) ?? true, try residual.isAll || isResult(hit.row), window.admit() else {
                continue
            }
            if try !self.visit(hit.row, visit) { return }
        }
    }

    private func isResult(_ row: UInt64) throws -> Bool {
        try rows.withRecord(row) { try self.matches(row, $0) }
    }

    private func visit(_ row: UInt64, _ visit: Visit) throws -> Bool {
        try rows.withRecord(row, isRepeated: !residual.isAll) { try visit(row, $0) && !self.window.isFull }
    }

    /// Returns the score and the row of a position.
    private func scoredPlace(of position: [UInt8]) throws -> TopHits.Hit {
        let (keys, row) = try parts(of: position)
        guard let key = keys.first,
            case .value(.int(let score))? = OrderedValue.decoded(key.span, isDescending: true)
        else { throw DocIndexError(.invalidQuery, "the token belongs to another query; request the first page") }
        return TopHits.Hit(score: score, row: row)
    }
}
