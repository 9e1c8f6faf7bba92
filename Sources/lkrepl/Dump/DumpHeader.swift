import DocIndex
import LevelKit

/// The first line of a dump: what it holds, and how it is proved.
struct DumpHeader {
    /// What a dump holds.
    enum Content: String {
        /// Keys and values of a plain database.
        case raw
        /// Documents of a store.
        case documents = "docs"
    }

    /// The changes of a store that an incremental dump holds.
    struct Changes: Hashable {
        /// The store that the numbers are of.
        var epoch: String
        /// The commit behind which the changes begin.
        var since: UInt64
        /// The last commit in the dump.
        var through: UInt64
    }

    /// The version of the format that this program writes and reads.
    static let version: Int64 = 1
    /// A dump of everything in a plain database.
    static let raw = DumpHeader(content: .raw)
    /// A dump of everything in a document store.
    static let documents = DumpHeader(content: .documents)

    var content: Content
    /// The order of the keys of a plain database, by the name that LevelDB keeps.
    var comparator = KeyOrder.bytewise.name
    /// The keys that were asked for.
    var range = KeyRange.all
    /// The changes that an incremental dump holds; `nil` for a dump of everything.
    var changes: Changes?
    /// Members that say where and when the dump was made; none unless they were asked for, so that the same content
    /// gives the same bytes.
    var stamp = DocumentObject()

    /// The header as an object.
    var object: DocumentObject {
        var object: DocumentObject = [
            "lkdump": .int(Self.version), "kind": .string(content.rawValue), "tool": "lkrepl",
        ]
        for member in stamp { object[member.name] = member.value }
        if content == .raw { object["comparator"] = .string(comparator) }
        if range != .all { object["range"] = .object(Self.object(of: range)) }
        if let changes {
            object["changes"] = [
                "epoch": .string(changes.epoch), "since": .int(Int64(clamping: changes.since)),
                "through": .int(Int64(clamping: changes.through)),
            ]
        }
        object["order"] = .string(changes != nil ? "commit" : content == .raw ? "key" : "id")
        object["digest"] = .string(ContentDigest.name)
        return object
    }

    private static func object(of range: KeyRange) -> DocumentObject {
        var object = DocumentObject()
        switch range.lower {
        case .included(let key): DumpRecord.append(key, name: "from", to: &object)
        case .excluded(let key): DumpRecord.append(key, name: "after", to: &object)
        case .unbounded: break
        }
        switch range.upper {
        case .included(let key): DumpRecord.append(key, name: "upto", to: &object)
        case .excluded(let key): DumpRecord.append(key, name: "to", to: &object)
        case .unbounded: break
        }
        return object
    }
}

// MARK: - Reading

extension DumpHeader {
    /// The header that an object stands for; members that are not known are ignored.
    ///
    /// - Throws: ``DumpFault`` for a header of another version, or one that is none.
    init(_ object: DocumentObject) throws {
        guard let version = object["lkdump"]?.intValue else { throw DumpFault("the header is not readable") }
        guard version <= Self.version, version > 0 else {
            throw DumpFault("the dump has version \(version), this program reads versions up to \(Self.version)")
        }
        guard let content = object["kind"]?.stringValue.flatMap(Content.init(rawValue:)) else {
            throw DumpFault("the header does not say whether the dump holds raw pairs or docs")
        }
        guard object["digest"]?.stringValue == ContentDigest.name else {
            throw DumpFault("the header names a digest other than \(ContentDigest.name)")
        }
        self.init(content: content)
        if let comparator = object["comparator"]?.stringValue { self.comparator = comparator }
        if let range = object["range"] {
            guard let range = range.objectValue else { throw DumpFault("the range in the header is not readable") }
            self.range = try Self.range(range)
        }
        if let changes = object["changes"] {
            guard let epoch = changes["epoch"]?.stringValue,
                let since = changes["since"]?.intValue.flatMap({ UInt64(exactly: $0) }),
                let through = changes["through"]?.intValue.flatMap({ UInt64(exactly: $0) })
            else { throw DumpFault("the changes in the header are not readable") }
            self.changes = Changes(epoch: epoch, since: since, through: through)
        }
    }

    private static func range(_ object: DocumentObject) throws -> KeyRange {
        var range = KeyRange.all
        if let key = try DumpRecord.bytes("from", in: object) { range.lower = .included(key) }
        if let key = try DumpRecord.bytes("after", in: object) { range.lower = .excluded(key) }
        if let key = try DumpRecord.bytes("to", in: object) { range.upper = .excluded(key) }
        if let key = try DumpRecord.bytes("upto", in: object) { range.upper = .included(key) }
        return range
    }
}
