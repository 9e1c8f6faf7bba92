import DocIndex
import LevelKit
import StorePackages

/// The first line of a dump: its kind, range and digest algorithm.
struct DumpHeader {
    /// The kind of data in a dump.
    enum Content: String {
        /// The keys and values of a plain database.
        case raw
        /// The documents of a store.
        case documents = "docs"
    }

    /// The range of changes in an incremental dump.
    struct Changes: Hashable {
        /// The epoch of the store that the sequence numbers belong to.
        var epoch: String
        /// The commit after which the changes begin.
        var since: UInt64
        /// The last commit in the dump.
        var through: UInt64
    }

    /// Where the contents of the attachments in the documents of a dump are.
    enum Contents: String {
        /// In the dump, in parts before the first document that refers to them.
        case parts
        /// In files beside the dump.
        case files
        /// Nowhere: the documents contain only references.
        case none
    }

    /// The latest format version that this program reads. Dumps without attachments and revisions have version 1, and
    /// dumps without revisions 2.
    static let version: Int64 = 3
    /// A dump of everything in a plain database.
    static let raw = DumpHeader(content: .raw)
    /// A dump of everything in a document store.
    static let documents = DumpHeader(content: .documents)

    var content: Content
    /// The key order of a plain database, by its LevelDB comparator name.
    var comparator = KeyOrder.bytewise.name
    /// The requested range of keys.
    var range = KeyRange.all
    /// The changes in an incremental dump; `nil` for a full dump.
    var changes: Changes?
    /// Where the contents of attachments are; `nil` if the documents have no attachments.
    var contents: Contents?
    /// The replicated collections, whose documents have revisions; `nil` if there are none.
    var revisions: [String]?
    /// Members that record the source and the time of the dump. Empty unless requested, so that the same content gives
    /// the same bytes.
    var stamp = DocumentObject()

    /// The header as a JSON object.
    var object: DocumentObject {
        var object: DocumentObject = [
            "lkdump": revisions != nil ? 3 : contents != nil ? 2 : 1, "kind": .string(content.rawValue),
            "tool": "lkrepl",
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
        if let contents { object["attachments"] = .string(contents.rawValue) }
        if let revisions { object["revisions"] = .array(revisions.map { .string($0) }) }
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
    /// Reads a header from a JSON object; unknown members are ignored.
    ///
    /// - Throws: ``DumpError`` for an invalid header or another version.
    init(_ object: DocumentObject) throws {
        guard let version = object["lkdump"]?.intValue else { throw DumpError("the header is invalid") }
        guard version <= Self.version, version > 0 else {
            throw DumpError("the dump has version \(version); this program reads versions up to \(Self.version)")
        }
        guard let content = object["kind"]?.stringValue.flatMap(Content.init(rawValue:)) else {
            throw DumpError("the kind in the header must be raw or docs")
        }
        guard object["digest"]?.stringValue == ContentDigest.name else {
            throw DumpError("the digest algorithm in the header is not \(ContentDigest.name)")
        }
        self.init(content: content)
        if version == 2 || version > 2 && object["attachments"] != nil {
            guard let contents = object["attachments"]?.stringValue.flatMap(Contents.init(rawValue:)) else {
                throw DumpError("the attachments in the header must be parts, files or none")
            }
            self.contents = contents
        }
        if version > 2 {
            guard let names = object["revisions"]?.arrayValue, !names.isEmpty,
                names.allSatisfy({ $0.stringValue != nil })
            else { throw DumpError("the revisions in the header must be a list of collections") }
            revisions = names.compactMap(\.stringValue)
        }
        if let comparator = object["comparator"]?.stringValue { self.comparator = comparator }
        if let range = object["range"] {
            guard let range = range.objectValue else { throw DumpError("the range in the header is invalid") }
            self.range = try Self.range(range)
        }
        if let changes = object["changes"] {
            guard let epoch = changes["epoch"]?.stringValue,
                let since = changes["since"]?.intValue.flatMap({ UInt64(exactly: $0) }),
                let through = changes["through"]?.intValue.flatMap({ UInt64(exactly: $0) })
            else { throw DumpError("the changes in the header are invalid") }
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
