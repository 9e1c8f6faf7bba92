import DocIndex

/// The records of a rejects file, read as if they were at their original positions.
final class RejectSource: RecordSource {
    let name: String
    private var rejects: DocumentSource
    private let reading: (borrowing InputFile) throws -> any RecordSource
    private(set) var place = RecordPlace()

    /// - Parameter reading: Creates the source for the records of the original file.
    init(_ input: borrowing InputFile, reading: @escaping (borrowing InputFile) throws -> any RecordSource) {
        name = input.name
        rejects = DocumentSource(input, format: .jsonl)
        self.reading = reading
    }

    var byteCount: Int { rejects.byteCount }

    func next() throws -> InputEvent? {
        while let object = try rejects.next() {
            place = rejects.place
            guard let raw = try bytes("raw", in: object) else {
                throw RecordError(.format, "not a line of a rejects file: the member raw is missing").at(
                    line: place.line, offset: place.offset)
            }
            let head = try bytes("head", in: object) ?? []
            place.text = raw
            let source = try reading(
                InputFile(bytes: head.isEmpty ? raw + [0x0a] : head + [0x0a] + raw + [0x0a], name: name))
            do {
                if let event = try source.next() { return event }
            } catch var fault as RecordError {
                fault.line = place.line
                fault.offset = place.offset
                fault.column = nil
                fault.isRecoverable = true
                throw fault
            }
        }
        return nil
    }

    private func bytes(_ name: String, in object: DocumentObject) throws -> [UInt8]? {
        do {
            return try DumpRecord.bytes(name, in: object)
        } catch let fault as DumpError {
            throw RecordError(fault.kind, fault.reason).at(line: place.line, offset: place.offset)
        }
    }
}
