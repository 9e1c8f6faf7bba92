/// A check of the files of a database without opening it. Nothing is locked, recovered or written.
///
/// LevelDB finds corruption only where it reads. This check reads every file that the manifest names, and reports the
/// file and byte offset of each problem.
package struct FileCheck: Sendable {
    /// A problem.
    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The file.
        package let file: String
        /// The byte offset in the file, or `nil` if no position applies.
        package let offset: UInt64?
        /// The reason, as a clause.
        package let reason: String

        /// The file, the position in it and the reason.
        package var description: String {
            (offset.map { "\(file), byte \($0)" } ?? file) + ": " + reason
        }
    }

    /// How much is read.
    package enum Depth: Sendable {
        /// Names, sizes, the manifest and the footers of tables.
        case outline
        /// The same, and whether LevelDB can read every block of the tables without ending the process, and finds the
        /// newest version of every key.
        case safety
        /// Every byte of every file in use.
        case everything
    }

    /// The problems, at most ``problemLimit``; empty if none was found.
    package private(set) var problems: [Problem] = []
    /// The total number of problems.
    package private(set) var problemCount = 0
    /// Whether old versions are above newer ones, which a full compaction fixes. Checked only if no other problem was
    /// found. Each case is also listed in ``problems``.
    package private(set) var hasVersionsOutOfOrder = false
    /// The number of checked tables.
    package private(set) var tableCount = 0
    /// The number of blocks read, including index and filter blocks.
    package private(set) var blockCount = 0
    /// The number of table entries read, including old versions and tombstones.
    package private(set) var entryCount: UInt64 = 0
    /// The number of logs read.
    package private(set) var logCount = 0
    /// The number of operations in logs.
    package private(set) var operationCount: UInt64 = 0
    /// The bytes after the last record of a log: an unfinished write, which is not corruption.
    package private(set) var tornByteCount: UInt64 = 0
    /// Whether the order of keys was checked, which requires bytewise order.
    package private(set) var isOrderChecked = true

    /// The maximum number of listed problems.
    package static let problemLimit = 1000

    /// Checks the files of a database.
    ///
    /// - Complexity: O(1) per table; O(n) in the bytes of the tables for `safety`, and in all bytes for `everything`.
    package init(_ files: DatabaseFiles, depth: Depth) {
        guard let manifest = files.manifest else {
            if let fault = files.manifestFault { add(fault) }
            return
        }
        for fault in manifest.faults { add(fault) }
        let version = manifest.version
        isOrderChecked = version.isBytewise
        // Other checks do not rely on a corrupt manifest, because the tables that it names may have been replaced.
        let isWhole = manifest.faults.isEmpty
        if isWhole {
            checkNumbers(of: version, in: manifest.name, files)
            if version.isBytewise { checkLevels(of: version, in: manifest.name) }
        }
        let limit = depth == .outline ? .max : tableLimit(of: version, in: files)
        for table in version.tables where isWhole || files.tableFile(table.number) != nil {
            check(table, of: version, upTo: limit, in: files, depth: depth)
        }
        checkLogs(of: version, in: files, depth: depth)
        if depth != .outline, version.isBytewise, problemCount == 0 { checkVersions(in: files) }
    }

    private mutating func checkVersions(in files: DatabaseFiles) {
        let order = VersionOrder(files) { left, right in
            left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        }
        hasVersionsOutOfOrder = !order.inversions.isEmpty
        for inversion in order.inversions {
            add(EngineFileName.table(named: inversion.upper.number), nil, inversion.description)
        }
    }

    private mutating func add(_ file: String, _ offset: UInt64? = nil, _ reason: String) {
        problemCount += 1
        guard problems.count < Self.problemLimit else { return }
        problems.append(Problem(file: file, offset: offset, reason: reason))
    }

    private mutating func add(_ fault: FileError) { add(fault.file, fault.offset, fault.reason) }

    // MARK: - The manifest

    private mutating func checkNumbers(of version: Version, in name: String, _ files: DatabaseFiles) {
        if version.comparatorName == nil { add(name, "it does not name a comparator") }
        if version.otherComparatorName != nil { add(name, "it names two comparators") }
        guard let next = version.nextFileNumber, let log = version.logNumber, let last = version.lastSequence else {
            return add(name, nil, "it lacks the number of the log, of the next file or of the last write")
        }
        if last >= BatchOrder.sequenceLimit { add(name, nil, "LevelDB cannot have assigned write \(last)") }
        for number in [next, log, version.previousLogNumber ?? 0] where number >= EngineFileName.numberLimit {
            add(name, nil, "LevelDB cannot have assigned file number \(number)")
        }
        if log >= next { add(name, nil, "it names log \(log), whose number has not been assigned yet") }
        if let table = version.tableInTwoLevels { add(name, nil, "it names table \(table) in two levels") }
        for table in version.tables where table.number >= next {
            add(name, nil, "it names table \(table.number), whose number has not been assigned yet")
        }
        if let table = version.tableAheadOfLastSequence {
            add(name, nil, "table \(table.number) has writes after the last one that it names")
        }
        if log != 0, !files.files.contains(where: { $0.kind == .log(log) }) {
            add(EngineFileName.log(named: log), nil, "the log that the manifest names is missing")
        }
    }

    private mutating func checkLevels(of version: Version, in name: String) {
        for table in version.tables where table.largest.precedesBytewise(table.smallest) {
            add(name, nil, "table \(table.number) of level \(table.level) ends before it begins")
        }
        for level in 1..<VersionEdit.levelCount {
            let tables = version.tables.filter { $0.level == level }
                .sorted { $0.smallest.precedesBytewise($1.smallest) }
            for (left, right) in zip(tables, tables.dropFirst())
            where !left.largest.precedesBytewise(right.smallest) {
                add(name, nil, "tables \(left.number) and \(right.number) of level \(level) overlap")
            }
        }
    }

    // MARK: - Tables

    private mutating func check(
        _ listed: VersionEdit.Table, of version: Version, upTo limit: UInt64, in files: DatabaseFiles, depth: Depth
    ) {
        guard let file = files.tableFile(listed.number) else {
            return add(EngineFileName.table(named: listed.number), nil, "the table is missing")
        }
        tableCount += 1
        if file.byteCount != listed.byteCount {
            add(file.name, nil, "it has \(file.byteCount) bytes instead of \(listed.byteCount)")
        }
        do throws(FileError) {
            let table = try Table(at: files.path(of: file.name))
            let range = (first: listed.smallest, last: listed.largest)
            if depth == .safety,
                let fault = try table.hazard(
                    .everything, isBytewise: version.isBytewise, upTo: limit, within: range)
            {
                add(fault)
            }
            guard depth == .everything else { return }
            var reading = TableCheck(table, isOrdered: version.isBytewise)
            try reading.run()
            blockCount += reading.blockCount
            entryCount += reading.entryCount
            for fault in reading.faults { add(fault) }
            if reading.faults.isEmpty,
                let fault = try table.hazard(
                    .everything, isBytewise: version.isBytewise, upTo: limit, within: range)
            {
                return add(fault)
            }
            guard version.isBytewise, reading.faults.isEmpty else { return }
            if let first = reading.first, first != listed.smallest {
                add(file.name, nil, "its first key is not the one that the manifest gives")
            }
            if let last = reading.last, last != listed.largest {
                add(file.name, nil, "its last key is not the one that the manifest gives")
            }
        } catch {
            add(error)
        }
    }

    // MARK: - Logs

    /// Returns the largest number that a write in the tables can have. Faults of the logs are reported later.
    private func tableLimit(of version: Version, in files: DatabaseFiles) -> UInt64 {
        BatchOrder.tableLimit(
            version.lastSequence ?? .max, before: logs(of: version, in: files).compactMap { try? OpenFile(reading: $0) }
        )
    }

    /// The paths of the logs with writes that are not in tables, oldest first.
    private func logs(of version: Version, in files: DatabaseFiles) -> [String] {
        let logs = files.files.compactMap { file -> (path: String, number: UInt64)? in
            guard case .log(let number) = file.kind, version.needsLog(number) else { return nil }
            return (files.path(of: file.name), number)
        }
        return logs.sorted { $0.number < $1.number }.map(\.path)
    }

    private mutating func checkLogs(of version: Version, in files: DatabaseFiles, depth: Depth) {
        guard depth == .everything else { return }
        var last: (sequence: UInt64, name: String)?
        var order = BatchOrder(after: version.newestBound)
        for path in logs(of: version, in: files) {
            do throws(FileError) {
                try check(WriteLog(at: path), behind: &last)
                if let fault = try order.fault(ofLogAt: path) { add(fault) }
            } catch {
                add(error)
            }
        }
    }

    private mutating func check(
        _ log: WriteLog, behind last: inout (sequence: UInt64, name: String)?
    ) throws(FileError) {
        var log = log
        logCount += 1
        var isWhole = true
        while let item = try log.next() {
            switch item {
            case .damage(let fault, let byteCount):
                add(fault.file, fault.offset, "\(fault.reason); \(byteCount) bytes of writes are lost")
                isWhole = false
            case .batch(let batch, let endOffset):
                // BatchOrder finds writes that are not newer than the previous ones.
                if isWhole, let last, batch.sequence > last.sequence, batch.sequence - last.sequence > 1 {
                    add(
                        log.name, endOffset,
                        last.name == log.name
                            ? "write \(batch.sequence) follows write \(last.sequence)"
                            : "writes are missing between it and \(last.name)")
                }
                operationCount += UInt64(batch.operations.count)
                isWhole = true
                if !batch.operations.isEmpty {
                    last = (batch.sequence + UInt64(batch.operations.count) - 1, log.name)
                }
            }
        }
        if isWhole, log.byteCount > log.endOffset { tornByteCount += log.byteCount - log.endOffset }
    }

    private mutating func add(_ file: String, _ reason: String) { add(file, nil, reason) }
}

/// A complete check of a table.
private struct TableCheck {
    private let table: Table
    private let isOrdered: Bool
    var blockCount = 0
    var entryCount: UInt64 = 0
    var faults: [FileError] = []
    var first: InternalKey?
    var last: InternalKey?

    init(_ table: Table, isOrdered: Bool) {
        self.table = table
        self.isOrdered = isOrdered
    }

    mutating func run() throws(FileError) {
        let index = try table.index()
        var filters: FilterBlock?
        do throws(FileError) { filters = try table.bloomFilters() } catch { faults.append(error) }
        blockCount += filters == nil ? 2 : 3
        for entry in index {
            do throws(FileError) {
                try check(entry, filters)
                blockCount += 1
            } catch {
                faults.append(error)
            }
        }
    }

    private mutating func check(_ index: Table.IndexEntry, _ filters: FilterBlock?) throws(FileError) {
        // Copied, because the closure cannot mutate `self`.
        var (first, last, count) = (first, last, UInt64(0))
        var hasReportedOrder = false
        var missing = 0
        let filter = filters?.filter(forBlockAt: index.handle.offset)
        var complaints: [FileError] = []
        defer { (self.first, self.last, entryCount) = (first, last, entryCount + count) }
        try table.forEachEntry(inBlockAt: index.handle) { entry throws(FileError) in
            count += 1
            if isOrdered, let last, !hasReportedOrder, !last.precedesBytewise(entry.key) {
                hasReportedOrder = true
                complaints.append(
                    table.fault(
                        "key \(count) of the block does not sort after the previous key", at: index.handle.offset))
            }
            if let filter, !BloomFilter.mayContain(entry.key.userKey[...], filter: filter) { missing += 1 }
            if first == nil { first = entry.key }
            last = entry.key
        }
        if missing > 0 {
            complaints.append(
                table.fault("the filter excludes \(missing) of the block's keys", at: index.handle.offset))
        }
        if isOrdered, let last {
            let separator: InternalKey
            do throws(FormatError) {
                separator = try InternalKey(decoding: index.separator[...])
            } catch {
                throw table.fault("the index \(error.reason)", at: table.footer.index.offset)
            }
            if separator.precedesBytewise(last) {
                complaints.append(table.fault("its index key sorts before its last key", at: index.handle.offset))
            }
        }
        faults += complaints
    }
}
