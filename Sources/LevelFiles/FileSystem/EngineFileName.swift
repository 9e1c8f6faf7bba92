/// The name of a file in a database, according to LevelDB's scheme (`db/filename.cc`).
package enum EngineFileName: Hashable {
    case current
    case lock
    /// `LOG` and `LOG.old`: messages for people.
    case messages
    case manifest(UInt64)
    /// A table file. LevelDB before 1.14 used the extension `.sst`.
    case table(UInt64)
    /// A log of writes that are not in a table yet.
    case log(UInt64)
    case temporary(UInt64)

    /// Parses `name`. Returns `nil` if it is not a name in LevelDB's scheme.
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

    /// LevelDB cannot have assigned file numbers from here on. It ends the process if it continues from the largest
    /// number.
    package static let numberLimit: UInt64 = 1 << 62

    /// The number in the name, or `nil` if the name has none.
    package var number: UInt64? {
        switch self {
        case .manifest(let number), .table(let number), .log(let number), .temporary(let number): number
        case .current, .lock, .messages: nil
        }
    }

    /// The maximum length of a file name in bytes.
    package static let lengthLimit = 64

    /// The maximum size of a valid manifest in bytes. A manifest grows by a few hundred bytes with each compaction, and
    /// is rewritten when the database is opened.
    package static let manifestByteLimit = 1 << 30

    // MARK: - Names

    /// Returns the file name of a table.
    package static func table(named number: UInt64) -> String { padded(number) + ".ldb" }

    /// Returns the file name that LevelDB before 1.14 gave to a table.
    package static func oldTable(named number: UInt64) -> String { padded(number) + ".sst" }

    /// Returns the file name of a log.
    package static func log(named number: UInt64) -> String { padded(number) + ".log" }

    /// Returns the file name of a manifest.
    package static func manifest(named number: UInt64) -> String { "MANIFEST-" + padded(number) }

    /// Returns the name that LevelDB gives to the manifest, table or log with the number in a name; `nil` for others.
    /// It reads `50.log` as log 50, and then opens `000050.log`.
    package static func usual(of name: String) -> String? {
        switch EngineFileName(name) {
        case .manifest(let number): manifest(named: number)
        case .table(let number): name.hasSuffix(".sst") ? oldTable(named: number) : table(named: number)
        case .log(let number): log(named: number)
        case .current, .lock, .messages, .temporary, nil: nil
        }
    }

    /// Pads a number to at least six digits.
    private static func padded(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
