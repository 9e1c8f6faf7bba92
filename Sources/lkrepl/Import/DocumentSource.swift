import DocIndex

/// The documents of a file, one after another: a line each, or the elements of one array.
struct DocumentSource: ~Copyable {
    /// How the documents of a file are laid out.
    enum Format: String, CaseIterable {
        /// One object a line.
        case jsonl
        /// One array of objects, such as `exiftool -json` prints.
        case json

        init(named name: String) throws(CommandFailure) {
            guard let format = Format(rawValue: name) else {
                throw CommandFailure(
                    .usage, "there is no format \(name)",
                    hint: "the formats are \(Format.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            self = format
        }
    }

    /// A document, or why there is none, and where it begins.
    struct Item {
        let document: Result<DocumentObject, CommandFailure>
        let line: Int
        /// Whether what follows can still be read.
        let mayContinue: Bool
    }

    private let name: String
    private let descriptor: FileDescriptor
    private var format: Format?
    private var lines: LineReader
    private var elements = JSONElementStream()
    private var chunk = [UInt8](repeating: 0, count: 256 << 10)
    private var isAtEnd = false
    /// The first line, which tells an array from lines.
    private var pending: LineReader.Line?
    /// Bytes of the file that were taken so far.
    private(set) var byteCount = 0

    /// - Parameters:
    ///   - name: the file, for messages.
    ///   - format: `nil` to tell by the first byte that is no space.
    init(descriptor: FileDescriptor, name: String, format: Format?) {
        self.name = name
        self.descriptor = descriptor
        self.format = format
        lines = LineReader(descriptor: descriptor)
    }

    /// The next document; `nil` at the end.
    mutating func next() throws -> Item? {
        if format == nil { try detectFormat() }
        return switch format {
        case .json: try nextElement()
        default: try nextLine()
        }
    }

    private mutating func detectFormat() throws {
        while let line = try readLine() {
            guard let first = line.bytes.first(where: { !Self.isSpace($0) }) else { continue }
            pending = line
            format = first == UInt8(ascii: "[") ? .json : .jsonl
            if first != UInt8(ascii: "["), first != UInt8(ascii: "{"), line.bytes.contains(UInt8(ascii: ",")) {
                throw CommandFailure(
                    .badData, "\(name) is neither JSON Lines nor a JSON array",
                    hint: "convert it to one JSON object a line first")
            }
            return
        }
        format = .jsonl
    }

    private mutating func readLine() throws -> LineReader.Line? {
        do {
            let line = try lines.next()
            byteCount = lines.offset
            return line
        } catch {
            throw error.commandFailure(reading: name)
        }
    }

    // MARK: - Lines

    private mutating func nextLine() throws -> Item? {
        while true {
            let line: LineReader.Line
            if let first = pending {
                line = first
                pending = nil
            } else if let next = try readLine() {
                line = next
            } else {
                return nil
            }
            if line.bytes.allSatisfy(Self.isSpace) { continue }
            let parser = JSONParser(start: JSONPosition(offset: line.offset, line: line.number, column: 1))
            return item(line: line.number, mayContinue: true) { () throws(JSONError) in try parser.parse(line.bytes) }
        }
    }

    // MARK: - Elements

    private mutating func nextElement() throws -> Item? {
        do {
            while true {
                if let element = try elements.next() {
                    return item(line: element.start.line, mayContinue: true) { () throws(JSONError) in
                        try element.value()
                    }
                }
                if isAtEnd { return nil }
                try feed()
            }
        } catch let error as JSONError {
            let failure = Self.failure(error, in: name)
            return Item(document: .failure(failure), line: error.line, mayContinue: false)
        }
    }

    /// Gives the next piece of the file to the stream of elements.
    ///
    /// The line reader has read ahead, so what it holds is taken through it, line by line, with the newlines.
    private mutating func feed() throws {
        let line: LineReader.Line?
        if let first = pending {
            line = first
            pending = nil
        } else {
            line = try readLine()
        }
        guard let line else {
            elements.finish()
            isAtEnd = true
            return
        }
        elements.append(line.bytes)
        if line.isTerminated { elements.append([0x0a]) }
    }

    // MARK: - Messages

    private func item(
        line: Int, mayContinue: Bool, _ parse: () throws(JSONError) -> DocumentValue
    ) -> Item {
        do throws(JSONError) {
            guard case .object(let document) = try parse() else {
                let failure = CommandFailure(.badData, "\(name):\(line): a document is an object in braces")
                return Item(document: .failure(failure), line: line, mayContinue: mayContinue)
            }
            return Item(document: .success(document), line: line, mayContinue: mayContinue)
        } catch {
            return Item(document: .failure(Self.failure(error, in: name)), line: line, mayContinue: mayContinue)
        }
    }

    static func failure(_ error: JSONError, in name: String) -> CommandFailure {
        CommandFailure(.badData, "\(name):\(error.line):\(error.column): \(error.message)")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a
    }
}
