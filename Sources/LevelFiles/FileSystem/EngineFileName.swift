/// The name of a file in a database, as LevelDB gives them (`db/filename.cc`).
package enum EngineFileName: Hashable {
    case current
    case lock
    /// `LOG` and `LOG.old`: messages for people.
    case messages
    case manifest(UInt64)
    /// A sorted table; files of LevelDB before 1.14 end in `.sst`.
    case table(UInt64)
    /// A log of writes that are not in a table yet.
    case log(UInt64)
    case temporary(UInt64)

    /// What `name` stands for; `nil` if LevelDB gives no such name.
    package init?(_ name: String) {
        switch name {
        case "CURRENT": self = .current
        case "LOCK": self = .lock
        case "LOG", "LOG.old": self = .messages
        default:
            if name.hasPrefix("MANIFEST-") {
                guard let number = Self.number(name.dropFirst("MANIFEST-".count)) else { return nil }
                self = .manifest(number)
                return
            }
            guard let dot = name.firstIndex(of: "."), let number = Self.number(name[..<dot]) else { return nil }
            switch name[name.index(after: dot)...] {
            case "ldb", "sst": self = .table(number)
            case "log": self = .log(number)
            case "dbtmp": self = .temporary(number)
            default: return nil
            }
        }
    }

    private static func number(_ digits: Substring) -> UInt64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(digits)
    }

    /// File numbers from here on are none that LevelDB can have given; it ends the process where it counts on from the
    /// largest.
    package static let numberLimit: UInt64 = 1 << 62

    /// The number in the name; `nil` for a file that has none.
    package var number: UInt64? {
        switch self {
        case .manifest(let number), .table(let number), .log(let number), .temporary(let number): number
        case .current, .lock, .messages: nil
        }
    }

    /// No name of a file is longer, in bytes.
    package static let lengthLimit = 64

    /// A manifest that is larger, in bytes, is none: it grows by a few hundred bytes with each compaction, and is made
    /// anew when the database is opened.
    package static let manifestByteLimit = 1 << 30

    // MARK: - Names

    /// The name of a table.
    package static func table(named number: UInt64) -> String { padded(number) + ".ldb" }

    /// The name that a table has if a LevelDB before 1.14 wrote it.
    package static func oldTable(named number: UInt64) -> String { padded(number) + ".sst" }

    /// The name of a log.
    package static func log(named number: UInt64) -> String { padded(number) + ".log" }

    /// The name of a manifest.
    package static func manifest(named number: UInt64) -> String { "MANIFEST-" + padded(number) }

    /// At least six digits.
    private static func padded(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
