import DocIndex
import Foundation
import LevelKit
import TestSupport
import Testing

@testable import lkrepl

/// Random documents with everything that JSON lacks, and with objects that only resemble it.
private struct RandomDocuments {
    var generator: SplitMix64

    mutating func document(_ number: Int) -> DocumentObject {
        var document: DocumentObject = ["id": .string("d\(100_000 + number)")]
        for name in ["a", "b", "c", "when", "raw", "n", "$lit", "$x"] where below(2) == 0 {
            document[name] = value(3)
        }
        return document
    }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    private mutating func value(_ depth: Int) -> DocumentValue {
        switch below(depth > 0 ? 14 : 11) {
        case 0: .null
        case 1: .bool(below(2) == 0)
        case 2: .int(Int64(bitPattern: generator.next()) >> Int64(below(64)))
        case 3: .int([0, -1, .max, .min, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1][below(7)])
        case 4: .double([0, -0.0, 1, 100, 1e15, 0x1p53, 0x1p63, 1e300, 0x1p-1074, .nan, .infinity][below(11)])
        case 5: .double(Double(below(1_000_000)) / 1000)
        case 6: .string(["", "$date", "2012-06-08T18:02:11", "b64:AAAA", "1", "é\u{301}\n\"\\\t", "😀\u{7f}"][below(7)])
        case 7: .date(DocumentDate(milliseconds: Int64(below(2_000_000_000)) * 1000 + Int64(below(1000))))
        case 8:
            .date(
                DocumentDate(milliseconds: Int64(below(2_000_000_000)) * 1000, offsetMinutes: below(1440) - 720)
                    ?? DocumentDate(milliseconds: 0))
        case 9: .bytes((0..<below(6)).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        case 10: lookalike()
        case 11: .array((0..<below(4)).map { _ in value(depth - 1) })
        default:
            .object(
                (0..<below(4)).reduce(into: DocumentObject()) { object, _ in
                    object[["x", "y", "$date", "$lit", "$num", "$gte", "dotted.name"][below(7)]] = value(depth - 1)
                })
        }
    }

    private mutating func lookalike() -> DocumentValue {
        [
            ["$date": "2012-06-08T18:02:11.000Z"], ["$bytes": "AA=="], ["$num": "nan"], ["$num": "1"], ["$lit": [:]],
            ["$lit": ["$date": "2012-06-08T18:02:11.000Z"]], ["$date": 1], ["$bytes": .bytes([1])],
            ["$date": "x", "y": 1], ["y": 1, "$lit": 2], ["$gte": 4],
        ][below(11)]
    }
}

/// Documents are exported by one command, pass through another program, and are imported by a second command.
@Suite(.waitsForPrograms) struct `Document round trips` {
    private static let isLong = ProcessInfo.processInfo.environment["LEVELKIT_TEST_LONG"] == "1"
    private static let hasJQ = Installed.has("jq")
    private static let count = isLong ? 10_000 : 300

    private static func documents(_ seed: UInt64) -> [DocumentObject] {
        var random = RandomDocuments(generator: SplitMix64(seed: seed))
        return (0..<count).map { random.document($0) }
    }

    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["LEVELKIT_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)
    }

    /// Creates a store with random documents, without the commands under test.
    private static func makeStore(_ name: String, _ documents: [DocumentObject], in place: Workplace) throws {
        try place.makeItems(name)
        let store = try DocumentStore.open(at: place.path + "/" + name)
        try store.write { transaction in
            for document in documents { try transaction.put(document, in: "items") }
        }
        try store.close()
    }

    /// Returns the documents of a store, read without the commands under test.
    private static func documents(of name: String, in place: Workplace) throws -> [DocumentValue] {
        let store = try DocumentStore.open(at: place.path + "/" + name, mode: .readOnly)
        defer { try? store.close() }
        var found: [DocumentValue] = []
        try store.collection("items").forEach { found.append(.object($0.content)) }
        return found
    }

    /// The same with sorted names: columns have a different order.
    private static func sorted(_ documents: [DocumentValue]) throws -> [String] {
        documents.map { $0.json(JSONWriter(sortsNames: true, notation: .dump)) }
    }

    @Test(arguments: [
        "lkrepl find items.store items | lkrepl import --write copy.store items -",
        "lkrepl find items.store items --json | lkrepl import --write copy.store items -",
        "lkrepl find items.store items --mode json-pretty | lkrepl import --write copy.store items -",
        "lkrepl export items.store items | lkrepl import --write copy.store items - --mode insert",
        "lkrepl export items.store items --format json -o f && lkrepl import --write copy.store items f --format json",
        "lkrepl dump items.store | lkrepl load --write copy.store -",
        "lkrepl dump items.store | grep '^{\"c\"' | lkrepl load --write copy.store -",
    ])
    func `Documents survive a pipe unchanged`(pipe: String) throws {
        let seed = Self.seed
        try Workplace.with { place in
            let documents = Self.documents(seed)
            try Self.makeStore("items.store", documents, in: place)
            try place.makeItems("copy.store")
            let outcome = try place.shell("set -e; \(pipe)")
            #expect(outcome.code == 0, "seed \(seed): \(outcome)")
            #expect(try Self.documents(of: "copy.store", in: place) == documents.map(DocumentValue.object), "\(seed)")
        }
    }

    @Test(arguments: ["csv", "tsv"])
    func `Documents survive typed columns unchanged, except for member order`(format: String) throws {
        let seed = Self.seed
        try Workplace.with { place in
            // A column name can be neither empty nor a path of names at which another document has a value.
            let documents = Self.documents(seed)
            try Self.makeStore("items.store", documents, in: place)
            try place.makeItems("copy.store")
            let outcome = try place.shell(
                """
                set -e; lkrepl export items.store items --types --format \(format) -o f
                lkrepl import --write copy.store items f --types --format \(format)
                """)
            #expect(outcome.code == 0, "seed \(seed): \(outcome)")
            let copied = try Self.sorted(Self.documents(of: "copy.store", in: place))
            let original = try Self.sorted(documents.map(DocumentValue.object))
            for (copy, original) in zip(copied, original) where copy != original {
                Issue.record("seed \(seed): \(original) came back as \(copy)")
                break
            }
            #expect(copied.count == original.count)
        }
    }

    /// jq before 1.7 writes doubles without a fraction as integers; no version changes anything else.
    @Test(.enabled(if: hasJQ, Installed.absence(of: "jq")), arguments: ["find", "export"], ["-c .", "-c -S ."])
    func `Documents survive jq unchanged`(command: String, filter: String) throws {
        let seed = Self.seed
        try Workplace.with { place in
            let documents = Self.documents(seed)
            try Self.makeStore("items.store", documents, in: place)
            try place.makeItems("copy.store")
            let keepsLiterals = try place.shell("echo 1.0 | jq -c .").output == "1.0\n"
            let outcome = try place.shell(
                "set -e; lkrepl \(command) items.store items | jq \(filter) | lkrepl import --write copy.store items -")
            #expect(outcome.code == 0, "seed \(seed): \(outcome)")
            func comparable(_ documents: [DocumentValue]) -> [String] {
                documents.map { document in
                    let document = keepsLiterals ? document : document.withWholeDoublesAsIntegers
                    return document.json(JSONWriter(sortsNames: filter.contains("-S"), notation: .dump))
                }
            }
            let copied = comparable(try Self.documents(of: "copy.store", in: place))
            let original = comparable(documents.map(DocumentValue.object))
            for (copy, original) in zip(copied, original) where copy != original {
                Issue.record("seed \(seed): \(original) came back as \(copy)")
                break
            }
            #expect(copied.count == original.count)
        }
    }

    @Test func `Single documents survive doc get, doc put and doc patch unchanged`() throws {
        let seed = Self.seed
        try Workplace.with { place in
            let documents = Array(Self.documents(seed).prefix(Self.isLong ? 300 : 12))
            try Self.makeStore("items.store", documents, in: place)
            try place.makeItems("copy.store")
            try place.makeItems("patched.store")
            for document in documents {
                let id = try #require(document["id"]?.stringValue)
                let found = try place.run("doc", "get", "items.store", "items", id)
                #expect(found.code == 0, "seed \(seed): \(found)")
                let put = try place.run("doc", "put", "--write", "copy.store", "items", "-", input: found.output)
                #expect(put.code == 0, "seed \(seed): \(found) \(put)")
                #expect(
                    try place.run("doc", "put", "--write", "patched.store", "items", "{\"id\":\"\(id)\"}").code == 0)
                let patch = try place.run(
                    "doc", "patch", "--write", "patched.store", "items", id, "-", input: found.output)
                #expect(patch.code == 0, "seed \(seed): \(found) \(patch)")
            }
            let originals = documents.map(DocumentValue.object)
            #expect(try Self.documents(of: "copy.store", in: place) == originals, "seed \(seed)")
            // A merge patch removes nulls.
            let patched = try Self.documents(of: "patched.store", in: place)
            let expected = documents.map { document in
                DocumentValue.object((["id": document["id"] ?? .null] as DocumentObject).merging(patch: document))
            }
            #expect(patched == expected, "seed \(seed)")
        }
    }

    /// The script of a user who sets a rating and considers nothing else.
    @Test(.enabled(if: hasJQ, Installed.absence(of: "jq")))
    func `After jq has set a member, conditions still find documents by date`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let text = (0..<4).map { "{\"id\":\"\($0)\",\"taken\":{\"$date\":\"2020-01-0\($0 + 1)T00:00:00\"}}\n" }
                .joined()
            #expect(try place.run("import", "--write", "items.store", "items", "-", input: text).code == 0)
            let outcome = try place.shell(
                """
                set -e; lkrepl find items.store items > x; jq -c '.rating=4' x | lkrepl import --write items.store items -
                lkrepl find items.store items 'taken >= date "2020-01-01" and rating = 4' --count
                """)
            #expect(outcome.code == 0 && outcome.output == "4\n", "\(outcome)")
        }
    }

    @Test func `Objects such as $date are stored literally on request`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let text = #"{"id":"a","d":{"$date":"2020-01-02T03:04:05.000Z"},"n":{"$num":"x"}}"#
            let refused = try place.run("import", "--write", "items.store", "items", "-", input: text)
            #expect(refused.code == 65 && refused.says("$num") && refused.says("$lit"), "\(refused)")
            #expect(try place.run("import", "--write", "items.store", "items", "-", "--literal", input: text).code == 0)
            #expect(
                try place.run("find", "items.store", "items", "d exists and d > date 2020-01-01", "--count").output
                    == "0\n")
            let found = try place.run("doc", "get", "items.store", "items", "a")
            #expect(found.output.contains(#""d":{"$lit":{"$date":"2020"#), "\(found)")
        }
    }
}

extension DocumentValue {
    /// The value as rewritten by a program that writes `1` for `1.0`.
    fileprivate var withWholeDoublesAsIntegers: DocumentValue {
        switch self {
        case .double(let number) where abs(number) <= 0x1p53 && number == number.rounded():
            number.sign == .minus && number == 0 ? self : .int(Int64(number))
        case .array(let elements): .array(elements.map(\.withWholeDoublesAsIntegers))
        case .object(let object):
            .object(object.reduce(into: DocumentObject()) { $0[$1.name] = $1.value.withWholeDoublesAsIntegers })
        default: self
        }
    }
}
