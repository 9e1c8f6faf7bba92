/// The state of a database according to a manifest file. Takes memory for the tables in use, not for every edit.
package struct ManifestFile: Sendable {
    /// The name of the file.
    package let name: String
    /// The number of readable edits.
    package private(set) var editCount = 0
    /// The state after all readable edits.
    package private(set) var version = Version()
    /// The first faults, at most ``faultLimit``.
    package private(set) var faults: [FileError] = []

    /// The maximum number of recorded faults. A file with more of them is hardly a manifest.
    private static let faultLimit = 1000

    /// Reads a whole file. Corruption is recorded alongside the state after the readable edits, and not thrown.
    ///
    /// - Throws: ``FileError``: `missing`, `unreadable`; `damaged` for a file longer than any manifest.
    package init(at path: String) throws(FileError) {
        var edits = try ManifestEdits(at: path)
        name = edits.name
        while let item = try edits.next() {
            switch item {
            case .edit(let edit, let endOffset):
                editCount += 1
                version.apply(edit)
                guard version.tableCount <= Version.tableLimit else {
                    add(FileError(.damaged, file: name, offset: endOffset, reason: Version.tooManyTables))
                    return
                }
            case .damage(let fault): add(fault)
            }
        }
    }

    private mutating func add(_ fault: FileError) {
        if faults.count < Self.faultLimit { faults.append(fault) }
    }
}
