internal import LevelFiles

/// Checks the files of a database before LevelDB is started: whether the order matches, whether LevelDB can read the
/// blocks, and whether it can do so without ending the process.
///
/// A database that is rejected here is left unchanged, including its message log.
///
/// The amount that is read was chosen by measurement. Reading the indexes of the tables and their first and last blocks
/// costs a few percent of reading every block. It reveals foreign compressions and forgeries, except those hidden in
/// the middle of a table. That is the check for the user's own databases. Every block is read if other users can change
/// a database that is opened for reading, and if ``DatabaseOptions/checksEveryBlock`` is set.
struct StoreInspection {
    let directory: DatabaseDirectory
    let order: KeyOrder
    /// Whether to ignore corruption that does not end the process.
    var toleratesDamage = false

    /// The total size of the indexes that are read. Of larger databases, the remaining tables are checked by their
    /// footers only.
    private static let indexByteLimit: UInt64 = 8 << 20

    /// Checks the content of the manifest.
    ///
    /// - Throws: ``LevelError``: `comparatorMismatch`; `corruption` if LevelDB would abort.
    func check(_ version: Version) throws(LevelError) {
        if let name = version.comparatorName, name != order.name {
            throw LevelError(
                .comparatorMismatch,
                "could not open the database at \(directory.path): it is ordered by the comparator \(name), but was "
                    + "opened with \(order.name); open it with \(name)")
        }
        try checkLevels(of: version)
    }

    /// Checks that tables of a level other than 0 do not overlap, because LevelDB aborts if they do
    /// (`db/version_set.cc`, `MaybeAddFile`).
    private func checkLevels(of version: Version) throws(LevelError) {
        for level in 1..<VersionEdit.levelCount {
            let tables = version.tables.filter { $0.level == level }
                .sorted { precedes($0.smallest, $1.smallest) }
            for (left, right) in zip(tables, tables.dropFirst()) where !precedes(left.largest, right.smallest) {
                throw LevelError(
                    .corruption,
                    "the manifest of \(directory.path) is damaged: tables \(left.number) and \(right.number) of level "
                        + "\(level) overlap; restore a backup, or salvage the data with repair")
            }
        }
    }

    private func precedes(_ left: InternalKey, _ right: InternalKey) -> Bool {
        let difference = order.compare(left.userKey.span, right.userKey.span)
        if difference != 0 { return difference < 0 }
        return (left.sequence, left.kind.rawValue) > (right.sequence, right.kind.rawValue)
    }

    // MARK: - Logs

    /// Checks the numbers of a manifest. LevelDB ends the process if it continues from a number that is out of range.
    func check(_ manifest: Manifest) throws(LevelError) {
        guard manifest.lastSequence < BatchOrder.sequenceLimit, manifest.nextFileNumber < EngineFileName.numberLimit,
            manifest.logNumber < EngineFileName.numberLimit, manifest.previousLogNumber < EngineFileName.numberLimit
        else {
            throw LevelError(
                .corruption,
                "the manifest of \(directory.path) says that the last write had the sequence number "
                    + "\(manifest.lastSequence), and that the next file has the number \(manifest.nextFileNumber), which "
                    + "LevelDB cannot have assigned; restore a backup, or salvage the data with repair")
        }
    }

    /// Checks that the writes in a log continue those of the tables and of the previous logs, and that LevelDB does not
    /// skip any; see ``BatchOrder``.
    ///
    /// - Parameter order: the state after the previous logs.
    /// - Throws: ``LevelError``: `corruption`, `io`.
    func check(_ log: OpenFile, _ name: String, _ order: inout BatchOrder) throws(LevelError) {
        let damage: RecordReader.Damage?
        do throws(SystemError) {
            damage = try order.enter(log, toleratesDamage: toleratesDamage)
        } catch {
            throw error.levelError("read \(directory.file(name))")
        }
        guard let damage else { return }
        throw LevelError(
            .corruption,
            "the log \(directory.file(name)) is damaged at byte \(damage.offset): \(damage.reason); restore a backup, "
                + "or salvage the data with repair",
            file: name, offset: damage.offset)
    }

    // MARK: - Tables

    /// Checks the tables of a manifest, opening them by name in the directory.
    ///
    /// - Parameters:
    ///   - manifest: the manifest.
    ///   - depth: how much of each table is read. `outline` stops after a few mebibytes of indexes.
    /// - Returns: the tables whose footers were not checked: the files cannot be read, do not end with a footer, or
    ///   come after the mebibytes that `outline` reads.
    /// - Throws: like ``check(_:_:_:)``.
    @discardableResult
    func check(
        tablesOf manifest: Manifest, _ depth: Table.SafetyDepth
    ) throws(LevelError) -> [Manifest.Table] {
        var unchecked: [Manifest.Table] = []
        let limit = depth == .outline ? manifest.lastSequence : tableLimit(of: manifest)
        if let fault = firstFault(in: manifest.tables, upTo: limit, depth, openFile, &unchecked) { throw error(fault) }
        return unchecked
    }

    /// Checks tables.
    ///
    /// - Parameters:
    ///   - tables: the tables of the manifest.
    ///   - lastSequence: the largest number that a write in the tables can have.
    ///   - depth: how much of each is read. `outline` stops after a few mebibytes of indexes.
    ///   - open: opens a table. Returns `nil` if it cannot be opened, which LevelDB reports itself.
    /// - Throws: ``LevelError``: `notSupported` for a foreign compression; `corruption` for content that would end the
    ///   process.
    func check(
        _ tables: [Manifest.Table], upTo lastSequence: UInt64, _ depth: Table.SafetyDepth,
        _ open: (Manifest.Table) -> (name: String, file: OpenFile)?
    ) throws(LevelError) {
        var unchecked: [Manifest.Table] = []
        if let fault = firstFault(in: tables, upTo: lastSequence, depth, open, &unchecked) { throw error(fault) }
    }

    /// Returns the first block that LevelDB must not read, or `nil` if all are safe.
    ///
    /// - Complexity: O(n) in the bytes of the tables.
    func firstFault(inTablesOf manifest: Manifest) -> FileError? {
        var unchecked: [Manifest.Table] = []
        return firstFault(in: manifest.tables, upTo: tableLimit(of: manifest), .everything, openFile, &unchecked)
    }

    /// Returns the largest number that a write in the tables can have. A log that the manifest needs has newer writes
    /// than its tables, even if the database is in use.
    private func tableLimit(of manifest: Manifest) -> UInt64 {
        let logs = ((try? directory.names()) ?? []).compactMap { name -> OpenFile? in
            guard case .log(let number) = EngineFileName(name), manifest.needsLog(number) else { return nil }
            return try? OpenFile(reading: directory.file(name), followsLink: false)
        }
        return BatchOrder.tableLimit(manifest.lastSequence, before: logs)
    }

    private func openFile(of table: Manifest.Table) -> (name: String, file: OpenFile)? {
        for name in FileCollector.names(of: table) {
            if let file = try? OpenFile(reading: directory.file(name), followsLink: false) { return (name, file) }
        }
        return nil
    }

    /// The number of table files that are open at the same time.
    private static let openFileLimit = 64

    private func firstFault(
        in tables: [Manifest.Table], upTo lastSequence: UInt64, _ depth: Table.SafetyDepth,
        _ open: (Manifest.Table) -> (name: String, file: OpenFile)?, _ unchecked: inout [Manifest.Table]
    ) -> FileError? {
        var indexByteCount: UInt64 = 0
        for start in stride(from: 0, to: tables.count, by: Self.openFileLimit) {
            let checks = tables[start..<min(start + Self.openFileLimit, tables.count)].map { table in
                TableCheck(table, footer(of: table, open, depth, &indexByteCount))
            }
            let isBytewise = order == .bytewise
            TableCheckThreads.run(checks) { $0.finish(depth, isBytewise: isBytewise, upTo: lastSequence) }
            for check in checks {
                switch check.outcome {
                case .fault(let fault): return fault
                // LevelDB finds and reports damage when it reads the table.
                case .unchecked: unchecked.append(check.table)
                case .safe, .footer: break
                }
            }
        }
        return nil
    }

    /// Opens a table and reads its footer.
    private func footer(
        of table: Manifest.Table, _ open: (Manifest.Table) -> (name: String, file: OpenFile)?,
        _ depth: Table.SafetyDepth, _ indexByteCount: inout UInt64
    ) -> TableCheck.Outcome {
        guard let (name, file) = open(table) else { return .unchecked }
        do throws(FileError) {
            // LevelDB expects the footer at the file size in the manifest.
            let byteCount: UInt64
            do throws(SystemError) { byteCount = try file.status().byteCount } catch {
                throw FileError(error, file: name)
            }
            let isOverLimit = depth == .outline && indexByteCount > Self.indexByteLimit
            guard byteCount >= table.byteCount else { return isOverLimit ? .unchecked : .safe }
            let reader = try Table(file, name: name, byteCount: table.byteCount)
            indexByteCount += min(reader.indexByteCount, Self.indexByteLimit)
            return depth == .outline && indexByteCount > Self.indexByteLimit ? .unchecked : .footer(reader)
        } catch {
            return error.kind == .foreign ? .fault(error) : .unchecked
        }
    }

    private func error(_ fault: FileError) -> LevelError {
        let place = fault.offset.map { "byte \($0) of " } ?? ""
        let description = "\(place)\(directory.file(fault.file)): \(fault.reason)"
        if fault.kind == .foreign {
            return LevelError(
                .notSupported, "could not open the database at \(directory.path): \(description)", file: fault.file,
                offset: fault.offset)
        }
        return LevelError(
            .corruption,
            "could not open the database at \(directory.path): \(description), although its checksum matches; "
                + "restore a backup, or salvage the data with repair",
            file: fault.file, offset: fault.offset)
    }
}
