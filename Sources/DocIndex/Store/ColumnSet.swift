internal import LevelKit

/// The columns of some paths for one snapshot, in which no cell is unknown.
struct ColumnSet {
    private let columns: [ValueColumn]
    /// The number of cells of each column: one for each row, and one more.
    let cellCount: Int

    fileprivate init(_ columns: [ValueColumn], cellCount: Int) {
        self.columns = columns
        self.cellCount = cellCount
    }

    /// Returns the column of a path, which must be one of those that the set was made for.
    subscript(path: FieldPath) -> ValueColumn {
        columns.first { $0.path == path } ?? ValueColumn(path)
    }

    /// The rows with a document.
    var rowsWithDocument: RowBitmap {
        var rows = RowBitmap()
        guard let cells = columns.first?.cells else { return rows }
        for row in cells.indices where cells[row] >= ValueColumn.Cell.noValue { rows.insert(UInt64(row)) }
        return rows
    }

    /// Returns whether there is a document in each of some rows.
    func haveDocuments(in rows: RowBitmap) -> Bool {
        guard let cells = columns.first?.cells else { return false }
        var isComplete = true
        rows.forEach { row in
            if row >= cells.count || cells[row] < ValueColumn.Cell.noValue { isComplete = false }
        }
        return isComplete
    }
}

extension RowReader {
    /// Returns the columns of some paths, after building those that queries have missed often; `nil` if they are not
    /// available for the snapshot.
    ///
    /// - Throws: `LevelError` for counters that cannot be read; `CancellationError`. Damage to documents is not reported
    ///   here: the columns are not available then, and whoever reads the documents finds it.
    func columns(_ paths: [FieldPath]) throws -> ColumnSet? {
        guard let documents, let keys = columnKeys(paths) else { return nil }
        let columns = documents.cache.columns
        let cellCount: Int
        switch try columns.known(keys, commitCount: documents.commitCount, documentCount: { try self.documentCount() })
        {
        case .none: return nil
        case .all(let known):
            guard let count = try self.cellCount() else { return nil }
            if known.allSatisfy({ $0.column.isComplete(cellCount: count) }) {
                return ColumnSet(known.map(\.column), cellCount: count)
            }
            cellCount = count
        case .some(let missing):
            guard let count = try self.cellCount(), try build(missing, documents, cellCount: count) else { return nil }
            cellCount = count
        }
        // Nothing holds the columns here, so they are changed in place.
        if let set = try completeInPlace(keys, documents, cellCount: cellCount) { return set }
        guard case .all(let known) = columns.known(keys, commitCount: documents.commitCount, documentCount: { 0 })
        else {
            return nil
        }
        return try complete(known, documents, cellCount: cellCount)
    }

    /// Notes that a query has read documents or entries for want of the columns of some paths.
    func noteMissedColumns(_ paths: [FieldPath], _ count: Int) {
        guard let documents, count > 0, let keys = columnKeys(paths) else { return }
        documents.cache.columns.noteMissed(keys, count)
    }

    private func columnKeys(_ paths: [FieldPath]) -> [ValueColumns.Key]? {
        guard documents?.cache.columns.byteLimit ?? 0 > 0, !paths.isEmpty, paths.count <= 32 else { return nil }
        var keys: [ValueColumns.Key] = []
        for path in paths where !keys.contains(where: { $0.path == path }) {
            keys.append(ValueColumns.Key(collection: collection.number, path: path))
        }
        return keys
    }

    /// The number of cells of a column; `nil` if most rows have no document, or the counters are damaged.
    private func cellCount() throws -> Int? {
        let counters = try CollectionCounters.read(collection.number, in: snapshot)
        guard counters.nextRow < UInt64(ValueColumn.Cell.firstList),
            counters.nextRow / 8 <= UInt64(counters.documentCount) + 1000
        else { return nil }
        return Int(counters.nextRow)
    }

    /// Reads every document for some columns, and keeps them for this query and others.
    ///
    /// - Returns: Whether all of them were built.
    private func build(
        _ keys: [ValueColumns.Key], _ documents: DocumentCache.View, cellCount: Int
    ) throws -> Bool {
        let columns = documents.cache.columns
        // Fewer of them may fit.
        guard cellCount * 4 * keys.count <= columns.byteLimit else { return false }
        let isNewest = { documents.cache.isNewest(documents.commitCount) }
        guard let build = columns.beginBuild(keys, of: collection.number, if: isNewest) else { return false }
        defer { columns.endBuild(build) }
        do {
            let built = try readColumns(keys, cellCount: cellCount, byteLimit: columns.byteLimit)
            columns.refuse(keys.filter { key in !built.contains { $0.path == key.path } })
            columns.publish(built, of: build, commitCount: documents.commitCount)
            return built.count == keys.count
        } catch let error as CancellationError {
            throw error
        } catch {
            columns.refuse(keys)
            return false
        }
    }

    /// Returns the columns that fit into memory, from a pass over all documents; none if there are documents in rows that
    /// the counters do not know, because the counters are damaged.
    private func readColumns(
        _ keys: [ValueColumns.Key], cellCount: Int, byteLimit: Int
    ) throws -> [ValueColumn] {
        let names = collection.names.current
        var built = keys.map { ColumnBuilder($0.path, names, cellCount: cellCount) }
        var cancellation = CancellationCheck()
        var uncheckedByteCount = 0
        var cursor = try documentCursor()
        while !built.isEmpty, try cursor.advanceUnchecked() {
            try cancellation.step()
            let row = try self.row(ofDocumentKey: cursor.key)
            guard let position = Int(exactly: row), position < cellCount else { return [] }
            let body = try record(cursor.value, row: row).body
            for builder in built { try builder.set(position, to: body) }
            uncheckedByteCount += body.count
            if uncheckedByteCount > byteLimit / 8 {
                uncheckedByteCount = 0
                // Arrays may have room for twice as much.
                built.removeAll { !$0.isSuitable || $0.column.byteCount / 2 > byteLimit }
                while built.reduce(0, { $0 + $1.column.byteCount }) / 2 > byteLimit,
                    let largest = built.max(by: { $0.column.byteCount < $1.column.byteCount })
                {
                    built.removeAll { $0 === largest }
                }
            }
        }
        try cursor.checkForErrors()
        for builder in built { builder.trim() }
        return built.filter { $0.isSuitable && $0.column.byteCount <= byteLimit }.map(\.column)
    }

    /// The number of documents that ``completeInPlace(_:_:cellCount:)`` reads at most, because they are in memory at once.
    private static var inPlaceLimit: Int { 64 }
    private static var inPlaceByteLimit: Int { 1 << 20 }

    /// Reads the documents of a few rows that are unknown or new in some columns of the newest state, as after a commit.
    ///
    /// - Returns: `nil` if the columns are others by now, there are too many rows, or a document is damaged.
    private func completeInPlace(
        _ keys: [ValueColumns.Key], _ documents: DocumentCache.View, cellCount: Int
    ) throws -> ColumnSet? {
        let columns = documents.cache.columns
        let isNewest = { documents.cache.isNewest(documents.commitCount) }
        guard isNewest(), let gaps = columns.gaps(in: keys, cellCount: cellCount, limit: Self.inPlaceLimit) else {
            return nil
        }
        var bodies: [(row: Int, body: [UInt8])] = []
        do {
            var byteCount = 0
            for row in gaps.rows where row < UInt64(cellCount) {
                try withDocument(in: row) {
                    byteCount += $0.count
                    if byteCount <= Self.inPlaceByteLimit { bodies.append((Int(row), Array(copying: $0))) }
                }
                if byteCount > Self.inPlaceByteLimit { return nil }
            }
        } catch {
            return nil
        }
        let names = collection.names.current
        let paths = keys.map { ResolvedPath($0.path, names: names) }
        let changed = columns.update(keys, gaps.generations, commitCount: documents.commitCount, if: isNewest) {
            place, column in
            column.clearUnknownRows()
            column.extend(to: cellCount)
            for (row, body) in bodies {
                guard (try? column.set(row, to: body.span, at: paths[place])) == true else { return false }
            }
            return true
        }
        return changed.map { ColumnSet($0, cellCount: cellCount) }
    }

    /// Reads the documents of rows that are unknown or new in some columns.
    ///
    /// - Returns: `nil` if one of them is damaged.
    private func complete(
        _ known: [(column: ValueColumn, generation: Int)], _ documents: DocumentCache.View, cellCount: Int
    ) throws -> ColumnSet? {
        if known.allSatisfy({ $0.column.isComplete(cellCount: cellCount) }) {
            return ColumnSet(known.map(\.column), cellCount: cellCount)
        }
        let names = collection.names.current
        var changed = known
        var rows = RowBitmap()
        for place in changed.indices {
            for row in changed[place].column.unknownRows { rows.insert(UInt64(row)) }
            for row in changed[place].column.cells.count..<max(changed[place].column.cells.count, cellCount) {
                rows.insert(UInt64(row))
            }
            changed[place].column.clearUnknownRows()
            changed[place].column.extend(to: cellCount)
        }
        let paths = changed.map { ResolvedPath($0.column.path, names: names) }
        let columns = documents.cache.columns
        var isSuitable = true
        var uncheckedByteCount = 0
        do {
            for row in rows.sorted where row < UInt64(cellCount) && isSuitable {
                try CancellationCheck.now()
                if uncheckedByteCount > columns.byteLimit / 8 {
                    uncheckedByteCount = 0
                    isSuitable = changed.reduce(0) { $0 + $1.column.byteCount } / 2 <= columns.byteLimit
                }
                try withDocument(in: row) { body in
                    uncheckedByteCount += body.count
                    for place in changed.indices {
                        isSuitable = try changed[place].column.set(Int(row), to: body, at: paths[place]) && isSuitable
                    }
                }
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            return nil
        }
        if !isSuitable {
            columns.remove(changed.map { ValueColumns.Key(collection: collection.number, path: $0.column.path) })
            return nil
        }
        let isNewest = { documents.cache.isNewest(documents.commitCount) }
        columns.replace(
            changed, of: collection.number, commitCount: documents.commitCount, if: isNewest)
        return ColumnSet(changed.map(\.column), cellCount: cellCount)
    }

    /// Calls `body` with the body of the document in a row, if there is one.
    private func withDocument(in row: UInt64, _ body: (Span<UInt8>) throws -> Void) throws {
        var failure: (any Error)?
        _ = try snapshot.withValue(forKey: StoreKey.document(collection.number, row: row)) { bytes in
            do {
                try body(record(bytes, row: row).body)
            } catch {
                failure = error
            }
            return true
        }
        if let failure { throw failure }
    }
}

/// A column while all documents are read.
private final class ColumnBuilder {
    private(set) var column: ValueColumn
    /// Whether all values so far can be in a column.
    private(set) var isSuitable = true
    private let path: ResolvedPath

    init(_ path: FieldPath, _ names: FieldNames, cellCount: Int) {
        column = ValueColumn(path)
        column.extend(to: cellCount)
        self.path = ResolvedPath(path, names: names)
    }

    func set(_ row: Int, to body: Span<UInt8>) throws {
        if isSuitable { isSuitable = try column.set(row, to: body, at: path) }
    }

    func trim() { column.trim() }
}
