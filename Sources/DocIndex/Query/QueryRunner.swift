internal import LevelKit

/// Runs a plan on one snapshot and gives documents in the order of the query.
struct QueryRunner {
    /// What was read to find the answer.
    struct Work {
        var keysExamined = 0
        var documentsExamined = 0
    }

    let rows: RowReader
    let indexes: [ValueIndex]
    let query: Query
    private(set) var work = Work()

    init(rows: RowReader, indexes: [ValueIndex], query: Query) {
        self.rows = rows
        self.indexes = indexes
        self.query = query
    }

    /// Calls `body` with each document of the answer until it returns `false`.
    mutating func run(_ plan: Plan, _ body: (Document) throws -> Bool) throws {
        var window = ResultWindow(query)
        if query.limit == 0 { return }
        switch plan.access {
        case .scan where query.sort.isEmpty:
            try scan { document in
                try window.admit() ? body(document) && !window.isFull : true
            }
        case .walk(let name, let isDescending):
            try walk(try index(named: name), isDescending: isDescending) { document in
                try window.admit() ? body(document) && !window.isFull : true
            }
        default:
            var sorter = ResultSorter(query)
            try forEachMatch(plan.access) { sorter.add($0) }
            for document in sorter.sorted() where window.admit() {
                if try !body(document) || window.isFull { return }
            }
        }
    }

    // MARK: - Ways to the documents

    private mutating func forEachMatch(_ access: Plan.Access, _ body: (Document) -> Void) throws {
        if case .scan = access {
            return try scan { document in
                body(document)
                return true
            }
        }
        var found: Set<UInt64> = []
        try collectRows(access, into: &found)
        // In the order of rows the bodies are read from neighbouring blocks.
        for row in found.sorted() {
            let document = try rows.document(row)
            work.documentsExamined += 1
            if query.predicate.matches(document.content) { body(document) }
        }
    }

    private mutating func collectRows(_ access: Plan.Access, into found: inout Set<UInt64>) throws {
        switch access {
        case .scan, .walk: break
        case .union(let parts):
            for part in parts { try collectRows(part, into: &found) }
        case .ranges(let name, let ranges, _):
            let index = try index(named: name)
            for range in ranges {
                var cursor = try rows.snapshot.cursor(in: range)
                while try cursor.advance() {
                    found.insert(try Self.row(of: cursor.key, in: index))
                    work.keysExamined += 1
                }
            }
        }
    }

    /// Every document that matches, in the order of ids.
    private mutating func scan(_ body: (Document) throws -> Bool) throws {
        var cursor = try rows.idCursor()
        while try cursor.advance() {
            work.keysExamined += 1
            guard let row = try rows.row(inIDValue: cursor.value) else { continue }
            work.documentsExamined += 1
            let document = try rows.document(row)
            if query.predicate.matches(document.content), try !body(document) { return }
        }
    }

    /// Every document that matches, in the order of an index; those with equal values in the order of ids.
    private mutating func walk(_ index: ValueIndex, isDescending: Bool, _ body: (Document) throws -> Bool) throws {
        var cursor = try rows.snapshot.cursor(in: .prefix(index.entryPrefix), reverse: isDescending)
        var group: [Document] = []
        var groupValue: [UInt8] = []
        while try cursor.advance() {
            work.keysExamined += 1
            let key = cursor.key
            guard let end = index.rowOffset(in: key) else {
                throw Self.damaged(index)
            }
            let value = key.extracting(..<end).copied()
            if value != groupValue {
                for document in group.sorted(by: { $0.id < $1.id }) where try !body(document) { return }
                group = []
                groupValue = value
            }
            let document = try rows.document(try Self.row(of: key, in: index))
            work.documentsExamined += 1
            if query.predicate.matches(document.content) { group.append(document) }
        }
        for document in group.sorted(by: { $0.id < $1.id }) where try !body(document) { return }
    }

    private func index(named name: String) throws -> ValueIndex {
        guard let index = indexes.first(where: { $0.definition.name == name }) else {
            throw DocIndexError(.unknownIndex, "there is no index \(name); see the schema for those there are")
        }
        return index
    }

    private static func row(of key: Span<UInt8>, in index: ValueIndex) throws -> UInt64 {
        guard let row = index.row(of: key) else { throw damaged(index) }
        return row
    }

    private static func damaged(_ index: ValueIndex) -> DocIndexError {
        DocIndexError(.corruption, "the index \(index.definition.name) holds a key that cannot be read; run verify")
    }
}

/// Counts the results that are left out at the beginning and those that are given.
private struct ResultWindow {
    private var toSkip: Int
    private var left: Int

    init(_ query: Query) {
        toSkip = query.offset
        left = query.limit ?? .max
    }

    var isFull: Bool { left == 0 }

    /// Whether the next result is one to give.
    mutating func admit() -> Bool {
        if toSkip > 0 {
            toSkip -= 1
            return false
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}

/// Puts documents in the order of a query, and keeps no more than its limit needs.
private struct ResultSorter {
    private struct Entry {
        let keys: [[UInt8]]
        let document: Document
    }

    private let sort: [Query.SortKey]
    private let needed: Int
    private var entries: [Entry] = []

    init(_ query: Query) {
        sort = query.sort
        needed =
            query.limit.map { $0.addingReportingOverflow(query.offset) }
            .map { $0.overflow ? .max : $0.partialValue } ?? .max
    }

    mutating func add(_ document: Document) {
        let keys = sort.map { OrderedValue.encoded($0.path.value(in: document.content)) }
        entries.append(Entry(keys: keys, document: document))
        // Sorting now and then and cutting off costs O(log limit) for each document, like a heap.
        if needed < .max / 4, entries.count >= 2 * needed + 1024 { cut() }
    }

    mutating func sorted() -> [Document] {
        cut()
        return entries.map(\.document)
    }

    private mutating func cut() {
        entries.sort(by: precedes)
        if entries.count > needed { entries.removeLast(entries.count - needed) }
    }

    private func precedes(_ a: Entry, _ b: Entry) -> Bool {
        for (position, key) in sort.enumerated() where a.keys[position] != b.keys[position] {
            return a.keys[position].lexicographicallyPrecedes(b.keys[position]) != key.isDescending
        }
        return a.document.id < b.document.id
    }
}
