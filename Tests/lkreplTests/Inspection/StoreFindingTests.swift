import DocIndex
import LevelKit
import Testing

@testable import lkrepl

/// What `verify` reports about a damaged document store.
@Suite(.waitsForPrograms) struct `Damaged document store` {
    /// Changes keys in the database of a closed store.
    private func damage(_ place: Workplace, _ body: (Database) throws -> Void) throws {
        let database = try Database.open(at: place.path + "/items.store")
        try body(database)
        try database.close()
    }

    private func fill(_ place: Workplace) throws {
        try place.makeItems()
        let lines = (1...20).map { "{\"id\": \"item-\($0)\", \"n\": \($0), \"t\": \"word\($0) common\"}" }
        try place.write(lines.joined(separator: "\n"), to: "items.jsonl")
        let imported = try place.run("import", "--write", "items.store", "items", "items.jsonl")
        try #require(imported.code == 0, "\(imported)")
    }

    private func rows(_ outcome: Outcome) throws -> [DocumentObject] {
        try outcome.lines.map { try #require(try JSONParser().parse(Array($0.utf8)).objectValue) }
    }

    /// Returns the first key that starts with a byte.
    private func firstKey(_ kind: UInt8, in database: Database) throws -> [UInt8] {
        var cursor = try database.cursor(in: .prefix([kind]))
        try #require(try cursor.advance())
        return cursor.key.copied()
    }

    @Test func `verify lists the first hundred problems, and all of them with --all`() throws {
        try Workplace.with(isVerified: false) { place in
            try fill(place)
            try damage(place) { database in
                let key = try firstKey(0x56, in: database)
                for number in 0..<130 { try database.put([], forKey: key + [UInt8(number)]) }
            }
            let first = try place.run("verify", "items.store")
            #expect(first.code == 65 && first.lines.count == 100, "\(first)")
            #expect(first.says("100 problems are listed; 130 were found; --all lists them"), "\(first)")
            let all = try place.run("verify", "--all", "items.store")
            #expect(all.code == 65 && all.lines.count == 130 && !all.says("are listed"), "\(all)")
            #expect(all.lines.starts(with: first.lines))
        }
    }

    @Test func `verify reports store damage by collection, index, document, row and key`() throws {
        try Workplace.with(isVerified: false) { place in
            try fill(place)
            var gone: [UInt8] = []
            var extra: [UInt8] = []
            try damage(place) { database in
                gone = try firstKey(0x56, in: database)
                extra = gone.dropLast() + [99]
                try database.delete(gone)
                try database.put([], forKey: extra)
            }
            for command in [["verify", "items.store"], ["index", "check", "items.store", "items", "n"]] {
                let found = try place.run(command)
                #expect(found.code == 65, "\(found)")
                let rows = try rows(found)
                let missing = try #require(rows.first { $0["id"] != nil }, "\(found)")
                #expect(missing["collection"] == "items" && missing["index"] == "n" && missing["id"] == "item-1")
                #expect(missing["row"] == 1 && missing["key"]?.stringValue == ByteNotation.print(gone), "\(missing)")
                let surplus = try #require(rows.first { $0["id"] == nil }, "\(found)")
                #expect(surplus["index"] == "n")
                #expect(surplus["problem"]?.stringValue?.contains("belongs to no document") == true)
                // The printed key, typed as an argument, finds the key.
                let key = try #require(surplus["key"]?.stringValue)
                #expect(try ByteNotation.parse(key) == extra)
                #expect(try place.run("get", "items.store", key).code == 0)
                #expect(try place.run("get", "items.store", try #require(missing["key"]?.stringValue)).code == 1)

                let table = try place.run(command + ["--mode", "table"], environment: ["COLUMNS": "400"])
                #expect(table.code == 65 && table.output.contains(key) && table.output.contains("item-1"), "\(table)")
                #expect(table.output.contains("items.n = 1"), "\(table)")
            }
            // Another index of the collection is undamaged.
            let other = try place.run("index", "check", "items.store", "items", "k")
            #expect(other.code == 0, "\(other)")
        }
    }

    @Test func `verify names a document that is unreadable`() throws {
        try Workplace.with(isVerified: false) { place in
            try fill(place)
            var body: [UInt8] = []
            try damage(place) { database in
                body = try firstKey(0x44, in: database)
                try database.put([0xff], forKey: body)
            }
            let found = try place.run("verify", "items.store")
            #expect(found.code == 65, "\(found)")
            let rows = try rows(found)
            #expect(rows.contains { $0["row"] == 1 && $0["key"]?.stringValue == ByteNotation.print(body) }, "\(found)")
        }
    }

    @Test func `verify names a document whose words cannot be found`() throws {
        try Workplace.with(isVerified: false) { place in
            try fill(place)
            var slot: [UInt8] = []
            try damage(place) { database in
                // The last slot of a row in the text index.
                var cursor = try database.cursor(in: .prefix([0x58]), direction: .descending)
                while slot.isEmpty, try cursor.advance() {
                    let parts = try Tuple(packed: Array(cursor.key.copied().dropFirst()))
                    if parts.count == 3, case .int(7) = parts[1] { slot = cursor.key.copied() }
                }
                try #require(!slot.isEmpty)
                try database.delete(slot)
            }
            let found = try place.run("verify", "items.store")
            #expect(found.code == 65, "\(found)")
            let missing = try rows(found).first { $0["id"] != nil }
            #expect(missing?["index"] == "t" && missing?["id"] == "item-20" && missing?["row"] == 20, "\(found)")
            #expect(missing?["key"]?.stringValue == ByteNotation.print(slot), "\(found)")
        }
    }
}
