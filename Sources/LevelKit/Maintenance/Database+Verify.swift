internal import LevelFiles

extension Database {
    /// Reads and checks the whole database: the checksum of every block of every table file and log, the order of the
    /// keys and of their versions, and the table files against the manifest. Other threads may read and write at the
    /// same time.
    ///
    /// Corruption is reported, not thrown, and reading continues after it, so a single report covers all of it. Table
    /// files are read twice, first without LevelDB, because some forged blocks would make LevelDB abort. If such a
    /// block exists, it is reported, and the entries are not read.
    ///
    /// - Throws: ``LevelError``: `closed`, `io`.
    /// - Complexity: O(n) in the bytes of the database.
    public func verify() throws(LevelError) -> Database.VerificationReport {
        var verification = Verification(core: core)
        return try verification.run()
    }
}

/// A verification of a database.
private struct Verification {
    let core: DatabaseCore
    private var report = Database.VerificationReport()

    init(core: DatabaseCore) { self.core = core }

    mutating func run() throws(LevelError) -> Database.VerificationReport {
        let manifest = try readManifest()
        if let manifest {
            report.tableCount = manifest.tables.count
            report.tableByteCount = manifest.tableByteCount
            try checkFiles(of: manifest)
            checkLevels(of: manifest)
            if try isHazardous(manifest) { return report }
        }
        try readEntries(boundaries: boundaries(of: manifest))
        if report.isSound { try checkVersions() }
        return report
    }

    /// Checks for older versions above newer ones, in a consistent set of tables.
    private mutating func checkVersions() throws(LevelError) {
        for _ in 0..<5 {
            let path = core.path
            let before = try core.admitted { () throws(LevelError) in try? DatabaseFiles(at: path) }
            guard let before else { return }
            let order = core.order
            let versions = VersionOrder(before) { order.compare($0.span, $1.span) }
            if versions.inversions.isEmpty { return }
            // A compaction may have replaced tables during the check, so that only some of them were seen.
            let after = try core.admitted { () throws(LevelError) in try? DatabaseFiles(at: path) }
            guard before.manifest?.version.tables == after?.manifest?.version.tables else { continue }
            for inversion in versions.inversions {
                add(.version, "\(EngineFileName.table(named: inversion.upper.number)): \(inversion.description)")
            }
            return
        }
    }

    private mutating func add(_ kind: Database.VerificationReport.Problem.Kind, _ description: String) {
        report.problemCount += 1
        guard report.problems.count < Database.VerificationReport.problemLimit else { return }
        report.problems.append(Database.VerificationReport.Problem(kind: kind, description: description))
    }

    // MARK: - Files

    private mutating func readManifest() throws(LevelError) -> Manifest? {
        do throws(LevelError) {
            return try core.admitted { () throws(LevelError) in try Manifest(ofDatabaseAt: core.path) }
        } catch let error where error.code == .corruption || error.code == .databaseNotFound {
            add(.manifest, error.message)
            return nil
        }
    }

    private mutating func checkFiles(of manifest: Manifest) throws(LevelError) {
        let directory = try DatabaseDirectory(core.path)
        var suspects: [Manifest.Table: String] = [:]
        for table in manifest.tables { suspects[table] = try TableFile.problem(with: table, in: directory) }
        guard !suspects.isEmpty else { return }
        // A compaction may have replaced the table since the manifest was read.
        guard let now = try readManifest() else { return }
        for table in now.tables where suspects[table] != nil {
            if let problem = try TableFile.problem(with: table, in: directory) { add(.table, problem) }
        }
    }

    /// Returns whether a block of a table would end the process, and adds it to the report.
    private mutating func isHazardous(_ manifest: Manifest) throws(LevelError) -> Bool {
        let inspection = StoreInspection(directory: try DatabaseDirectory(core.path), order: core.order)
        guard let fault = inspection.firstFault(inTablesOf: manifest), fault.kind == .damaged else { return false }
        add(.table, "\(fault.description), although its checksum matches; LevelDB would abort the process")
        return true
    }

    // MARK: - Levels

    private mutating func checkLevels(of manifest: Manifest) {
        let order = core.order
        for table in manifest.tables where order.compare(table.smallestKey.span, table.largestKey.span) > 0 {
            add(.level, "table \(table.number) of level \(table.level) ends before it begins")
        }
        for level in 1..<VersionEdit.levelCount {
            let tables = manifest.tables.filter { $0.level == level }
                .sorted { order.compare($0.smallestKey.span, $1.smallestKey.span) < 0 }
            for (left, right) in zip(tables, tables.dropFirst()) {
                let difference = order.compare(left.largestKey.span, right.smallestKey.span)
                if difference == 0 {
                    report.sharedBoundaryCount += 1
                } else if difference > 0 {
                    add(.level, "tables \(left.number) and \(right.number) of level \(level) overlap")
                }
            }
        }
    }

    /// Returns the smallest and largest keys of all tables, sorted. After a corrupt block, reading continues at the
    /// next one.
    private func boundaries(of manifest: Manifest?) -> [[UInt8]] {
        let order = core.order
        let keys = manifest?.tables.flatMap { [$0.smallestKey, $0.largestKey] } ?? []
        return keys.sorted { order.compare($0.span, $1.span) < 0 }
    }

    // MARK: - Entries

    private mutating func readEntries(boundaries: [[UInt8]]) throws(LevelError) {
        var rest = boundaries[...]
        var start = KeyBound<[UInt8]>.unbounded
        var last: [UInt8]?
        while true {
            guard let error = try readEntries(from: start, last: &last) else { return }
            // A truncated table is reported as a system error (`PosixMmapReadableFile::Read`).
            guard error.code == .corruption || error.code == .io else { throw error }
            // A merge of levels stops at corruption in any of them, so reading restarts at the next boundary.
            while let key = rest.first, isBehind(key, start, last) == false { rest = rest.dropFirst() }
            let goesOn = rest.first != nil
            add(
                .unreadable,
                "a block is unreadable after \(report.keyCount) keys; "
                    + (goesOn ? "reading continued at the next table boundary" : "nothing after it was read")
                    + (error.cause.map { " (\($0))" } ?? ""))
            guard let next = rest.popFirst(), report.problems.count < Database.VerificationReport.problemLimit else {
                return
            }
            start = .included(next)
        }
    }

    /// Returns whether restarting at `key` would skip the unreadable part.
    private func isBehind(_ key: [UInt8], _ start: KeyBound<[UInt8]>, _ last: [UInt8]?) -> Bool {
        if let last, core.order.compare(key.span, last.span) <= 0 { return false }
        if case .included(let start) = start { return core.order.compare(key.span, start.span) > 0 }
        return true
    }

    /// Reads until the end or the first error, and returns the error.
    private mutating func readEntries(
        from start: KeyBound<[UInt8]>, last: inout [UInt8]?
    ) throws(LevelError) -> LevelError? {
        var cursor = try core.admitted { () throws(LevelError) in
            Cursor(
                core: core, iterator: core.engine.makeVerifyingIterator(), range: KeyRange(lower: start),
                direction: .ascending
            )
        }
        do throws(LevelError) {
            while try cursor.advance() {
                let key = cursor.key
                if let last, core.order.compare(last.span, key) >= 0 {
                    add(.order, "key \(report.keyCount) does not sort after the previous key")
                }
                report.keyCount += 1
                report.keyByteCount += UInt64(key.count)
                report.valueByteCount += UInt64(cursor.value.count)
                last = key.copied()
            }
            return nil
        } catch let error where error.code != .closed {
            return error
        }
    }
}
