import DocIndex

/// How far a load has come: what it needs to go on exactly behind its last batch.
///
/// In a document store it is in the same batch as the documents, so that it is always right. Beside a plain database,
/// which is left clean, it is a file that is written after a batch has reached the disk; what came behind it is written
/// once more.
struct LoadMarker: Equatable {
    /// Records that were taken from the input, the rejected and the skipped included.
    var itemCount: Int
    /// Bytes before the last of them.
    var offset: Int
    /// The digest of all records so far: a file with another beginning is not taken for the same.
    var digest: String
    /// The mode of the load.
    var mode: LoadMode
    /// The absolute path of the database, for markers beside it.
    var database = ""

    /// The marker as text.
    var encoded: [UInt8] {
        var text: [UInt8] = []
        let object: DocumentObject = [
            "lkprogress": 1, "items": .int(Int64(itemCount)), "byte": .int(Int64(offset)), "digest": .string(digest),
            "mode": .string(mode.rawValue), "database": .string(database),
        ]
        DocumentValue.object(object).writeJSON(to: &text)
        return text
    }

    /// The marker that a text stands for; `nil` if it is none.
    init?(encoded text: [UInt8]) {
        guard let value = try? JSONParser().parse(text), value["lkprogress"] == 1,
            let items = value["items"]?.intValue, items >= 0, let offset = value["byte"]?.intValue, offset >= 0,
            let digest = value["digest"]?.stringValue, let mode = value["mode"]?.stringValue.flatMap(LoadMode.init)
        else { return nil }
        self.init(
            itemCount: Int(items), offset: Int(offset), digest: digest, mode: mode,
            database: value["database"]?.stringValue ?? "")
    }

    init(itemCount: Int, offset: Int, digest: String, mode: LoadMode, database: String = "") {
        self.itemCount = itemCount
        self.offset = offset
        self.digest = digest
        self.mode = mode
        self.database = database
    }
}
