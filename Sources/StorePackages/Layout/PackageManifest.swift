internal import DocIndex

/// The description of a package, in its file `package.json`.
public struct PackageManifest: Sendable, Hashable {
    /// A file of the package.
    struct Entry: Sendable, Hashable {
        let name: String
        let byteCount: UInt64
        let digest: Attachment.Digest
    }

    /// The commits whose changes a package contains.
    public struct Changes: Sendable, Hashable {
        /// The epoch of the store; commit numbers are valid within an epoch.
        public var epoch: String
        /// The commit after which the changes begin.
        public var since: UInt64
        /// The last commit, for the next package.
        public var through: UInt64
    }

    /// The version of the format that this library writes, and the latest that it reads.
    public static let version: Int64 = 1

    /// The collection that the documents are from.
    public internal(set) var collection: String
    /// The title of the package.
    public internal(set) var title: String
    /// The condition of the documents; `nil` for all documents, and if places were removed.
    public internal(set) var condition: String?
    /// The number of documents.
    public internal(set) var documentCount = 0
    /// The number of deleted documents, of a package of changes.
    public internal(set) var deletionCount = 0
    /// Whether the originals of the attachments are in the package.
    public internal(set) var hasOriginals = false
    /// The names of the specifications of the renditions in the package.
    public internal(set) var renditions: [String] = []
    /// Whether the fields with places were removed from the documents.
    public internal(set) var isWithoutPlaces = false
    /// The changes; `nil` for a package of everything.
    public internal(set) var changes: Changes?
    /// All other files, in the order of the package.
    var entries: [Entry] = []

    init(collection: String, title: String) {
        self.collection = collection
        self.title = title
    }
}

extension PackageManifest {
    /// The maximum size of the file in bytes, so that its memory has a limit.
    static let maximumByteCount: UInt64 = 32 << 20

    /// The description as JSON.
    var json: [UInt8] {
        var object: DocumentObject = [
            "lkpackage": .int(Self.version), "tool": "lkrepl", "collection": .string(collection),
            "title": .string(title),
        ]
        if let condition { object["condition"] = .string(condition) }
        object["documents"] = .int(Int64(documentCount))
        if let changes {
            object["deletions"] = .int(Int64(deletionCount))
            object["changes"] = [
                "epoch": .string(changes.epoch), "since": .int(Int64(clamping: changes.since)),
                "through": .int(Int64(clamping: changes.through)),
            ]
        }
        object["originals"] = .bool(hasOriginals)
        object["renditions"] = .array(renditions.map { .string($0) })
        object["placesRemoved"] = .bool(isWithoutPlaces)
        object["files"] = .array(
            entries.map { entry in
                [
                    "name": .string(entry.name), "bytes": .int(Int64(clamping: entry.byteCount)),
                    "sha256": .string(entry.digest.description),
                ]
            })
        var text: [UInt8] = []
        DocumentValue.object(object).writeJSON(to: &text, JSONWriter(layout: .pretty))
        text.append(0x0a)
        return text
    }

    /// Reads the description from JSON.
    ///
    /// - Parameter entryCount: the number of files that it lists.
    /// - Throws: ``PackageError`` with `packageTooNew` or `packageDamaged`.
    init(json text: [UInt8], entryCount: Int, of path: String) throws {
        let form = PackageError.damaged(path, "its file package.json is malformed")
        var entries: [Entry] = []
        entries.reserveCapacity(entryCount)
        let value: DocumentValue
        do {
            let parts = try ManifestText(text) { file in
                guard entries.count < entryCount, let entry = Entry(json: file) else {
                    throw ManifestText.FormatError()
                }
                entries.append(entry)
            }
            value = try JSONParser(maximumDepth: 4).parse(parts.head)
        } catch {
            throw form
        }
        guard let version = value["lkpackage"]?.intValue, version > 0, value["files"] == nil else { throw form }
        guard version <= Self.version else {
            throw PackageError(
                .packageTooNew,
                "the package \(path) has version \(version), and this program reads versions up to \(Self.version); "
                    + "update it")
        }
        guard let collection = value["collection"]?.stringValue, let title = value["title"]?.stringValue,
            let hasOriginals = value["originals"]?.boolValue, let renditions = value["renditions"]?.arrayValue,
            let isWithoutPlaces = value["placesRemoved"]?.boolValue,
            let documentCount = Self.count(value["documents"])
        else { throw form }
        self.init(collection: collection, title: title)
        condition = value["condition"]?.stringValue
        self.documentCount = Int(clamping: documentCount)
        self.hasOriginals = hasOriginals
        self.isWithoutPlaces = isWithoutPlaces
        self.renditions = try renditions.map { name in
            guard let name = name.stringValue, EntryName.isSpecification(name) else { throw form }
            return name
        }
        if let changes = value["changes"] {
            guard let epoch = changes["epoch"]?.stringValue, let since = Self.count(changes["since"]),
                let through = Self.count(changes["through"]), let deletions = Self.count(value["deletions"])
            else { throw form }
            self.changes = Changes(epoch: epoch, since: since, through: through)
            deletionCount = Int(clamping: deletions)
        }
        self.entries = entries
    }

    fileprivate static func count(_ value: DocumentValue?) -> UInt64? {
        value?.intValue.flatMap { UInt64(exactly: $0) }
    }
}

extension PackageManifest.Entry {
    /// Reads a file of the list; `nil` if it is malformed.
    fileprivate init?(json text: [UInt8]) {
        guard let file = try? JSONParser(maximumDepth: 2).parse(text), let name = file["name"]?.stringValue,
            let byteCount = PackageManifest.count(file["bytes"]),
            let digest = file["sha256"]?.stringValue.flatMap({ Attachment.Digest($0) })
        else { return nil }
        self.init(name: name, byteCount: byteCount, digest: digest)
    }
}
