/// The positions of documents in the order of a query, encoded as bytes: the values of the sort keys, complemented if
/// larger values come first, followed by the row. The order of the bytes is the order of the results.
struct SortPosition {
    /// The part of an encoded body that a sort key reads.
    private enum Part {
        case field(ResolvedPath, isDescending: Bool)
        /// A field whose strings are ordered by a collation, as in an index component.
        case collated(ResolvedPath, IndexDefinition.Component)
        case distance(GeoField, from: GeoPoint, members: [ResolvedPath], Query.SortKey)
        /// The place of a value in a list.
        case place(ResolvedPath, Places, Query.SortKey)
        case score(Query.SortKey)
    }

    /// The places of the values of a list, by their encoding; the first place of equal values.
    private struct Places {
        private var places: [[UInt8]: Int] = [:]

        init(_ values: [DocumentValue]) {
            for (place, value) in values.enumerated() {
                let bytes = OrderedValue.encoded(value)
                if places[bytes] == nil { places[bytes] = place }
            }
        }

        /// The place of a value as a sort value: after all places for values that are not in the list.
        func value(of value: DocumentValue?) -> DocumentValue {
            .int(value.flatMap { places[OrderedValue.encoded($0)] }.map(Int64.init) ?? .max)
        }
    }

    private let sort: [Query.SortKey]
    private let names: FieldNames
    private let searches: SearchResults?
    private let parts: [Part]

    /// - Parameters:
    ///   - names: The field names used by the bodies.
    ///   - searches: The source of scores; `nil` if the query does not sort by score.
    init(_ sort: [Query.SortKey], names: FieldNames = FieldNames(), searches: SearchResults? = nil) {
        self.sort = sort
        self.names = names
        self.searches = searches
        parts = sort.map { key in
            switch key.key {
            case .field(let path):
                if let component = key.component {
                    .collated(ResolvedPath(path, names: names), component)
                } else {
                    .field(ResolvedPath(path, names: names), isDescending: key.isDescending)
                }
            case .distance(let field, let center):
                .distance(
                    field, from: center, members: Self.members(of: field).map { ResolvedPath($0, names: names) }, key)
            case .place(let path, let values): .place(ResolvedPath(path, names: names), Places(values), key)
            case .score: .score(key)
            }
        }
    }

    private static func members(of field: GeoField) -> [FieldPath] {
        Set(field.inputPaths.compactMap(\.steps.first)).map { FieldPath(checked: [$0]) }
    }

    /// Appends the position of an encoded document.
    func append(_ body: Span<UInt8>, row: UInt64, to bytes: inout [UInt8]) throws(BodyError) {
        let places = try BodyPlaces(body)
        for part in parts {
            switch part {
            case .field(let path, let isDescending):
                let start = bytes.count
                try places.appendOrdered(at: path, names: names, to: &bytes)
                if isDescending { Self.complement(&bytes, from: start) }
            case .collated(let path, let component):
                component.append(try places.value(at: path, names: names), to: &bytes)
            case .distance(let field, let center, let members, let key):
                var part = DocumentObject()
                for path in members {
                    guard case .name(let name)? = path.path.steps.first else { continue }
                    if let value = try places.value(at: path, names: names) { part[name] = value }
                }
                Self.append(.double(field.distance(in: part, to: center)), key, to: &bytes)
            case .place(let path, let list, let key):
                Self.append(list.value(of: try places.value(at: path, names: names)), key, to: &bytes)
            case .score(let key): Self.append(score(of: row), key, to: &bytes)
            }
        }
        StoreKey.appendRow(row, to: &bytes)
    }

    /// The fields whose columns are sufficient; `nil` if positions depend on more than fields without `[]`.
    var columnPaths: [FieldPath]? {
        var paths: [FieldPath] = []
        for part in parts {
            switch part {
            case .field(let path, _), .collated(let path, _), .place(let path, _, _): paths.append(path.path)
            case .distance, .score: return nil
            }
        }
        return paths.contains(where: \.hasArrayStep) ? nil : paths
    }

    /// For each sort key that is a field in binary order, whether the order is descending; `nil` for other keys.
    fileprivate var plainOrders: [Bool?] {
        parts.map { if case .field(_, let isDescending) = $0 { isDescending } else { nil } }
    }

    /// Appends the value of a sort key that is not a field in binary order.
    fileprivate func append(_ value: DocumentValue?, at place: Int, to bytes: inout [UInt8]) {
        switch parts[place] {
        case .collated(_, let component): component.append(value, to: &bytes)
        case .place(_, let list, let key): Self.append(list.value(of: value), key, to: &bytes)
        case .field, .distance, .score: break
        }
    }

    /// Returns the position of a document.
    func bytes(of document: DocumentObject, row: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        for (part, key) in zip(parts, sort) {
            switch key.key {
            case .field(let path):
                if let component = key.component {
                    component.append(path.value(in: document), to: &bytes)
                } else {
                    Self.append(path.value(in: document), key, to: &bytes)
                }
            case .distance(let field, let center):
                Self.append(.double(field.distance(in: document, to: center)), key, to: &bytes)
            case .place(let path, _):
                guard case .place(_, let list, _) = part else { continue }
                Self.append(list.value(of: path.value(in: document)), key, to: &bytes)
            case .score: Self.append(score(of: row), key, to: &bytes)
            }
        }
        StoreKey.appendRow(row, to: &bytes)
        return bytes
    }

    private func score(of row: UInt64) -> DocumentValue { .int(searches?.score(of: row) ?? 0) }

    private static func append(_ value: DocumentValue?, _ key: Query.SortKey, to bytes: inout [UInt8]) {
        let start = bytes.count
        OrderedValue.append(value, to: &bytes)
        if key.isDescending { complement(&bytes, from: start) }
    }

    fileprivate static func complement(_ bytes: inout [UInt8], from start: Int) {
        for position in start..<bytes.count { bytes[position] = ~bytes[position] }
    }

    /// Splits a position into the bytes of each sort key and the row; `nil` if the bytes are not a position.
    func parts(of bytes: [UInt8]) -> (keys: [[UInt8]], row: UInt64)? {
        var keys: [[UInt8]] = []
        var offset = 0
        for key in sort {
            guard let next = OrderedValue.skip(in: bytes.span, from: offset, isDescending: key.isDescending) else {
                return nil
            }
            keys.append(Array(bytes[offset..<next]))
            offset = next
        }
        return StoreKey.row(in: bytes.span, at: offset).map { (keys, $0) }
    }
}

extension Query.SortKey {
    /// The component that orders strings as an index would; `nil` for the binary order.
    fileprivate var component: IndexDefinition.Component? {
        guard collation != .binary, case .field(let path) = key else { return nil }
        return IndexDefinition.Component(path, order: isDescending ? .descending : .ascending, collation: collation)
    }
}

/// The positions of rows, from columns.
struct ColumnPositions {
    private let positions: SortPosition
    private let columns: [ValueColumn]
    private let plainOrders: [Bool?]
    private let names: FieldNames

    /// - Parameter columns: the columns of ``SortPosition/columnPaths``, in that order.
    init(_ positions: SortPosition, _ columns: [ValueColumn], _ names: FieldNames) {
        self.positions = positions
        self.columns = columns
        self.names = names
        plainOrders = positions.plainOrders
    }

    /// Appends the position of a row.
    func append(_ row: Int, to bytes: inout [UInt8]) throws(BodyError) {
        for place in columns.indices {
            if let isDescending = plainOrders[place] {
                let start = bytes.count
                try columns[place].appendOrdered(row, names, to: &bytes)
                if isDescending { SortPosition.complement(&bytes, from: start) }
            } else {
                positions.append(try columns[place].value(row, names), at: place, to: &bytes)
            }
        }
        StoreKey.appendRow(UInt64(row), to: &bytes)
    }
}

extension ValueColumn {
    /// Appends the value of a row in the encoding of index keys.
    fileprivate func appendOrdered(_ row: Int, _ names: FieldNames, to bytes: inout [UInt8]) throws(BodyError) {
        let number = Int(cells[row]) - Cell.first
        guard number >= 0, BodyFormat.isText(values[number][0]) else {
            OrderedValue.append(try value(row, names), to: &bytes)
            return
        }
        let encoded = values[number]
        var cursor = BodyCursor(encoded)
        OrderedValue.append(utf8: encoded.extracting(try cursor.readTextRange(before: encoded.count)), to: &bytes)
    }
}
