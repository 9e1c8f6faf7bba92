internal import LevelKit

/// Finding the locations nearest to a point.
extension QueryExecutor {
    /// Visits every matching row, nearest first, by searching growing circles; rows without a location come last.
    ///
    /// Of several locations within a centimeter, an index keeps one, so its distances may be slightly off. A row is
    /// held back until no other row can precede it.
    func visitNearest(_ index: GeoIndex, _ center: GeoPoint, _ visit: Visit) throws {
        let tolerance = 0.1
        let farthest = Double.pi * GeoPoint.earthRadius + 1
        // If the condition limits the distance from the same index's locations, nothing farther away can match.
        let distances = query.filter.normalized.conjuncts.compactMap { conjunct -> Double? in
            guard case .isNear(let field, center, let meters) = conjunct, field.paths == index.definition.fields else {
                return nil
            }
            return meters + 1
        }
        let limit = min(farthest, distances.min() ?? farthest)
        var seen = RowBitmap()
        var held: [(position: [UInt8], row: UInt64)] = []
        var radius = min(500, limit)
        var isOpen = true
        while isOpen {
            for (row, distance) in try found(index, center, radius) where !seen.contains(row) {
                try hold(row, in: &held)
                seen.insert(row)
                if try !release(&held, before: distance - tolerance, visit) { return }
            }
            if try !release(&held, before: radius - tolerance, visit) { return }
            isOpen = radius < limit
            radius = min(radius * 4, limit)
        }
        if try !release(&held, before: .infinity, visit) { return }
        guard distances.isEmpty else { return }
        // The remaining rows have no location, or none that the index could read. Their distance is infinite.
        var rest = RowBitmap()
        for range in index.rangesWithoutLocation {
            var cursor = try rows.snapshot.cursor(in: range)
            while try cursor.advance() {
                try noteKey()
                guard let row = StoreKey.row(in: cursor.key, at: index.entryPrefix.count + 1) else {
                    throw index.damaged
                }
                if !seen.contains(row) { rest.insert(row) }
            }
        }
        for row in rest.sorted {
            try hold(row, in: &held)
            if try !release(&held, before: .infinity, visit) { return }
        }
    }

    /// Returns the rows with a location in a circle, ordered by their smallest distance.
    private func found(
        _ index: GeoIndex, _ center: GeoPoint, _ radius: Double
    ) throws -> [(row: UInt64, distance: Double)] {
        var distances: [UInt64: Double] = [:]
        for range in index.ranges(covering: GeoBox(around: center, radius: radius)) {
            var cursor = try rows.snapshot.cursor(in: range)
            while try cursor.advance() {
                try noteKey()
                guard let (row, point) = index.entry(key: cursor.key, value: cursor.value) else { throw index.damaged }
                let distance = center.distance(to: point)
                if distance <= radius { distances[row] = min(distance, distances[row] ?? .infinity) }
            }
        }
        return distances.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map { (row: $0.key, distance: $0.value) }
    }

    /// Reads a row, and keeps it with its exact position if it is a result.
    private func hold(_ row: UInt64, in held: inout [(position: [UInt8], row: UInt64)]) throws {
        var position: [UInt8]?
        try rows.withRecord(row) { record in
            guard try self.matches(row, record) else { return }
            try self.rows.reading(row) {
                var bytes: [UInt8] = []
                try self.positions.append(record.body, row: row, to: &bytes)
                position = bytes
            }
        }
        guard let position, start?.lexicographicallyPrecedes(position) ?? true else { return }
        let place = held.firstIndex { position.lexicographicallyPrecedes($0.position) } ?? held.count
        held.insert((position, row), at: place)
    }

    /// Visits the held rows that are nearer than a distance.
    ///
    /// - Returns: Whether to continue.
    private func release(
        _ held: inout [(position: [UInt8], row: UInt64)], before distance: Double, _ visit: Visit
    ) throws -> Bool {
        guard !held.isEmpty else { return true }
        var bound = OrderedValue.encoded(.double(distance))
        if distance == .infinity { bound = [0xff] }
        while let first = held.first, first.position.lexicographicallyPrecedes(bound) {
            held.removeFirst()
            guard window.admit() else { continue }
            if try !self.visit(first.row, isRepeated: true, visit) || window.isFull { return false }
        }
        return true
    }
}
