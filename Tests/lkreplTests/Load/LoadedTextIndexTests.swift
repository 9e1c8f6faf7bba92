import LevelKit
import Testing

@testable import DocIndex

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
