import DocIndex
import LevelFiles

/// The commands that put a database right, as they are typed.
enum Remedy {
    /// The command that makes everything anew that follows from the documents of a store.
    static func rebuild(_ path: String) -> String { "lkrepl index rebuild --write " + word(path) }

    /// The command that makes one index anew, or all of a collection.
    static func rebuild(_ path: String, _ collection: String, _ index: String?) -> String {
        rebuild(path) + " " + word(collection) + (index.map { " " + word($0) } ?? "")
    }

    /// The command that salvages what is readable of a damaged database.
    static func repair(_ path: String, rebuilds: Bool = false) -> String {
        "lkrepl repair --write " + word(path) + " --confirm " + word(path.lastComponent)
            + (rebuilds ? " --rebuild" : "")
    }

    /// What to do about damaged tables and logs.
    static func ofDamage(_ path: String) -> String {
        "restore a backup; or see with \"lkrepl repair --dry-run \(word(path))\" what can be salvaged, and salvage it with "
            + "\"\(repair(path))\""
    }

    /// The command that merges all tables, and so puts versions of keys into their order.
    static func compact(_ path: String) -> String { "lkrepl compact --write --yes " + word(path) }

    /// What to do about problems that the files of a database have.
    static func of(_ check: FileCheck, _ findings: [Diagnosis], at path: String) -> String {
        if check.hasVersionsOutOfOrder {
            return "\"\(compact(path))\" merges all versions; then run verify again"
        }
        switch findings.first?.finding {
        case nil, .damagedManifest, .lostTables, .lostManifest: return ofDamage(path)
        default: return findings[0].advice
        }
    }

    /// What to do about a store of which documents and indexes do not agree.
    static func of(_ verification: Verification, at path: String) -> String {
        switch verification.remedy {
        case .none: ""
        case .rebuild: "the documents are whole; \"\(rebuild(path))\" makes everything else anew from them"
        case .restore:
            "restore a backup; without one, \"\(rebuild(path))\" makes a whole store of the documents that are left"
        }
    }

    private static func word(_ argument: String) -> String { ShellWord.quoted(argument) }
}

extension String {
    fileprivate var lastComponent: String {
        split(separator: "/").last.map(String.init) ?? self
    }
}
