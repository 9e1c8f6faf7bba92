import DocIndex
import Foundation
import LevelFiles
import LevelKit
import Testing

@testable import lkrepl

/// What `repair` and `verify` report about a damaged database, and whether the commands they suggest fix it.
@Suite(.waitsForPrograms) struct `Repairing a damaged database` {
    /// Fills a store `items.store` with 400 documents in one table.
    private func fill(_ place: Workplace) throws {
        try place.makeItems()
        let lines = (1...400).map { number in
            "{\"id\": \"item-\(number)\", \"n\": \(number), \"t\": \"word\(number) common\", \"x\": \"\(UUID())\"}"
        }
        try place.write(lines.joined(separator: "\n"), to: "items.jsonl")
        try #require(try place.run("import", "--write", "items.store", "items", "items.jsonl").code == 0)
        try #require(try place.run("compact", "--write", "--yes", "items.store").code == 0)
    }

    /// Changes a byte of a block whose keys all start with a byte.
    ///
    /// - Returns: The file and the offset of the block, and its first key in the notation of the shell.
    private func damageBlock(of kind: UInt8, _ place: Workplace, _ name: String) throws -> (
        file: String, offset: UInt64, key: String
    ) {
        for file in try place.names(in: name).filter({ $0.hasSuffix(".ldb") }) {
            let table = try Table(at: "\(place.path)/\(name)/\(file)")
            var last: UInt8 = 0
            for entry in try table.index() {
                let first = entry.separator.first ?? 0
                defer { last = first }
                guard last == kind, first == kind else { continue }
                var entries = try table.entries(at: entry.handle)
                try #require(try entries.next())
                // Eight bytes follow the key.
                let key = "0x" + entries.key.dropLast(8).map { String(format: "%02x", $0) }.joined()
                var bytes = try place.read("\(name)/\(file)")
                bytes[Int(entry.handle.offset) + 20] ^= 0x55
                try place.write(bytes, to: "\(name)/\(file)")
                return (file, entry.handle.offset, key)
            }
        }
        throw ChildProcess.Failure(what: "no block of \(kind)")
    }

    private func rows(_ outcome: Outcome) throws -> [DocumentObject] {
        try outcome.lines.map { try #require(try JSONParser().parse(Array($0.utf8)).objectValue) }
    }

    /// Runs the command that a hint names in quotation marks.
    private func runHint(of outcome: Outcome, _ place: Workplace, containing text: String) throws -> Outcome {
        let commands = outcome.error.split(separator: "\"").filter { $0.hasPrefix("lkrepl ") && $0.contains(text) }
        return try place.shell(String(try #require(commands.first, "\(outcome)")))
    }

    @Test func `A dry run of a repair names the database, and not its copy`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makeDatabase()
            try place.write("", to: "app.db/000000.log")
            let outcome = try place.run("repair", "--dry-run", "app.db")
            #expect(outcome.code == 65 && outcome.says("app.db/000000.log"), "\(outcome)")
            #expect(!outcome.says("scratch") && !outcome.says("before-repair"), "\(outcome)")
        }
    }

    @Test func `repair counts the lost documents, exits with 65, and its suggested rebuild fixes the rest`()
        throws
    {
        // The damaged backup remains next to the store.
        try Workplace.with(isVerified: false) { place in
            try fill(place)
            let (file, offset, key) = try damageBlock(of: 0x44, place, "items.store")
            for command in [
                ["verify", "items.store"], ["find", "items.store", "items"], ["scan", "items.store"],
                ["scan", "items.store", "--reverse"], ["count", "items.store", "--keys"], ["get", "items.store", key],
                ["items.store", "-c", "count --keys"], ["items.store", "-c", "get \(key)"],
            ] {
                let outcome = try place.run(command)
                #expect(outcome.code == 65 && outcome.error.contains("\(file), byte \(offset)"), "\(outcome)")
            }
            let dryRun = try place.run("repair", "--dry-run", "items.store")
            #expect(dryRun.code == 65 && dryRun.error.contains("documents of items are lost"), "\(dryRun)")
            let repaired = try runHint(
                of: try place.run("verify", "items.store"), place, containing: "repair --write")
            #expect(repaired.code == 65, "\(repaired)")
            let rows = try rows(repaired)
            let place1 = try #require(rows.first { $0["what"] == "lost" }, "\(repaired)")
            #expect(place1["file"]?.stringValue == file && place1["byte"]?.intValue == Int64(offset), "\(place1)")
            #expect(place1["from"]?.stringValue?.hasPrefix("\"D") == true, "\(place1)")
            let items = try #require(rows.first { $0["collection"] == "items" }, "\(repaired)")
            let lost = try #require(items["lost"]?.intValue)
            #expect(lost > 0 && items["complete"] == true && items["value"] == .int(400 - lost), "\(items)")
            let omitted = try #require(rows.first { $0["what"] == "bytes left out" }, "\(repaired)")
            let omittedByteCount = try #require(omitted["value"]?.intValue, "\(omitted)")
            #expect(omittedByteCount > 0)
            // Until it is rebuilt, the store reports what is missing.
            let verified = try place.run("verify", "items.store")
            #expect(verified.code == 65 && verified.error.contains("restore a backup"), "\(verified)")
            #expect(try runHint(of: repaired, place, containing: "index rebuild").code == 0)
            #expect(try place.run("verify", "items.store", "--deep").code == 0)
            #expect(try place.run("find", "items.store", "items", "--count").output == "\(400 - lost)\n")
        }
    }

    @Test func `repair --rebuild fixes a store with damaged indexes only, and exits with 0`() throws {
        try Workplace.with(isVerified: false) { place in
            try fill(place)
            _ = try damageBlock(of: 0x58, place, "items.store")
            let repaired = try place.run("repair", "--write", "items.store", "--confirm", "items.store", "--rebuild")
            #expect(repaired.code == 0 && repaired.error.contains("no document was lost"), "\(repaired)")
            #expect(try place.run("verify", "items.store", "--deep").code == 0)
            #expect(try place.run("find", "items.store", "items", "--count").output == "400\n")
        }
    }

    @Test func `repair of a plain database exits with 65 if a block is lost, and with 0 otherwise`() throws {
        try Workplace.with(isVerified: false) { place in
            let database = try Database.open(at: place.path + "/app.db")
            for number in 0..<2_000 { try database.put("\(UUID())", forKey: "key/\(number)") }
            try database.compact()
            try database.close()
            let sound = try place.run("repair", "--write", "app.db", "--confirm", "app.db")
            #expect(sound.code == 0, "\(sound)")
            let (file, offset, key) = try damageBlock(of: UInt8(ascii: "k"), place, "app.db")
            for command in [["count", "app.db"], ["count", "app.db", "--prefix", "key/"], ["get", "app.db", key]] {
                let outcome = try place.run(command)
                #expect(outcome.code == 65 && outcome.error.contains("\(file), byte \(offset)"), "\(outcome)")
                #expect(outcome.output == "", "\(outcome)")
            }
            let repaired = try place.run("repair", "--write", "app.db", "--confirm", "app.db")
            #expect(
                repaired.code == 65 && repaired.error.contains("1 unreadable place held at least 1 entry"),
                "\(repaired)")
            let left = try place.run("count", "app.db")
            #expect(left.code == 0 && left.output != "2000\n", "\(left)")
        }
    }

    @Test func `verify suggests a rebuild if the documents are intact`() throws {
        try Workplace.with { place in
            try fill(place)
            let database = try Database.open(at: place.path + "/items.store")
            var cursor = try database.cursor(in: .prefix([0x56]))
            try #require(try cursor.advance())
            let key = cursor.key.copied()
            _ = consume cursor
            try database.delete(key)
            try database.close()
            let found = try place.run("verify", "items.store")
            #expect(found.code == 65 && found.error.contains("the documents are whole"), "\(found)")
            #expect(!found.error.contains("backup") && !found.error.contains("dump"), "\(found)")
            let rebuilt = try runHint(of: found, place, containing: "index rebuild")
            #expect(rebuilt.code == 0, "\(rebuilt)")
        }
    }

    /// LevelDB's own repair leaves such a database: with all tables in level 0, those with higher numbers count as newer.
    @Test func `verify suggests a compaction if old versions are above newer ones`() throws {
        try Workplace.with(isVerified: false) { place in
            let path = place.path + "/app.db"
            let database = try Database.open(at: path)
            for letter in "abcdefghijklmnopqrstuvwxyz" { try database.put("old", forKey: String(letter)) }
            try database.compact()
            for (key, value) in [("k", "older"), ("k", "new"), ("a", "new")] {
                try database.put(value, forKey: key, durability: .flushed)
            }
            try database.compact(in: .range(from: Array("a".utf8), to: Array("b".utf8)))
            try database.close()
            let manifest = path + "/" + (try Manifest(ofDatabaseAt: path).name)
            var edit = VersionEdit(try ManifestFile(at: manifest).version)
            edit.newTables = edit.newTables.map {
                .init(
                    level: 0, number: $0.number, byteCount: $0.byteCount, smallest: $0.smallest, largest: $0.largest)
            }
            var writer = RecordWriter()
            writer.append(edit.encoded)
            try Data(writer.bytes).write(to: URL(filePath: manifest))
            try place.copy("app.db", to: "deep.db")
            for (name, options) in [("app.db", []), ("deep.db", ["--deep"])] {
                #expect(try place.run("get", name, "k").output == "older\n")
                let arguments = ["verify", name] + options
                let found = try place.run(arguments)
                #expect(found.code == 65 && !found.error.contains("backup"), "\(found)")
                let compacted = try runHint(of: found, place, containing: "compact")
                #expect(compacted.code == 0, "\(compacted)")
                #expect(try place.run("get", name, "k").output == "new\n")
                #expect(try place.run(arguments).code == 0)
            }
        }
    }

    @Test func `index rebuild accepts a collection alone, and a store alone`() throws {
        try Workplace.with { place in
            try fill(place)
            let collection = try place.run("index", "rebuild", "--write", "items.store", "items")
            #expect(collection.code == 0 && collection.error.contains("of items is complete"), "\(collection)")
            let store = try place.run("index", "rebuild", "--write", "items.store")
            #expect(store.code == 0 && store.error.contains("400 documents were read"), "\(store)")
            #expect(try place.run("index", "rebuild", "items.store").code == 77)
        }
    }

    @Test func `verify --deep reports how many problems exist beyond those it lists`() throws {
        try Workplace.with(isVerified: false) { place in
            let database = try Database.open(at: place.path + "/app.db")
            var random = SystemRandomNumberGenerator()
            for number in 0..<1_100 {
                let value = (0..<4_200).map { _ in UInt8.random(in: 0...255, using: &random) }
                try database.put(value, forKey: Array("k\(number)".utf8))
            }
            try database.compact()
            try database.close()
            for file in try place.names(in: "app.db").filter({ $0.hasSuffix(".ldb") }) {
                var bytes = try place.read("app.db/" + file)
                for entry in try Table(at: "\(place.path)/app.db/\(file)").index() {
                    bytes[Int(entry.handle.offset) + 9] ^= 1
                }
                try place.write(bytes, to: "app.db/" + file)
            }
            let found = try place.run("verify", "--deep", "app.db")
            #expect(found.code == 65 && found.lines.count == 1_000, "\(found)")
            #expect(found.error.contains("1,000 problems are listed; 1,1"), "\(found)")
        }
    }

    @Test(arguments: ["MANIFEST", ".log", ".ldb"])
    func `A repair after the loss of a file exits with 65, and does not say that nothing was left out`(kind: String)
        throws
    {
        try Workplace.with(isVerified: false) { place in
            try fill(place)
            try #require(try place.run("doc", "put", "--write", "items.store", "items", #"{"id":"last"}"#).code == 0)
            let name = try #require(try place.names(in: "items.store").first { $0.contains(kind) })
            try FileManager.default.removeItem(atPath: place.path + "/items.store/" + name)
            let repaired = try place.run("repair", "--write", "items.store", "--confirm", "items.store")
            #expect(repaired.code == 65, "\(repaired)")
            let rows = try rows(repaired)
            #expect(rows.contains { $0["what"] == "lost" }, "\(repaired)")
            let omitted = try #require(rows.first { $0["what"] == "bytes left out" }, "\(repaired)")
            #expect(omitted["value"] != .int(0), "\(repaired)")
        }
    }
}
