/// A condition that is evaluated on columns: once for each distinct value, and then by looking up the answer for each row.
struct ColumnFilter {
    private indirect enum Node {
        case all
        case leaf(FieldPath, ValueCondition)
        case and([Node])
        case or([Node])
        case not(Node)
    }

    private let root: Node
    /// The paths whose columns are needed, at least one.
    let paths: [FieldPath]

    /// Creates the condition; `nil` if it reads no field, or contains a search or a condition on a location.
    init?(_ filter: Filter) {
        var paths: [FieldPath] = []
        guard let root = Self.node(filter, &paths), !paths.isEmpty else { return nil }
        self.root = root
        self.paths = paths
    }

    private static func node(_ filter: Filter, _ paths: inout [FieldPath]) -> Node? {
        func nodes(_ parts: [Filter]) -> [Node]? {
            var nodes: [Node] = []
            for part in parts {
                guard let node = node(part, &paths) else { return nil }
                nodes.append(node)
            }
            return nodes
        }
        switch filter {
        case .all: return .all
        case .and(let parts): return nodes(parts.content).map(Node.and)
        case .or(let parts): return nodes(parts.content).map(Node.or)
        case .not(let part): return node(part.content, &paths).map(Node.not)
        default:
            guard let leaf = filter.leaf, !leaf.path.steps.isEmpty else { return nil }
            if !paths.contains(leaf.path) { paths.append(leaf.path) }
            return .leaf(leaf.path, leaf.condition)
        }
    }

    /// Returns the rows that satisfy the condition.
    ///
    /// - Parameters:
    ///   - columns: columns that include those of ``paths``.
    ///   - names: the names that the values were encoded with, or later ones.
    /// - Throws: ``BodyError`` for a damaged value; the errors of ``Filter/TextPattern/hasBoundedMatch(in:)``.
    /// - Complexity: O(*n*) in the rows of the collection and the distinct values, for each part of the condition.
    func rows(_ columns: ColumnSet, _ names: FieldNames) throws -> RowBitmap {
        var words = try self.words(root, columns, names)
        // Other conditions hold for no row without a document.
        if Self.mayHoldWithoutValue(root) {
            let present = Self.words(columns[paths[0]], columns.cellCount) { $0 >= ValueColumn.Cell.noValue }
            for position in words.indices { words[position] &= present[position] }
        }
        return RowBitmap(words: words)
    }

    /// Returns those of some rows that satisfy the condition. Each must have a document.
    ///
    /// - Complexity: O(*n*) in these rows, for each part of the condition.
    func rows(_ columns: ColumnSet, _ names: FieldNames, among candidates: RowBitmap) throws -> RowBitmap {
        try rows(root, columns, names, among: candidates)
    }

    private func rows(
        _ node: Node, _ columns: ColumnSet, _ names: FieldNames, among candidates: RowBitmap
    ) throws -> RowBitmap {
        var found = RowBitmap()
        switch node {
        case .all: found = candidates
        case .leaf(let path, let condition):
            let column = columns[path]
            var cancellation = CancellationCheck()
            for row in candidates.sorted {
                try cancellation.step()
                var holds = false
                try column.forEachValue(inCell: column.cells[Int(row)]) { number in
                    if !holds { holds = try condition.holds(forEncoded: column.values[number], names) }
                }
                if holds { found.insert(row) }
            }
        case .and(let parts):
            found = candidates
            for part in parts { found = try rows(part, columns, names, among: found) }
        case .or(let parts):
            for part in parts { found.formUnion(try rows(part, columns, names, among: candidates)) }
        case .not(let part):
            let excluded = try rows(part, columns, names, among: candidates)
            for row in candidates.sorted where !excluded.contains(row) { found.insert(row) }
        }
        return found
    }

    private static func mayHoldWithoutValue(_ node: Node) -> Bool {
        switch node {
        case .all, .not: true
        case .leaf: false
        case .and(let parts): parts.allSatisfy(mayHoldWithoutValue)
        case .or(let parts): parts.contains(where: mayHoldWithoutValue)
        }
    }

    private func words(_ node: Node, _ columns: ColumnSet, _ names: FieldNames) throws -> [UInt64] {
        let count = (columns.cellCount + 63) / 64
        switch node {
        case .all: return Array(repeating: .max, count: count)
        case .leaf(let path, let condition): return try words(condition, columns[path], columns.cellCount, names)
        case .and(let parts):
            var found = Array(repeating: UInt64.max, count: count)
            for part in parts {
                let words = try words(part, columns, names)
                for position in found.indices { found[position] &= words[position] }
            }
            return found
        case .or(let parts):
            var found = Array(repeating: UInt64(0), count: count)
            for part in parts {
                let words = try words(part, columns, names)
                for position in found.indices { found[position] |= words[position] }
            }
            return found
        case .not(let part): return try words(part, columns, names).map(~)
        }
    }

    private func words(
        _ condition: ValueCondition, _ column: ValueColumn, _ cellCount: Int, _ names: FieldNames
    ) throws -> [UInt64] {
        var cancellation = CancellationCheck()
        // The answers for cells without a value, and for each value.
        var answers = Array(repeating: false, count: ValueColumn.Cell.first)
        answers.reserveCapacity(ValueColumn.Cell.first + column.values.count)
        for number in 0..<column.values.count {
            try cancellation.step()
            answers.append(try condition.holds(forEncoded: column.values[number], names))
        }
        if !column.path.hasArrayStep { return Self.words(column, cellCount) { answers[Int($0)] } }
        return Self.words(column, cellCount) { cell in
            if cell < ValueColumn.Cell.firstList { return answers[Int(cell)] }
            var holds = false
            column.forEachValue(inCell: cell) { if answers[ValueColumn.Cell.first + $0] { holds = true } }
            return holds
        }
    }

    /// Returns one bit for each cell.
    @inline(__always)
    private static func words(_ column: ValueColumn, _ count: Int, _ holds: (UInt32) -> Bool) -> [UInt64] {
        let cells = column.cells.span
        let count = min(count, cells.count)
        var words: [UInt64] = []
        words.reserveCapacity((count + 63) / 64)
        for start in stride(from: 0, to: count, by: 64) {
            var word: UInt64 = 0
            for row in start..<min(start + 64, count) {
                // In bounds: `count` is at most that of the cells.
                word |= (holds(unsafe cells[unchecked: row]) ? 1 : 0) << UInt64(truncatingIfNeeded: row & 63)
            }
            words.append(word)
        }
        return words
    }
}

extension ValueCondition {
    /// Returns whether the condition holds for an encoded value.
    fileprivate func holds(forEncoded bytes: Span<UInt8>, _ names: FieldNames) throws -> Bool {
        if let answer = try holds(in: bytes, at: 0, before: bytes.count) { return answer }
        return try holdsBounded(try BodyDecoder.value(bytes, names: names))
    }
}
