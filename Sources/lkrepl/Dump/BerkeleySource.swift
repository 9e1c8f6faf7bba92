/// Pairs from the dumps of LMDB and Berkeley DB: header lines, then one line for each key and each value.
///
/// Stricter at the end than `mdb_load` and `db_load`, which accept truncated files: `DATA=END` is required, and a value
/// for each key.
final class BerkeleySource: RecordSource {
    let name: String
    /// The database to read from a file with several; `nil` for the only one.
    private let wanted: String?
    private var lines: LineReader
    private var line = LineReader.Line()
    private(set) var place = RecordPlace()
    private var state = State.header
    private var header: [String: String] = [:]
    private var databaseCount = 0
    private var lastKey: [UInt8]?

    private enum State {
        case header
        case data
        /// After DATA=END; another database may follow.
        case between
    }

    /// - Parameter wanted: The database to read from a file with several; `nil` for the only one.
    init(_ input: borrowing InputFile, database wanted: String?, maximumLineByteCount: Int) {
        name = input.name
        self.wanted = wanted
        // Two digits per byte.
        lines = input.lines(maximumLineByteCount: maximumLineByteCount * 2)
    }

    /// Whether a file in this format can begin with the given line.
    static func isBeginning(_ line: some Collection<UInt8>) -> Bool { line.starts(with: Array("VERSION=".utf8)) }

    var byteCount: Int { lines.offset }

    func next() throws -> InputEvent? {
        while try readLine() {
            switch state {
            case .header, .between: try takeHeader()
            case .data:
                if isText("DATA=END") {
                    state = .between
                    continue
                }
                let key = try decode(line.bytes)
                let keyLine = place
                guard try readLine(), !isText("DATA=END") else {
                    throw fault(.truncated, "a key has no value; the dump is truncated").final
                }
                let value = try decode(line.bytes)
                place = RecordPlace(
                    line: keyLine.line, offset: keyLine.offset, text: keyLine.text + [0x0a] + line.bytes)
                guard isWanted else { continue }
                defer { lastKey = key }
                guard key != lastKey else {
                    throw fault(.duplicateKey, "a key occurs twice, and LevelDB stores only one value per key")
                }
                return .change(.pair(key: key, value: value))
            }
        }
        guard state == .between else {
            throw fault(.truncated, "the dump ends without DATA=END; it is truncated, or still being written").final
        }
        if let wanted, !isFound {
            throw fault(.format, "the file contains no database \(wanted)").final
        }
        return nil
    }

    private var isFound = false
    private var isWanted: Bool {
        guard let wanted else { return true }
        return header["database"]?.utf8.elementsEqual(wanted.utf8) == true
    }

    private func readLine() throws -> Bool {
        do {
            guard try lines.read(into: &line) else { return false }
        } catch {
            place = RecordPlace(line: error.lineNumber, offset: error.offset)
            throw RecordError(error)
        }
        place = RecordPlace(line: line.number, offset: line.offset, text: line.bytes)
        guard line.isTerminated || isText("DATA=END") else {
            throw fault(.truncated, "the dump is truncated in this line").final
        }
        return true
    }

    private func takeHeader() throws {
        guard !line.bytes.isEmpty else { return }
        if state == .between {
            state = .header
            header = [:]
        }
        if isText("HEADER=END") { return try beginData() }
        let text = String(decoding: line.bytes, as: UTF8.self)
        guard let split = text.firstIndex(of: "=") else {
            throw fault(.format, "a header line must have the form name=value").final
        }
        header[String(text[..<split])] = String(text[text.index(after: split)...])
    }

    private func beginData() throws {
        guard header["VERSION"] == "3" else {
            throw fault(.format, "the dump has version \(header["VERSION"] ?? "none"); only version 3 is supported")
                .final
        }
        guard ["btree", "hash", nil].contains(header["type"]) else {
            throw fault(
                .format, "the database type \(header["type"] ?? "") has no keys; only btree and hash can be loaded"
            ).final
        }
        guard header["keys"] != "0" else { throw fault(.format, "the dump contains no keys").final }
        guard ["bytevalue", "print"].contains(header["format"] ?? "print") else {
            throw fault(.format, "unknown format \(header["format"] ?? "")").final
        }
        databaseCount += 1
        lastKey = nil
        state = .data
        if isWanted { isFound = true }
        if databaseCount == 2, wanted == nil {
            throw RecordError(
                .format, "the file contains more than one database",
                hint: "choose one with --only NAME", isRecoverable: false
            ).at(line: line.number, offset: line.offset)
        }
    }

    private func decode(_ text: [UInt8]) throws -> [UInt8] {
        guard text.first == 0x20 else { throw fault(.format, "a data line must begin with a space").final }
        if header["format"] == "bytevalue" {
            guard let bytes = HexText.decode(text.dropFirst()) else {
                throw fault(.format, "a data line must consist of pairs of hexadecimal digits").final
            }
            return bytes
        }
        var bytes: [UInt8] = []
        var rest = text.dropFirst()
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            if rest.first == UInt8(ascii: "\\") {
                bytes.append(rest.removeFirst())
            } else if let value = HexText.decode(rest.prefix(2)), value.count == 1 {
                bytes += value
                rest = rest.dropFirst(2)
            } else {
                // LMDB before 0.9.30 does not escape backslashes (ITS#9068), so the original bytes are unknown.
                throw RecordError(
                    .format, "a backslash does not begin a valid escape",
                    hint: "dump again without -p, for hexadecimal", isRecoverable: false
                ).at(line: line.number, offset: line.offset)
            }
        }
        return bytes
    }

    private func isText(_ text: String) -> Bool { line.bytes.elementsEqual(text.utf8) }

    private func fault(_ kind: RecordError.Kind, _ message: String) -> RecordError {
        RecordError(kind, message).at(line: line.number, offset: line.offset)
    }
}
