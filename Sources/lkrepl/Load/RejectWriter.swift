import DocIndex

/// Writes rejected records, one JSON object per line, so that they can be corrected and loaded with `--from-rejects`.
final class RejectWriter {
    private let output: StandardOutput
    private let isTerminal: Bool
    private(set) var count = 0

    /// Creates the file. Rejects of an earlier run are overwritten.
    ///
    /// - Throws: ``CommandError`` with `cannotCreate` if there is a file with something else.
    init(path: String) throws {
        let place = try OutputPlace(path)
        if !place.isSpecial, FileDescriptor.exists(path) {
            // The file is checked before anything is read from it.
            try place.open(0).closeFile()
            let file = try FileDescriptor.openForReading(path)
            defer { try? file.closeFile() }
            var start = [UInt8](repeating: 0, count: 8)
            let count = try file.read(into: &start)
            guard count == 0 || start[..<count].elementsEqual(#"{"line":"#.utf8) else {
                throw CommandError(
                    .cannotCreate, "\(path) already exists, and has no rejected records",
                    hint: "choose another file for --rejects, or delete it")
            }
        }
        let descriptor = try place.openForOverwriting()
        output = StandardOutput(descriptor: descriptor, name: path)
        isTerminal = descriptor.isTerminal
    }

    /// Writes one record.
    ///
    /// - Parameter header: The lines that must precede the record to read it again, such as the first row of CSV.
    func write(_ fault: RecordError, _ place: RecordPlace, header: [UInt8] = []) throws {
        count += 1
        var object: DocumentObject = [
            "line": .int(Int64(fault.line)), "byte": .int(Int64(fault.offset)), "error": .string(fault.kind.rawValue),
        ]
        if let column = fault.column { object["column"] = .int(Int64(column)) }
        if let path = fault.path { object["path"] = .string(path) }
        object["message"] = .string(fault.message)
        if !header.isEmpty { DumpRecord.append(header, name: "head", to: &object) }
        DumpRecord.append(place.text, name: "raw", to: &object)
        var line: [UInt8] = []
        DocumentValue.object(object).writeJSON(to: &line)
        if isTerminal { line = TerminalText.escaped(line, as: .json) }
        line.append(0x0a)
        try output.write(line)
        // Readers of the file see only whole lines while the command runs.
        try output.flush()
    }

    func close() throws { try output.close() }
}
