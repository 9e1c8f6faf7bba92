import DocIndex
import Testing

@testable import lkrepl

/// Returns the bytes of a dump of records.
func dump(of records: [DumpRecord]) throws -> [UInt8] {
    let file = try TemporaryFile()
    var writer = DumpWriter(StandardOutput(descriptor: file.descriptor))
    for record in records { try writer.write(record) }
    try writer.finish()
    return try file.contents()
}

/// Returns the dump of a plain database with these pairs, which must be in key order.
func rawDump(_ pairs: [(key: [UInt8], value: [UInt8])]) throws -> [UInt8] {
    try dump(of: [.header(.raw)] + pairs.map { .pair(key: $0.key, value: $0.value) })
}

/// Returns the content of a dump, or throws the reason why it is rejected.
func contents(ofDump bytes: [UInt8]) throws -> [String] {
    let file = try TemporaryFile(bytes)
    var reader = DumpReader(descriptor: file.descriptor, name: "small.lkd")
    var records: [String] = []
    do {
        while let record = try reader.next() { records.append(DocumentValue.object(record.object).json) }
    } catch let fault as RecordError {
        throw fault.commandError(in: "small.lkd")
    }
    return records
}

/// Small dumps of both kinds, with everything that a line can contain.
enum SmallDump: String, CaseIterable, CustomTestStringConvertible {
    case raw, documents

    var testDescription: String { rawValue }

    func bytes() throws -> [UInt8] {
        switch self {
        case .raw:
            return try rawDump([
                ([], []), (Array("a".utf8), [0xff, 0x00]), (Array("b\0".utf8), Array("text \"q\" \\".utf8)),
                ([0xfe], Array("é".utf8)),
            ])
        case .documents:
            let schema = try Schema(
                json: Array(#"{"collections":{"a":{"indexes":{"x":{"fields":["x"]}}},"b":{"id":"key"}}}"#.utf8))
            return try dump(of: [
                .header(.documents), .schema(schema),
                .document(
                    collection: "a", id: .string("é"),
                    content: ["id": "é", "x": 1.0, "y": [nil, true, "b"], "$z": ["$w": nil]]),
                .document(collection: "a", id: .int(-2), content: ["id": -2, "n": -0.0005]),
                .document(collection: "b", id: .string(""), content: ["key": "", "id": .bytes([0, 255])]),
            ])
        }
    }
}
