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
}
