import DocIndex

/// The progress of a load: what it needs to resume exactly after its last batch.
///
/// In a document store it is written in the same batch as the documents, so it is always accurate. For a plain
/// database, which is left clean, it is a separate file, written after a batch is on disk; later records are loaded
/// again.
struct ResumePoint: Equatable {
    /// The number of records read from the input, including rejected and skipped ones.
    var itemCount: Int
    /// The number of bytes before the last of them.
    var offset: Int
    /// The digest of all records so far, which detects an input with a different beginning.
    var digest: String
    /// The mode of the load.
    var mode: LoadMode
    /// The absolute path of the database, for marker files.
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

    /// Decodes a marker; `nil` if the input is not one.
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
