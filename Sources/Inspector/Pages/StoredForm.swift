internal import DocIndex
internal import DocSync
internal import LevelKit

/// How a document is stored: its keys, its entries in the indexes, and earlier versions that are still in the files.
struct StoredForm: Sendable {
    /// The largest number of entries of each index.
    private static let entryLimit = 50
    private static let versionLimit = 20
    private static let textLimit = 10_000

    private struct Key: Sendable {
        let meaning: String
        let bytes: [UInt8]
        let isStored: Bool
    }

    private struct Version: Sendable {
        let stored: StoredVersion
        let commit: UInt64?
        let text: String?
    }

    private let row: UInt64
    private let byteCount: Int
    private let keys: [Key]
    private let hasMore: Bool
    /// The versions in the files; `nil` if they were not requested.
    private let versions: [Version]?

    /// Reads the keys of a document; `nil` if it does not exist.
    ///
    /// - Parameter files: returns the versions of a key in the files; `nil` to show none.
    init?(
        of id: DocumentID, in collection: ReadableCollection, of store: ReadableStore,
        files: (@Sendable ([UInt8]) throws -> [StoredVersion])?
    ) throws {
        guard let storage = try collection.storage(of: id, entryLimit: Self.entryLimit) else { return nil }
        let describer = try KeyDescriber(store.keys) { "\"" + String(decoding: $0, as: UTF8.self) + "\"" }
        func key(_ bytes: [UInt8], isStored: Bool = true) -> Key {
            Key(meaning: describer.description(of: bytes) ?? "unknown", bytes: bytes, isStored: isStored)
        }
        row = storage.row
        byteCount = storage.byteCount
        hasMore = storage.hasMore
        keys =
            [storage.documentKey, storage.idKey, storage.changeKey].map { key($0) }
            + storage.entries.map { key($0.key, isStored: $0.isStored) }
        versions = try files.map { files in
            try files(storage.documentKey).prefix(Self.versionLimit).map { stored in
                let document = stored.value.flatMap { try? collection.document(inRecord: $0, row: storage.row) }
                let text = document.map {
                    CellText.cut(
                        DocumentValue.object($0.content).json(JSONWriter(layout: .pretty, notation: .dump)),
                        Self.textLimit)
                }
                return Version(stored: stored, commit: document?.sequence, text: text)
            }
        }
    }

    /// Adds the keys, and the versions or a link to them.
    ///
    /// - Parameter link: the address of the page with the versions; `nil` if they cannot be read here.
    func append(to page: inout Markup, versions link: Link?) {
        page.element("h2", text: "Stored as")
        page.element(
            "p", .class("quiet"),
            text: "Row \(HumanNumber.grouped(Int(clamping: row))), \(HumanNumber.byteCount(byteCount)).")
        page.scroll("Keys of the document") { table in
            table.element("thead") {
                $0.element("tr") { row in
                    row.columnHead("Meaning")
                    row.columnHead("Key in hexadecimal")
                }
            }
            table.element("tbody") { body in for key in keys { self.row(key, &body) } }
        }
        if hasMore {
            page.element("p", .class("quiet"), text: "The first \(Self.entryLimit) entries of each index.")
        }
        if let versions {
            append(versions, to: &page)
        } else if let link {
            page.element("p") { $0.element("a", .href(link), text: "Versions that are still in the files") }
        }
    }

    private func row(_ key: Key, _ body: inout Markup) {
        body.element("tr") { row in
            let meaning = CellText.cut(key.meaning, CellText.limit)
            row.element("th", .fixed("scope", "row"), text: key.isStored ? meaning : meaning + " (not stored yet)")
            row.element("td", .class("code")) { cell in
                let text = HexBytes.text(key.bytes)
                let link = Link("keys").with("prefix", text)
                // The address of a very long key is refused.
                guard key.isStored, text.utf8.count < 4000 else { return cell.text(CellText.cut(text, 60)) }
                cell.element("a", .href(link), text: CellText.cut(text, 60))
            }
        }
    }

    private func append(_ versions: [Version], to page: inout Markup) {
        page.element("h2", .id("versions"), text: "Versions in the files")
        if versions.isEmpty { page.element("p", text: "No file contains the document yet.") }
        for version in versions {
            page.element("details") { details in
                details.element("summary", text: Self.title(of: version))
                if let text = version.text {
                    details.element("pre", .fixed("tabindex", "0"), text: text)
                }
            }
        }
    }

    private static func title(of version: Version) -> String {
        let number = HumanNumber.grouped(Int(clamping: version.stored.sequence))
        let place = "operation \(number) in \(CellText.cut(version.stored.file, 60))"
        let what: String
        if version.stored.value == nil {
            what = "deleted"
        } else if let commit = version.commit {
            what = "commit \(HumanNumber.grouped(Int(clamping: commit)))"
        } else {
            what = "unreadable"
        }
        return "\(what), \(place)" + (version.stored.isCurrent ? ", current" : "")
    }
}
