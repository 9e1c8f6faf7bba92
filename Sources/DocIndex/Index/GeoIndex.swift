internal import LevelKit

/// An index of locations.
///
/// `V index cell row` → latitude and longitude, eight bytes each. The cell is `18` and eight bytes. Documents without a
/// location have `02` instead, documents whose location is `null` have `04`, and documents with any other value have
/// `16`. If several locations of one document are in the same cell, and thus less than a centimeter apart, only the
/// first is kept.
struct GeoIndex: DocumentIndex {
    let number: UInt32
    let definition: IndexDefinition
    let entryPrefix: [UInt8]

    init(number: UInt32, definition: IndexDefinition) {
        self.number = number
        self.definition = definition
        entryPrefix = StoreKey.values.prefix(number)
    }

    func forEachEntry(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) throws {
        guard definition.holds(document) else { return }
        var seen: Set<[UInt8]> = []
        guard let field = definition.geoField else { return }
        for (values, point) in try field.points(in: document) {
            if definition.isSparse, values.allSatisfy({ $0 == nil }) { continue }
            var key = entryPrefix
            Self.append(values, point, to: &key)
            StoreKey.appendRow(row, to: &key)
            if seen.insert(key).inserted { try body(key, point.map(Self.encoded) ?? []) }
        }
    }

    /// Appends the encoding of a location, or of values that are not one.
    private static func append(_ values: [DocumentValue?], _ point: GeoPoint?, to key: inout [UInt8]) {
        if let point {
            appendCell(GeoCell.number(of: point), to: &key)
        } else if values.allSatisfy({ $0 == nil }) {
            key.append(OrderedValue.Kind.missing.rawValue)
        } else if values.allSatisfy({ $0?.isNull ?? true }) {
            key.append(OrderedValue.Kind.null.rawValue)
        } else {
            key.append(OrderedValue.Kind.other.rawValue)
        }
    }

    private static func appendCell(_ cell: UInt64, to key: inout [UInt8]) {
        key.append(OrderedValue.Kind.cell.rawValue)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            key.append(UInt8(truncatingIfNeeded: cell >> shift))
        }
    }

    private static func encoded(_ point: GeoPoint) -> [UInt8] {
        [point.latitude, point.longitude].flatMap { degrees in
            (0..<8).map { UInt8(truncatingIfNeeded: degrees.bitPattern >> (8 * UInt64($0))) }
        }
    }

    /// Returns the row at the end of an entry's key; `nil` if the key is not an entry of this index.
    func row(of key: Span<UInt8>) -> UInt64? {
        let start = entryPrefix.count
        guard start < key.count else { return nil }
        let hasCell = key[start] == OrderedValue.Kind.cell.rawValue
        return StoreKey.row(in: key, at: start + (hasCell ? 9 : 1))
    }

    /// Returns the row and the location of an entry; `nil` if it has no location or is not an entry of this index.
    func entry(key: Span<UInt8>, value: Span<UInt8>) -> (row: UInt64, point: GeoPoint)? {
        let start = entryPrefix.count
        guard key.count > start + 9, key[start] == OrderedValue.Kind.cell.rawValue, value.count == 16,
            let row = StoreKey.row(in: key, at: start + 9)
        else { return nil }
        func degrees(_ offset: Int) -> Double {
            var bits: UInt64 = 0
            for index in 0..<8 { bits |= UInt64(value[offset + index]) << (8 * UInt64(index)) }
            return Double(bitPattern: bits)
        }
        return GeoPoint(latitude: degrees(0), longitude: degrees(8)).map { (row, $0) }
    }
}

// MARK: - Searches

extension GeoIndex {
    /// Returns key ranges that contain every location in a box, and some near it; at most ``GeoCell/rangeLimit``
    /// ranges.
    func ranges(covering box: GeoBox) -> [KeyRange] {
        GeoCell.ranges(covering: box).map { cells in
            var lower = entryPrefix
            Self.appendCell(cells.lowerBound, to: &lower)
            var upper = entryPrefix
            Self.appendCell(cells.upperBound, to: &upper)
            return .range(from: lower, to: upper + OrderedValue.behind)
        }
    }

    /// The key ranges of documents without a location. The value at the path is missing, `null`, or not a location.
    var rangesWithoutLocation: [KeyRange] {
        [.missing, .null, .other].map { (kind: OrderedValue.Kind) in
            let prefix = entryPrefix + [kind.rawValue]
            return .range(from: prefix, to: prefix + OrderedValue.behind)
        }
    }

    /// Returns the key ranges of documents with a value at the path of the location, or of those without; `nil` if the
    /// index has two paths or is over an array, because its entries are not sufficient then.
    func ranges(whereExists isThere: Bool) -> [KeyRange]? {
        guard definition.fields.count == 1, !definition.fields[0].hasArrayStep else { return nil }
        let missing = entryPrefix + [OrderedValue.Kind.missing.rawValue]
        if !isThere { return [.range(from: missing, to: missing + OrderedValue.behind)] }
        let last = entryPrefix + [OrderedValue.Kind.cell.rawValue + 1]
        return [.range(from: entryPrefix + [OrderedValue.Kind.missing.rawValue + 1], to: last)]
    }

    /// Returns the distinct rows with a location in a box, in ascending order.
    ///
    /// - Complexity: O(*n*) in the locations near the box.
    func rows(in box: GeoBox, reading reader: some KeyValueReader) throws -> [UInt64] {
        var rows: Set<UInt64> = []
        try forEachEntry(in: box, reading: reader) { row, point in
            if box.contains(point) { rows.insert(row) }
        }
        return rows.sorted()
    }

    /// Returns the rows nearest to a point, nearest first, and in ascending order at equal distance. Each row is
    /// returned once, with the distance in meters of its nearest location. Returns fewer than `count` rows if there are
    /// not enough.
    ///
    /// Searches a circle of `firstRadius` meters, then larger ones until there are enough rows: everything inside a
    /// circle is nearer than everything outside.
    func nearest(
        _ count: Int, to center: GeoPoint, within limit: Double = .infinity, firstRadius: Double = 500,
        reading reader: some KeyValueReader
    ) throws -> [(row: UInt64, distance: Double)] {
        guard count > 0, limit >= 0 else { return [] }
        // Half the circumference of the earth reaches everything.
        let farthest = min(limit, .pi * GeoPoint.earthRadius + 1)
        var radius = min(max(firstRadius, 1), farthest)
        while true {
            var distances: [UInt64: Double] = [:]
            try forEachEntry(in: GeoBox(around: center, radius: radius), reading: reader) { row, point in
                let distance = center.distance(to: point)
                if distance <= radius { distances[row] = min(distance, distances[row] ?? .infinity) }
            }
            if distances.count >= count || radius >= farthest {
                let sorted = distances.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
                return sorted.prefix(count).map { (row: $0.key, distance: $0.value) }
            }
            radius = min(radius * 4, farthest)
        }
    }

    /// Calls `body` with every location in a box, and some near it.
    private func forEachEntry(
        in box: GeoBox, reading reader: some KeyValueReader, _ body: (UInt64, GeoPoint) -> Void
    ) throws {
        for range in ranges(covering: box) {
            var cursor = try reader.cursor(in: range)
            while try cursor.advance() {
                guard let (row, point) = entry(key: cursor.key, value: cursor.value) else {
                    throw DocIndexError(
                        .corruption,
                        "the index \(definition.name) has an unreadable entry; run verify")
                }
                body(row, point)
            }
        }
    }
}
