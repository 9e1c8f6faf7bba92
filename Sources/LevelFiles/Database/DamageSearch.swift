/// Locates corruption that LevelDB has found. LevelDB's errors name at most the directory.
///
/// Reads the files without a lock, and stops at a deadline. Only used after a failure.
package struct DamageSearch {
    private let files: DatabaseFiles
    private let order: VersionMerge.Order
    private let deadline: ContinuousClock.Instant

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - order: the order of the user keys.
    ///   - limit: the approximate time limit.
    package init(
        _ files: DatabaseFiles, within limit: Duration, order: @escaping VersionMerge.Order
    ) {
        self.files = files
        self.order = order
        deadline = ContinuousClock.now + limit
    }

    private var isOver: Bool { ContinuousClock.now >= deadline }

    // MARK: - Opening

    /// Returns the first corruption in the files that LevelDB reads when it opens a database: manifest, logs and table
    /// indexes.
    package func faultAtOpening() -> FileError? {
        if let fault = files.manifestFault ?? files.manifest?.faults.first { return fault }
        guard let version = files.manifest?.version else { return nil }
        for file in files.files {
            guard case .log(let number) = file.kind, version.needsLog(number) else { continue }
            do throws(FileError) {
                var log = try WriteLog(at: files.path(of: file.name))
                while let item = try log.next(), !isOver {
                    if case .damage(let fault, _) = item { return fault }
                }
            } catch {
                return error
            }
        }
        for table in version.tables {
            guard let file = files.tableFile(table.number) else { return Self.missing(table) }
            do throws(FileError) { _ = try Table(at: files.path(of: file.name)).index() } catch { return error }
            if isOver { return nil }
        }
        return nil
    }

    // MARK: - Reading

    /// Returns the corruption nearest to a key, or `nil` if none is found in time. LevelDB skips a corrupt block, so a
    /// cursor is just after or just before it.
    ///
    /// - Parameter key: the key, or `nil` for the end of the database.
    package func fault(near key: [UInt8]?) -> FileError? {
        guard let version = files.manifest?.version else { return files.manifestFault }
        var tables: [OpenTable] = []
        let sorted = version.tables.map { (table: $0, distance: distance(of: $0, from: key, in: version)) }
            .sorted { $0.distance < $1.distance }
        // Tables that contain the key, and the neighbors in each level, are searched block by block in turn.
        for (listed, distance) in sorted where distance <= 1 {
            switch open(listed, near: key) {
            case .failure(let fault): return fault
            case .success(let table): tables.append(table)
            }
        }
        if let fault = fault(in: tables) { return fault }
        for (listed, distance) in sorted where distance > 1 && !isOver {
            switch open(listed, near: key) {
            case .failure(let fault): return fault
            case .success(let table): if let fault = fault(in: [table]) { return fault }
            }
        }
        return nil
    }

    /// A table, and its block that contains a key or is the first one after it.
    private struct OpenTable {
        let table: Table
        let index: [Table.IndexEntry]
        let position: Int
    }

    /// Returns 0 for a table that contains the key, 1 for the nearest table of its level on either side, and 2 for
    /// others.
    private func distance(of table: VersionEdit.Table, from key: [UInt8]?, in version: Version) -> Int {
        let end = key == nil
        let isBefore = end || order(table.largest.userKey, key ?? []) < 0
        let isBehind = !end && order(table.smallest.userKey, key ?? []) > 0
        guard isBefore || isBehind else { return 0 }
        let hasNearer = version.tables.contains { other in
            guard other.level == table.level, other.number != table.number else { return false }
            let difference = order(other.smallest.userKey, table.smallest.userKey)
            guard isBefore == (end || order(other.largest.userKey, key ?? []) < 0),
                isBehind == (!end && order(other.smallest.userKey, key ?? []) > 0)
            else { return false }
            return isBefore ? difference > 0 : difference < 0
        }
        return hasNearer ? 2 : 1
    }

    private func open(_ listed: VersionEdit.Table, near key: [UInt8]?) -> Result<OpenTable, FileError> {
        guard let file = files.tableFile(listed.number) else { return .failure(Self.missing(listed)) }
        do throws(FileError) {
            let table = try Table(at: files.path(of: file.name))
            let index = try table.index()
            var position = max(0, index.count - 1)
            if let key {
                position = index.firstIndex { order(Array($0.separator.dropLast(8)), key) >= 0 } ?? position
            }
            return .success(OpenTable(table: table, index: index, position: position))
        } catch {
            // For a truncated table, the file size is a better explanation than the bytes at its end.
            guard file.byteCount != listed.byteCount else { return .failure(error) }
            return .failure(
                FileError(
                    .damaged, file: file.name, offset: min(file.byteCount, listed.byteCount),
                    reason: "the file has \(file.byteCount) bytes instead of \(listed.byteCount)"))
        }
    }

    private static func missing(_ table: VersionEdit.Table) -> FileError {
        FileError(.missing, file: EngineFileName.table(named: table.number), reason: "the table is missing")
    }

    /// Returns the corrupt block nearest to the positions in several tables.
    private func fault(in tables: [OpenTable]) -> FileError? {
        let reach = tables.map { max($0.position, $0.index.count - $0.position) }.max() ?? 0
        for distance in 0..<max(1, reach + 1) {
            for table in tables {
                let positions =
                    distance == 0 ? [table.position] : [table.position - distance, table.position + distance]
                for position in positions where table.index.indices.contains(position) {
                    if isOver { return nil }
                    do throws(FileError) {
                        try table.table.forEachEntry(inBlockAt: table.index[position].handle) { _ in }
                    } catch {
                        return error
                    }
                }
            }
        }
        return nil
    }
}
