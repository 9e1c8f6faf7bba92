internal import LevelFiles

/// Determines which files of a corrupt database belong to it, and which parts of them are unreadable. Only reads files.
struct RepairScope {
    /// The state in the manifest, or `nil` if no manifest is completely readable.
    private let version: Version?
    /// Whether all files named by the manifest exist, so that all other files are obsolete.
    private let isTrusted: Bool
    private let files: DatabaseFiles
    /// The losses known from the manifest and the file names alone.
    private let missing: [DamagedPlace]

    init(_ directory: DatabaseDirectory) throws(LevelError) {
        do throws(FileError) {
            files = try DatabaseFiles(at: directory.path)
        } catch {
            throw LevelError(.io, "could not list \(directory.path); check its permissions", cause: error.description)
        }
        let (manifest, faults) = Self.manifest(of: files)
        var places = faults.map { DamagedPlace(.manifest, $0, byteCount: 0, entryCount: 0) }
        let version = faults.isEmpty ? manifest?.version : nil
        if let version { places += Self.missingFiles(of: version, in: files) }
        self.version = version
        isTrusted = version != nil && places.isEmpty
        missing = places
    }

    /// Returns the manifest and its faults. If `CURRENT` is lost, uses the newest manifest, provided that it is intact.
    private static func manifest(of files: DatabaseFiles) -> (ManifestFile?, [FileError]) {
        if let manifest = files.manifest {
            if let fault = manifest.faults.first { return (manifest, [fault]) }
            let version = manifest.version
            guard version.nextFileNumber != nil, version.logNumber != nil, version.comparatorName != nil else {
                return (manifest, [FileError(.damaged, file: manifest.name, reason: "its beginning is missing")])
            }
            return (manifest, [])
        }
        let fault = files.manifestFault ?? FileError(.missing, file: "CURRENT", reason: "it is missing")
        guard fault.file == "CURRENT" else { return (nil, [fault]) }
        let newest = files.files.compactMap { file -> (name: String, number: UInt64)? in
            if case .manifest(let number) = file.kind { (file.name, number) } else { nil }
        }.max { $0.number < $1.number }
        guard let newest, let manifest = try? ManifestFile(at: files.path(of: newest.name)), manifest.faults.isEmpty,
            manifest.version.nextFileNumber != nil, manifest.version.logNumber != nil
        else { return (nil, [fault]) }
        return (manifest, [])
    }

    private static func missingFiles(of version: Version, in files: DatabaseFiles) -> [DamagedPlace] {
        var places: [DamagedPlace] = []
        for table in version.tables where files.tableFile(table.number) == nil {
            places.append(
                DamagedPlace(
                    .table,
                    FileError(
                        .missing, file: EngineFileName.table(named: table.number), reason: "the table is missing"),
                    byteCount: table.byteCount, keys: (table.smallest.userKey, table.largest.userKey),
                    entryCount: table.smallest == table.largest ? 1 : 2))
        }
        if let log = version.logNumber, log != 0, !files.files.contains(where: { $0.kind == .log(log) }) {
            places.append(
                DamagedPlace(
                    .log,
                    FileError(
                        .missing, file: EngineFileName.log(named: log),
                        reason: "the log that the manifest names is missing, or the end of the manifest is"),
                    byteCount: 0, entryCount: 0))
        }
        return places
    }

    /// The obsolete table files and logs. A repair that used them would resurrect deleted keys.
    ///
    /// Empty unless the manifest agrees with the files. A table file with a number that the manifest has not assigned
    /// yet may be newer than the end of the manifest, so it is not obsolete.
    var obsoleteNames: [String] {
        guard isTrusted, let version else { return [] }
        let live = Set(version.tables.map(\.number))
        return files.files.filter { file in
            switch file.kind {
            case .table(let number): !live.contains(number) && number < version.nextFileNumber ?? 0
            case .log(let number): !version.needsLog(number)
            default: false
            }
        }.map(\.name).sorted()
    }

    /// Whether the manifest shows that a table file is not part of the database. Such a file may be the unfinished
    /// output of a compaction, which is not a loss. `false` if the manifest is unreadable.
    func isUnlisted(_ table: UInt64) -> Bool {
        version.map { !$0.tables.contains { $0.number == table } } ?? false
    }

    /// Returns the data to save, read from a copy of the files in another directory, and the places that cannot be
    /// saved.
    func merge(in directory: String, order: KeyOrder) -> (merge: VersionMerge, missing: [DamagedPlace]) {
        let obsolete = Set(obsoleteNames)
        let listed = Dictionary(version?.tables.map { ($0.number, $0) } ?? []) { first, _ in first }
        var tables: [VersionMerge.TableFile] = []
        var logs: [(number: UInt64, path: String)] = []
        for file in files.files where !obsolete.contains(file.name) {
            let path = directory + "/" + file.name
            switch file.kind {
            case .table(let number):
                if isUnlisted(number), !TableFile.isTable(path) { continue }
                tables.append(VersionMerge.TableFile(path: path, listed: listed[number]))
            case .log(let number): logs.append((number, path))
            default: continue
            }
        }
        let paths = logs.sorted { $0.number < $1.number }.map(\.path)
        return (VersionMerge(tables: tables, logs: paths) { order.compare($0.span, $1.span) }, missing)
    }
}
