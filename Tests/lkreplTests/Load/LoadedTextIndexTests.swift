import LevelKit
import Testing

@testable import DocIndex
@testable import TextIndexing

@Suite(.waitsForPrograms) struct `Text index after a load` {
    @Test func `After a load, no words are left for the next opening to collect from documents`() throws {
        try Workplace.with { place in
            try place.write(
                #"{"collections":{"items":{"indexes":{"t":{"type":"text","fields":["t"]}}}}}"#, to: "schema.json")
            let rows = (0..<9_000).map { #"{"id":\#($0),"t":"fog \#($0 % 500)"}"# }
            try place.write(rows.joined(separator: "\n"), to: "items.jsonl")
            #expect(try place.run("init", "a.store", "--schema", "schema.json").code == 0)
            #expect(try place.run("import", "--write", "a.store", "items", "items.jsonl").code == 0)
            try place.write(try place.dump("a.store"), to: "a.lkd")
            #expect(try place.run("load", "--create", "b.store", "a.lkd").code == 0)
            for name in ["a.store", "b.store"] {
                let found = try place.run("search", name, "items", "fog", "--count")
                #expect(found.lines.first == "9000", "\(found)")
                let database = try Database.open(at: place.path + "/" + name)
                #expect(try database.count(in: .prefix(TextIndexKey.pending.prefix(1))) == 0, "\(name)")
                #expect(try database.value(forKey: StoreKey.catalogKey) != nil)
                try database.close()
            }
        }
    }

    @Test func `compact rebuilds a text index with more replaced than current documents`() throws {
        try Workplace.with { place in
            try place.write(
                #"{"collections":{"items":{"indexes":{"t":{"type":"text","fields":["t"]}}}}}"#, to: "schema.json")
            #expect(try place.run("init", "a.store", "--schema", "schema.json").code == 0)
            for round in 0..<4 {
                let rows = (0..<1500).map { #"{"id":\#($0),"t":"fog \#(round) \#($0 % 50)"}"# }
                let input = Array(rows.joined(separator: "\n").utf8)
                let outcome = try place.run(
                    ["import", "--write", "a.store", "items", "-", "--mode", "upsert"], input: input)
                #expect(outcome.code == 0, "\(outcome)")
            }
            func nextSlots() throws -> [UInt32] {
                let database = try Database.open(at: place.path + "/a.store")
                defer { try? database.close() }
                return try (1...4).map { try TextStructure.read($0, name: "t", in: database).nextSlot }.filter {
                    $0 > 0
                }
            }
            #expect(try nextSlots() == [6000])
            let compacted = try place.run("compact", "--write", "--yes", "a.store")
            #expect(compacted.code == 0 && !compacted.says("no text index was rebuilt"), "\(compacted)")
            #expect(try nextSlots() == [1500])
            #expect(try place.run("search", "a.store", "items", "fog", "--count").output == "1500\n")
            #expect(try place.run("search", "a.store", "items", "2", "--count").output == "30\n")
            #expect(try place.run("verify", "a.store", "--deep").code == 0)
        }
    }

    @Test func `compact notes a damaged text index, which it cannot rebuild, and merges the tables`() throws {
        try Workplace.with { place in
            try place.write(
                #"{"collections":{"items":{"indexes":{"t":{"type":"text","fields":["t"]}}}}}"#, to: "schema.json")
            try place.write(#"{"id":1,"t":"fog"}"#, to: "items.jsonl")
            #expect(try place.run("init", "a.store", "--schema", "schema.json").code == 0)
            #expect(try place.run("import", "--write", "a.store", "items", "items.jsonl").code == 0)
            let database = try Database.open(at: place.path + "/a.store")
            let key = TextIndexKey.structure.prefix(1)
            #expect(try database.value(forKey: key) != nil)
            try database.put([0xff], forKey: key)
            try database.close()
            let compacted = try place.run("compact", "--write", "--yes", "a.store")
            #expect(compacted.code == 0 && compacted.says("table size was"), "\(compacted)")
            #expect(compacted.says("compact: no text index was rebuilt: "), "\(compacted)")
            #expect(compacted.says("the text index t is damaged"), "\(compacted)")
            // The message and verify name the remedy.
            let verified = try place.run("verify", "a.store")
            #expect(verified.code != 0 && verified.says("index rebuild"), "\(verified)")
            #expect(try place.run("index", "rebuild", "--write", "a.store", "items", "t").code == 0)
            #expect(try place.run("search", "a.store", "items", "fog", "--ids").lines == ["1"])
        }
    }
}
