/// An explanation of why LevelDB's default settings do not open a directory, and advice on what to do next.
package struct Diagnosis: Hashable, Sendable {
    /// The kinds of findings.
    package enum Finding: String, Sendable {
        /// The keys are ordered by the comparator of Chrome's IndexedDB.
        case chromeIndexedDB
        /// The keys are ordered by another comparator.
        case foreignOrder
        /// The blocks were written by Minecraft's version of LevelDB.
        case minecraft
        /// The blocks were written by a later version of LevelDB.
        case laterLevelDB
        /// The database was created by RocksDB.
        case rocksDB
        /// `CURRENT` is missing or does not name a manifest.
        case lostCurrent
        /// The manifest is missing.
        case lostManifest
        /// The manifest is corrupt.
        case damagedManifest
        /// Table files named by the manifest are missing.
        case lostTables
    }

    /// The kind of finding.
    package let finding: Finding
    /// The finding, as a sentence without its period.
    package let explanation: String
    /// The advice, as a sentence without its period.
    package let advice: String

    /// Returns the findings for a directory. Empty if it looks like an ordinary database, or not like a database at
    /// all.
    ///
    /// - Complexity: reads the manifest, and the first block of up to eight tables.
    package static func findings(in files: DatabaseFiles) -> [Diagnosis] {
        guard !files.files.isEmpty else { return [] }
        var findings: [Diagnosis] = []
        if let fault = files.manifestFault { findings.append(lost(fault, files)) }
        // Other findings are not derived from a corrupt manifest, because they may be wrong.
        if let fault = files.manifest?.faults.first {
            findings.append(
                Diagnosis(
                    finding: .damagedManifest, explanation: "the manifest is damaged: \(fault.description)",
                    advice: "restore a backup, or salvage the rest with repair"))
        }
        if let version = files.manifest?.version {
            if let name = version.comparatorName, version.otherComparatorName == nil, !version.isBytewise {
                findings.append(order(name))
            }
            let lost = version.tables.filter { files.tableFile($0.number) == nil }
            if let first = lost.first, files.manifest?.faults.isEmpty == true {
                findings.append(
                    Diagnosis(
                        finding: .lostTables,
                        explanation: "\(lost.count) of \(version.tables.count) tables are missing, the first of them "
                            + EngineFileName.table(named: first.number),
                        advice: "restore a backup; repair can salvage the rest without them"))
            }
        }
        findings += blocks(of: files)
        return findings
    }

    private static func lost(_ fault: FileError, _ files: DatabaseFiles) -> Diagnosis {
        let manifests = files.files.compactMap { file in
            if case .manifest = file.kind { file.name } else { nil }
        }
        if fault.file == "CURRENT" {
            let next =
                manifests.last.map { "if \($0) is the newest manifest, write its name and a newline into CURRENT; or " }
                ?? ""
            return Diagnosis(
                finding: .lostCurrent,
                explanation: fault.kind == .missing
                    ? "the file CURRENT, which names the manifest, is missing" : fault.description,
                advice: next + "restore a backup, or salvage the rest with repair")
        }
        return Diagnosis(
            finding: .lostManifest, explanation: "CURRENT names \(fault.file), which cannot be read (\(fault.reason))",
            advice: "restore a backup, or salvage the rest with repair")
    }

    private static func order(_ name: String) -> Diagnosis {
        if name == "idb_cmp1" {
            return Diagnosis(
                finding: .chromeIndexedDB,
                explanation:
                    "this is an IndexedDB of Chrome: its keys are in the order idb_cmp1, which only Chrome supports",
                advice: "sst, wal, manifest and versions can inspect its files; to read the records, use a tool for "
                    + "Chrome's IndexedDB, such as ccl_chromium_reader or dfindexeddb")
        }
        return Diagnosis(
            finding: .foreignOrder,
            explanation: "its keys are in the order \(name), which only the program that created it supports",
            advice: "sst, wal, manifest and versions can inspect its files; open it with that program to change it")
    }

    /// Returns findings from the compression of blocks and the footers of tables.
    private static func blocks(of files: DatabaseFiles) -> [Diagnosis] {
        let tables = files.files.filter { if case .table = $0.kind { true } else { false } }
        for file in tables.prefix(8) {
            do throws(FileError) {
                let table = try Table(at: files.path(of: file.name))
                guard let first = try table.index().first else { continue }
                _ = try table.block(at: first.handle)
            } catch {
                guard error.kind == .foreign else { continue }
                return [foreign(error)]
            }
        }
        return []
    }

    private static func foreign(_ fault: FileError) -> Diagnosis {
        let finding: Finding =
            if fault.reason.contains("RocksDB") {
                .rocksDB
            } else if fault.reason.contains("Minecraft") {
                .minecraft
            } else {
                .laterLevelDB
            }
        let parts = fault.reason.split(separator: "; ", maxSplits: 1).map(String.init)
        return Diagnosis(
            finding: finding, explanation: "\(fault.file): \(parts[0])",
            advice: parts.count > 1 ? parts[1] : "open it with the program that created it")
    }
}
