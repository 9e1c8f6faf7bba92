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
    /// What the package shows as its title.
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
    /// - Throws: ``PackageError`` with `packageTooNew` or `packageDamaged`.
    init(json text: [UInt8], of path: String) throws {
        let form = PackageError.damaged(path, "its file package.json has another form")
        guard let value = try? JSONParser(maximumDepth: 4).parse(text), let version = value["lkpackage"]?.intValue,
            version > 0
        else { throw form }
        guard version <= Self.version else {
            throw PackageError(
                .packageTooNew,
                "the package \(path) has version \(version), and this program reads versions up to \(Self.version); "
                    + "update it")
        }
        func count(_ value: DocumentValue?) throws -> UInt64 {
            guard let number = value?.intValue, let count = UInt64(exactly: number) else { throw form }
            return count
        }
        guard let collection = value["collection"]?.stringValue, let title = value["title"]?.stringValue,
            let hasOriginals = value["originals"]?.boolValue, let renditions = value["renditions"]?.arrayValue,
            let isWithoutPlaces = value["placesRemoved"]?.boolValue, let files = value["files"]?.arrayValue
        else { throw form }
        self.init(collection: collection, title: title)
        condition = value["condition"]?.stringValue
        documentCount = Int(clamping: try count(value["documents"]))
        self.hasOriginals = hasOriginals
        self.isWithoutPlaces = isWithoutPlaces
        self.renditions = try renditions.map { name in
            guard let name = name.stringValue, EntryName.isSpecification(name) else { throw form }
            return name
        }
        if let changes = value["changes"] {
            guard let epoch = changes["epoch"]?.stringValue else { throw form }
            self.changes = Changes(
                epoch: epoch, since: try count(changes["since"]), through: try count(changes["through"]))
            deletionCount = Int(clamping: try count(value["deletions"]))
        }
        entries = try files.map { file in
            guard let name = file["name"]?.stringValue,
                let digest = file["sha256"]?.stringValue.flatMap({ Attachment.Digest($0) })
            else { throw form }
            return Entry(name: name, byteCount: try count(file["bytes"]), digest: digest)
        }
    }
}
