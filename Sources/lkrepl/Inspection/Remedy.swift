import DocIndex
import LevelFiles

/// The commands that fix a database, as the user types them.
enum Remedy {
    /// The command that rebuilds everything derived from the documents of a store.
    static func rebuild(_ path: String) -> String { "lkrepl index rebuild --write " + word(path) }

    /// The command that rebuilds one index, or all of a collection.
    static func rebuild(_ path: String, _ collection: String, _ index: String?) -> String {
        rebuild(path) + " " + word(collection) + (index.map { " " + word($0) } ?? "")
    }

    /// The command that salvages the readable data of a damaged database.
    static func repair(_ path: String, rebuilds: Bool = false) -> String {
        "lkrepl repair --write " + word(path) + " --confirm " + word(path.lastComponent)
            + (rebuilds ? " --rebuild" : "")
    }

    /// Advice for damaged tables and logs.
    static func ofDamage(_ path: String) -> String {
        "restore a backup; or see with \"lkrepl repair --dry-run \(word(path))\" what can be salvaged, and run "
            + "\"\(repair(path))\""
    }

    /// The command that compacts all tables, which restores the order of key versions.
    static func compact(_ path: String) -> String { "lkrepl compact --write --yes " + word(path) }

    /// Advice for problems in the files of a database.
    static func of(_ check: FileCheck, _ findings: [Diagnosis], at path: String) -> String {
        if check.hasVersionsOutOfOrder {
            return "\"\(compact(path))\" merges all versions; then run verify again"
        }
        switch findings.first?.finding {
        case nil, .damagedManifest, .lostTables, .lostManifest: return ofDamage(path)
        default: return findings[0].advice
        }
    }

    /// Advice for missing or damaged attached files.
    static var ofLostContents: String { OmittedContents.remedy }

    /// Advice for a store whose documents and indexes are inconsistent.
    static func of(_ verification: Verification, at path: String) -> String {
        switch verification.remedy {
        case .none: ""
        case .rebuild: "the documents are whole; \"\(rebuild(path))\" rebuilds everything else from them"
        case .restore where verification.lostDocumentProblemCount == 0:
            ofLostContents
                + (verification.problemCount > verification.lostAttachments.count
                    ? "; then \"\(rebuild(path))\" rebuilds what else is wrong" : "")
        case .restore:
            "restore a backup; without one, \"\(rebuild(path))\" rebuilds the store from the remaining documents"
        }
    }

    private static func word(_ argument: String) -> String { ShellWord.quoted(argument) }
}

extension String {
    fileprivate var lastComponent: String {
        split(separator: "/").last.map(String.init) ?? self
    }
}
