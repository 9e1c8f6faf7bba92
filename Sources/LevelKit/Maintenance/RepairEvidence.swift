internal import LevelFiles

/// The information that the files of a corrupt database still provide: whether it is a database, and its key order.
struct RepairEvidence {
    /// Whether LevelDB wrote any of the files. Names alone prove nothing, because any program may write a `000012.log`.
    let isDatabase: Bool
    /// The name of the key order. Empty if no manifest is readable; several if a corrupt one names several.
    let comparatorNames: [String]

    init(_ directory: DatabaseDirectory) throws(LevelError) {
        let manifest = try? directory.readManifest()
        let names = try directory.names()
        comparatorNames = manifest.map { [$0.comparatorName] } ?? Self.comparatorNames(names, in: directory)
        isDatabase = !comparatorNames.isEmpty || names.contains { Self.isWritten($0, in: directory) }
    }

    /// Returns the comparator names from a possibly corrupt manifest: the one that `CURRENT` names, or else the newest
    /// that contains a name.
    private static func comparatorNames(_ names: [String], in directory: DatabaseDirectory) -> [String] {
        let current = try? directory.currentManifestName()
        let manifests = names.compactMap { name -> (name: String, number: UInt64)? in
            guard case .manifest(let number) = EngineFileName(name) else { return nil }
            return (name, name == current ? .max : number)
        }
        for manifest in manifests.sorted(by: { $0.number > $1.number }) {
            if let bytes = try? OpenFile.content(
                of: directory.file(manifest.name), limit: EngineFileName.manifestByteLimit)
            {
                let names = Manifest.comparatorNames(inDamaged: bytes)
                if !names.isEmpty { return names }
            }
        }
        return []
    }

    /// Returns whether the content of a file matches its name.
    private static func isWritten(_ name: String, in directory: DatabaseDirectory) -> Bool {
        switch EngineFileName(name) {
        case .table: return TableFile.isTable(directory.file(name))
        case .log:
            guard let file = try? OpenFile(reading: directory.file(name)) else { return false }
            var reader = RecordReader(file, holding: .batches)
            while let item = try? reader.next() {
                if case .record(let record) = item { return record.count >= 12 }
            }
            return false
        default: return false
        }
    }
}
