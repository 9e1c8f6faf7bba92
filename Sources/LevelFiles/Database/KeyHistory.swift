/// Every version of a key that is still on the disk: the one that LevelDB would return, overwritten and deleted ones,
/// and those in obsolete files.
package struct KeyHistory: Sendable {
    /// A version.
    package struct Version: Hashable, Sendable {
        /// The sequence number of the operation.
        package let sequence: UInt64
        /// Put or deletion.
        package let kind: InternalKey.Kind
        /// The value; empty for a deletion.
        package let value: [UInt8]
        /// The file that contains the version.
        package let file: String
        /// Whether the file belongs to the database.
        package let use: DatabaseFiles.Use
        /// The level of a table in use.
        package let level: Int?
        /// Whether a read of the database returns this version: the newest one in a file in use.
        package fileprivate(set) var isCurrent = false
    }

    /// The versions, newest first. If several files contain a version, files in use come first.
    package private(set) var versions: [Version] = []
    /// The faults of files that could not be read completely.
    package private(set) var faults: [FileError] = []

    /// Searches every table and log of a directory for a key.
    ///
    /// - Parameter includesObsolete: whether obsolete files are searched.
    /// - Complexity: reads the index and at most two blocks of each table that may contain the key, and the logs
    ///   completely. If the order is not bytewise, reads all tables.
    package init(of key: [UInt8], in files: DatabaseFiles, includesObsolete: Bool = true) {
        let version = files.manifest?.version
        let ranges = Dictionary(version?.tables.map { ($0.number, $0) } ?? []) { first, _ in first }
        for file in files.files {
            let (use, level) = files.use(of: file)
            guard includesObsolete || use == .live else { continue }
            let found: [Version]
            do throws(FileError) {
                switch file.kind {
                case .table(let number):
                    if let table = ranges[number], version?.isBytewise == true,
                        key.lexicographicallyPrecedes(table.smallest.userKey)
                            || table.largest.userKey.lexicographicallyPrecedes(key)
                    {
                        continue
                    }
                    let table = try Table(at: files.path(of: file.name))
                    found = try search(
                        table, for: key, isBytewise: version?.isBytewise ?? false, use: use, level: level)
                case .log: found = try search(WriteLog(at: files.path(of: file.name)), for: key, use: use)
                default: continue
                }
            } catch {
                // A table that the manifest does not name is unfinished, or was when its process ended. Its source
                // still contains the entries.
                if case .table = file.kind, version != nil, use != .live { continue }
                faults.append(error)
                continue
            }
            versions += found
        }
        sort()
    }

    private mutating func search(
        _ table: Table, for key: [UInt8], isBytewise: Bool, use: DatabaseFiles.Use, level: Int?
    ) throws(FileError) -> [Version] {
        var found: [Version] = []
        for entry in try isBytewise ? table.index(of: key) : table.index() {
            var isPast = false
            do throws(FileError) {
                try table.forEachEntry(inBlockAt: entry.handle) { entry throws(FileError) in
                    if entry.key.userKey == key {
                        found.append(
                            Version(
                                sequence: entry.key.sequence, kind: entry.key.kind, value: Array(entry.value),
                                file: table.name, use: use, level: level))
                    } else if isBytewise, key.lexicographicallyPrecedes(entry.key.userKey) {
                        isPast = true
                    }
                }
            } catch {
                // The next block may contain more versions of the key.
                faults.append(error)
            }
            if isPast { break }
        }
        return found
    }

    private mutating func search(
        _ log: WriteLog, for key: [UInt8], use: DatabaseFiles.Use
    ) throws(FileError) -> [Version] {
        var log = log
        var found: [Version] = []
        while let item = try log.next(mentioning: key) {
            switch item {
            case .damage(let fault, _): faults.append(fault)
            case .batch(let batch, _):
                for operation in batch.operations where operation.key.userKey == key {
                    found.append(
                        Version(
                            sequence: operation.key.sequence, kind: operation.key.kind, value: Array(operation.value),
                            file: log.name, use: use, level: nil))
                }
            }
        }
        return found
    }

    private mutating func sort() {
        versions.sort { left, right in
            if left.sequence != right.sequence { return left.sequence > right.sequence }
            if left.use != right.use { return left.use == .live }
            return left.file.utf8.lexicographicallyPrecedes(right.file.utf8)
        }
        if let index = versions.firstIndex(where: { $0.use == .live }) { versions[index].isCurrent = true }
    }
}
