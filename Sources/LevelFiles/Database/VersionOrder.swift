/// Checks that no table contains an older version of a key than a table of a deeper level.
///
/// LevelDB searches for a key level by level and returns the first version that it finds. LevelDB's repair, or a bug in
/// its compactions, may leave an old version above a newer one. A read of the key then returns the old version, while a
/// scan returns the newer one.
package struct VersionOrder {
    /// Old versions in a table above newer ones in another.
    package struct Inversion: Hashable, Sendable, CustomStringConvertible {
        /// The table with the old versions, and its level.
        package let upper: VersionEdit.TableKey
        /// The table with the newer versions, and its level.
        package let lower: VersionEdit.TableKey
        /// The number of affected keys.
        package fileprivate(set) var keyCount: UInt64

        /// The problem, as a clause about the upper table.
        package var description: String {
            "it holds older versions of \(keyCount) key\(keyCount == 1 ? "" : "s") than table \(lower.number) of level \(lower.level) below it, "
                + "so a read of one key may return an overwritten or deleted value"
        }
    }

    /// The inversions; empty if none was found.
    package private(set) var inversions: [Inversion] = []

    /// Checks the tables that a manifest names. Skips corrupt and missing tables.
    ///
    /// - Complexity: O(n log t) in the entries of tables that overlap others, and the tables.
    package init(_ files: DatabaseFiles, order: @escaping VersionMerge.Order) {
        guard let version = files.manifest?.version else { return }
        let listed = Self.overlapping(version.tables.filter { files.tableFile($0.number) != nil }, order)
        let tables = listed.compactMap { table in
            files.tableFile(table.number).map {
                VersionMerge.TableFile(path: files.path(of: $0.name), listed: table)
            }
        }
        var merge = VersionMerge(tables: tables, logs: [], order: order)
        let keys = merge.sources.map { source in listed.first { files.tableFile($0.number)?.name == source.name }?.key }
        // The order in which a read of a key searches: level by level, and in level 0 the newest file first.
        let ranks = keys.map { key -> (Int, UInt64) in
            guard let key else { return (0, 0) }
            return (key.level, key.level == 0 ? UInt64.max - key.number : 0)
        }
        var found: [Pair: UInt64] = [:]
        var last: (key: [UInt8], source: Int)?
        while let next = merge.next() {
            defer { last = (next.entry.key.userKey, next.source) }
            guard let last, order(last.key, next.entry.key.userKey) == 0, ranks[next.source] < ranks[last.source],
                let upper = keys[next.source], let lower = keys[last.source]
            else { continue }
            found[Pair(upper: upper, lower: lower), default: 0] += 1
        }
        inversions = found.map { Inversion(upper: $0.key.upper, lower: $0.key.lower, keyCount: $0.value) }
            .sorted {
                ($0.upper.level, $0.upper.number, $0.lower.number) < ($1.upper.level, $1.upper.number, $1.lower.number)
            }
    }

    /// Returns the tables that may have a key in common with another one.
    private static func overlapping(
        _ tables: [VersionEdit.Table], _ order: VersionMerge.Order
    ) -> [VersionEdit.Table] {
        let sorted = tables.sorted { order($0.smallest.userKey, $1.smallest.userKey) < 0 }
        var found: [VersionEdit.Table] = []
        /// The previous tables that overlap one another. Their largest key is that of `last`.
        var (group, last) = ([VersionEdit.Table](), VersionEdit.Table?.none)
        for table in sorted {
            if let end = last, order(table.smallest.userKey, end.largest.userKey) > 0 {
                if group.count > 1 { found += group }
                (group, last) = ([], nil)
            }
            group.append(table)
            if last.map({ order($0.largest.userKey, table.largest.userKey) < 0 }) ?? true { last = table }
        }
        return group.count > 1 ? found + group : found
    }

    private struct Pair: Hashable {
        let upper: VersionEdit.TableKey
        let lower: VersionEdit.TableKey
    }
}
