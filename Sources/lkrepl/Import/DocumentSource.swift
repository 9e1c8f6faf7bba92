import DocIndex

/// The objects of a file, one after another: one per line, or the elements of one array.
struct DocumentSource: ~Copyable {
    /// The layout of the documents in a file.
    enum Format: String, CaseIterable {
        /// One object per line.
        case jsonl
        /// One array of objects, such as the output of `exiftool -json`.
        case json
    }

    let name: String
    private var format: Format?
    private let parser: JSONParser
    /// Transforms the text of a document before parsing; `nil` for none.
    private let rewriting: ((Span<UInt8>) -> [UInt8])?
    private var lines: LineReader
    private var elements: JSONParser.ElementStream
    private var isAtEnd = false
    /// The first line, which was read to detect the format.
    private var pending: LineReader.Line?
    /// The bytes of the file consumed so far.
    private(set) var byteCount = 0
    /// The position and text of the last document or fault.
    private(set) var place = RecordPlace()
    /// The position of its text.
    private var start = JSONError.Position(offset: 0, line: 1, column: 1)

    /// - Parameters:
    ///   - format: `nil` to detect it by the first byte that is not a space.
    ///   - parser: The parser for documents; its start position is ignored.
    init(
        _ input: borrowing InputFile, format: Format?, maximumLineByteCount: Int = LineReader.usualMaximum,
        parsing parser: JSONParser = JSONParser(), rewriting: ((Span<UInt8>) -> [UInt8])? = nil
    ) {
        name = input.name
        // An array is detected by its first byte, not by its first line: it may be one very long line.
        self.format = format ?? (input.firstLine.first == UInt8(ascii: "[") ? .json : nil)
        self.parser = parser
        self.rewriting = rewriting
        lines = input.lines(maximumLineByteCount: maximumLineByteCount)
        elements = JSONParser.ElementStream(elementByteLimit: maximumLineByteCount)
    }

    /// The next object; `nil` at the end.
    ///
    /// - Throws: ``RecordError``; if it is recoverable, the next call continues after it.
    mutating func next() throws -> DocumentObject? {
        try advance() ? object() : nil
    }

    /// Advances to the text of the next object, which is then at ``place``; returns false at the end. ``object()``
    /// parses it.
    ///
    /// - Throws: ``RecordError``; if it is recoverable, the next call continues after it.
    mutating func advance() throws -> Bool {
        if format == nil { try detectFormat() }
        return switch format {
        case .json: try advanceElement()
        default: try advanceLine()
        }
    }

    private mutating func detectFormat() throws {
        while let line = try readLine() {
            guard let first = line.bytes.first(where: { !Self.isSpace($0) }) else { continue }
            pending = line
            format = .jsonl
            if first != UInt8(ascii: "{"), line.bytes.contains(UInt8(ascii: ",")) {
                throw RecordError(
                    .format, "the file is neither JSON Lines nor a JSON array",
                    hint: "if it is CSV, use --format csv", isRecoverable: false
                ).at(line: line.number, offset: line.offset)
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
            place = RecordPlace(line: error.lineNumber, offset: error.offset)
            throw RecordError(error)
        }
    }

    // MARK: - Lines

    private mutating func advanceLine() throws -> Bool {
        while true {
            let line: LineReader.Line
            if let first = pending {
                line = first
                pending = nil
            } else if let next = try readLine() {
                line = next
            } else {
                return false
            }
            if line.bytes.allSatisfy(Self.isSpace) { continue }
            place = RecordPlace(line: line.number, offset: line.offset, text: line.bytes)
            start = JSONError.Position(offset: line.offset, line: line.number, column: 1)
            return true
        }
    }

    // MARK: - Elements

    private mutating func advanceElement() throws -> Bool {
        do {
            while true {
                if let element = try elements.next() {
                    place = RecordPlace(line: element.start.line, offset: element.start.offset, text: element.bytes)
                    start = element.start
                    return true
                }
                if isAtEnd { return false }
                try feed()
            }
        } catch let error as JSONError {
            place = RecordPlace(line: error.line, offset: error.offset)
            throw RecordError(error, recordOffset: error.offset).final
        }
    }

    /// Passes the next chunk of the file to the element stream.
    private mutating func feed() throws {
        do {
            guard let chunk = try lines.nextChunk() else {
                elements.finish()
                isAtEnd = true
                return
            }
            elements.append(chunk)
        } catch {
            throw RecordError(error).final
        }
        byteCount = lines.offset
    }

    // MARK: - Objects

    /// Parses the object at the current position.
    ///
    /// - Throws: ``RecordError`` for invalid JSON or a value that is not an object.
    func object() throws -> DocumentObject {
        var parser = parser
        parser.start = start
        do {
            let value = try rewriting.map { try parser.parse($0(place.text.span)) } ?? parser.parse(place.text)
            guard case .object(let object) = value else {
                throw RecordError(.type, "a document must be a JSON object, not \(value.kind.article)").at(
                    line: start.line, offset: start.offset)
            }
            return object
        } catch let error as JSONError {
            var fault = RecordError(error, recordOffset: start.offset)
            // As jq and json.dump with an indentation write it.
            if error.code == .unexpectedEnd, format == .jsonl,
                place.text.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{")
            {
                fault.hint = "JSON Lines have one whole object per line, as jq -c writes them"
            }
            throw fault
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a
    }
}
