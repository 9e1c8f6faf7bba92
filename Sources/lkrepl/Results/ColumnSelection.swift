import DocIndex

/// The columns of a table of documents: the ID in full, then the most informative fields that fit beside it.
struct ColumnSelection: Hashable {
    /// The shown columns.
    var titles: [String] = []
    /// The fields that are not shown.
    var omitted: [String] = []

    /// The widest value that determines the width of a column; longer ones are truncated.
    private static let usualCellWidth = 32

    /// Selects the columns of rows for a table.
    ///
    /// - Parameters:
    ///   - titles: All columns, in order of first occurrence.
    ///   - width: The width of the table; `nil` for no limit.
    /// - Complexity: O(size of the rows).
    init(of titles: [String], rows: [DocumentObject], style: TableStyle, width: Int?) {
        guard let idField = style.idField else {
            self.titles = titles
            return
        }
        func isPinned(_ title: String) -> Bool { style.pinned.contains { $0.hasSameBytes(as: title) } }
        // A score stands before the ID, and an excerpt after the fields.
        let leading = Array(titles.prefix(while: isPinned))
        let trailing = titles.dropFirst(leading.count).filter(isPinned)
        let first = leading + titles.filter { $0.hasSameBytes(as: idField) }
        let others = titles.filter { !isPinned($0) && !$0.hasSameBytes(as: idField) }
        guard let width, !style.isWide else {
            self.titles = first + others + trailing
            return
        }
        var room = width - 1
        for title in first { room -= Self.width(of: title, rows, limit: .max) + 3 }
        for title in trailing { room -= Self.width(of: title, rows, limit: Self.usualCellWidth) + 3 }
        let ranked = others.map { Candidate($0, rows, style) }.enumerated()
            .sorted { ($1.element.rank, $0.offset) < ($0.element.rank, $1.offset) }
        var chosen: Set<[UInt8]> = []
        for candidate in ranked.map(\.element) {
            let needed = Self.width(of: candidate.title, rows, limit: Self.usualCellWidth) + 3
            guard needed <= room || chosen.isEmpty && room > 12 else { continue }
            room -= needed
            chosen.insert(Array(candidate.title.utf8))
        }
        self.titles = first + others.filter { chosen.contains(Array($0.utf8)) } + trailing
        omitted = others.filter { !chosen.contains(Array($0.utf8)) }
    }

    /// The columns needed by a field.
    private static func width(of title: String, _ rows: [DocumentObject], limit: Int) -> Int {
        let cells = rows.compactMap { $0[title].map { DisplayWidth.columns(of: ResultWriter.cell($0).text) } }
        let kind = ValueKinds(of: title, in: rows).description
        return max(DisplayWidth.columns(of: title), DisplayWidth.columns(of: kind), min(limit, cells.max() ?? 0))
    }

    /// A field, and how much it tells about the documents.
    private struct Candidate {
        let title: String
        let rank: FieldRank

        init(_ title: String, _ rows: [DocumentObject], _ style: TableStyle) {
            self.title = title
            let rank = FieldRank(
                of: rows.lazy.compactMap { $0[title] }, in: rows.count,
                isPreferred: style.preferred.contains { $0.hasSameBytes(as: title) },
                usualLength: ColumnSelection.usualCellWidth
            ) { DisplayWidth.columns(of: ResultWriter.cell($0).text) }
            self.rank = style.telling.contains { $0.hasSameBytes(as: title) } ? rank.multiplied(by: 1.4) : rank
        }
    }
}

/// The kinds of a field's values, as written below its name.
struct ValueKinds: Hashable, CustomStringConvertible {
    private var names: [String] = []

    /// The kinds of the values of a column.
    init(of title: String, in rows: [DocumentObject]) {
        for value in rows.lazy.compactMap({ $0[title] }) { add(value) }
    }

    private mutating func add(_ value: DocumentValue) {
        let name: String
        switch value {
        case .null: return
        case .string: name = "text"
        case .int, .double: name = "number"
        case .date: name = "date"
        case .bool: name = "bool"
        case .array: name = "array"
        case .object: name = "object"
        case .bytes: name = "bytes"
        case .attachment: name = "attachment"
        }
        if !names.contains(name) { names.append(name) }
    }

    /// `number`, `text/number`, or `mixed` for more than two kinds; empty without values.
    var description: String { names.count > 2 ? "mixed" : names.joined(separator: "/") }
}
