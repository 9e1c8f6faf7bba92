/// Pairs from `ldb dump --hex` of RocksDB: one `0xKEY ==> 0xVALUE` per line.
///
/// The form without `--hex` is rejected: there, a line feed in a value truncates it and ` ==> ` in a key splits it,
/// undetected. The format has no end marker; `ldb` prints a count after the pairs, which is checked if present.
final class LDBTextSource: RecordSource {
    let name: String
    private var lines: LineReader
    private var line = LineReader.Line()
    private var count = 0
    private var counted: Int?

    init(_ input: borrowing InputFile, maximumLineByteCount: Int) {
        name = input.name
        lines = input.lines(maximumLineByteCount: maximumLineByteCount * 2)
    }

    /// Whether a file in this format can begin with the given line.
    static func isBeginning(_ line: some Collection<UInt8>) -> Bool {
        line.starts(with: Array("0x".utf8)) && split(Array(line)) != nil
    }

    var byteCount: Int { lines.offset }
    var place: RecordPlace { RecordPlace(line: line.number, offset: line.offset, text: line.bytes) }

    var warning: String? {
        counted == nil ? "this format cannot reveal truncation; \(count) pairs were read" : nil
    }

    func next() throws -> InputEvent? {
        while try readLine() {
            if line.bytes.isEmpty { continue }
            let prefix = Array("Keys in range: ".utf8)
            if line.bytes.starts(with: prefix) {
                counted = Int(String(decoding: line.bytes.dropFirst(prefix.count), as: UTF8.self))
                continue
            }
            guard counted == nil else { throw fault(.format, "the dump continues after the count of keys").final }
            guard line.isTerminated else { throw fault(.truncated, "the dump is truncated in this line").final }
            guard let (key, value) = Self.split(line.bytes) else {
                throw RecordError(
                    .format, "a line does not have the form 0xKEY ==> 0xVALUE", hint: "dump with ldb dump --hex"
                ).at(line: line.number, offset: line.offset)
            }
            count += 1
            return .change(.pair(key: key, value: value))
        }
        if let counted, counted != count {
            throw fault(.digest, "the dump has \(count) pairs, but its last line says \(counted)").final
        }
        return nil
    }

    private static func split(_ line: [UInt8]) -> (key: [UInt8], value: [UInt8])? {
        guard let middle = line.firstRange(of: Array(" ==> ".utf8)) else { return nil }
        guard let key = bytes(line[..<middle.lowerBound]), let value = bytes(line[middle.upperBound...]) else {
            return nil
        }
        return (key, value)
    }

    private static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.starts(with: Array("0x".utf8)) else { return nil }
        return HexText.decode(text.dropFirst(2))
    }

    private func readLine() throws -> Bool {
        do {
            return try lines.read(into: &line)
        } catch {
            line.number = error.lineNumber
            line.offset = error.offset
            throw RecordError(error)
        }
    }

    private func fault(_ kind: RecordError.Kind, _ message: String) -> RecordError {
        RecordError(kind, message).at(line: line.number, offset: line.offset)
    }
}
