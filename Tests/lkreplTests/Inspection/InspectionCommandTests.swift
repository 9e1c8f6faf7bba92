import Foundation
import LevelKit
import Testing

@testable import lkrepl

/// Commands that inspect files, and what they report about foreign and broken databases.
@Suite(.waitsForPrograms) struct `File inspection` {
    /// Creates a database with two tables and a log: `k` was put twice and deleted, `other` put once.
    private func make(_ place: Workplace) throws {
        var options = DatabaseOptions()
        options.bloomFilterBitsPerKey = 10
        let path = place.path + "/app.db"
        var database = try Database.open(at: path, options: options)
        try database.put("one", forKey: "k")
        try database.put("o", forKey: "other")
        try database.close()
        // Opening converts the log to a table.
        database = try Database.open(at: path, options: options)
        try database.put("two", forKey: "k")
        try database.close()
        database = try Database.open(at: path, options: options)
        try database.delete("k")
        try database.close()
    }

    /// Returns the files, except the two info logs.
    private func fingerprint(_ place: Workplace, _ directory: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try place.names(in: directory) { files[name] = try place.read("\(directory)/\(name)") }
        return files
    }

    @Test func `versions shows overwritten and deleted values, and changes no byte`() throws {
        try Workplace.with { place in
            try make(place)
            let before = try fingerprint(place, "app.db")
            let versions = try place.run("versions", "app.db", "k")
            #expect(versions.code == 0, "\(versions)")
            #expect(versions.lines.count == 3)
            #expect(versions.lines.first?.contains("\"seq\":4,\"op\":\"del\"") == true, "\(versions)")
            #expect(versions.lines.first?.contains("\"current\":true") == true, "\(versions)")
            #expect(versions.lines[1].contains("\"v\":\"two\"") && versions.lines[1].contains("\"current\":false"))
            #expect(versions.lines[2].contains("\"v\":\"one\"") && versions.lines[2].contains(".ldb"))
            #expect(try place.run("versions", "app.db", "none").code == 1)

            let tables = try place.run("sst", "app.db")
            #expect(tables.lines.count == 2 && tables.output.contains("\"use\":\"live\""), "\(tables)")
            let names = try place.names(in: "app.db").filter { $0.hasSuffix(".ldb") }
            let keys = try place.run("sst", "app.db", names[0], "--keys")
            #expect(
                keys.lines == [
                    "{\"k\":\"k\",\"seq\":1,\"op\":\"put\",\"v\":\"one\"}",
                    "{\"k\":\"other\",\"seq\":2,\"op\":\"put\",\"v\":\"o\"}",
                ], "\(keys)")
            let number = String(names[0].prefix { $0 != "." })
            #expect(try place.run("sst", "app.db", number, "--keys").output == keys.output)
            #expect(try place.run("sst", "app.db/" + names[0], "--keys").output == keys.output)
            #expect(try place.run("sst", "app.db", names[0]).output.contains("\"entries\":2,\"deletions\":0"))
            #expect(
                try place.run("sst", "app.db", names[0], "--blocks").output.contains("\"entries\":2,\"first\":\"k\""))
            #expect(try place.run("sst", "app.db", "999").code == 66)

            let logs = try place.run("wal", "app.db")
            #expect(logs.lines.count == 1 && logs.output.contains("\"operations\":1"), "\(logs)")
            let log = try #require(try place.names(in: "app.db").first { $0.hasSuffix(".log") })
            #expect(
                try place.run("wal", "app.db", log).output.hasPrefix(
                    "{\"k\":\"k\",\"seq\":4,\"op\":\"del\",\"batch\":4"))
            let manifest = try place.run("manifest", "app.db")
            #expect(manifest.output.contains("leveldb.BytewiseComparator"), "\(manifest)")
            #expect(try place.run("manifest", "app.db", "--edits").output.contains("\"added\":[\"0:"))
            #expect(try place.run("levels", "app.db").output.contains("\"tables\":"))
            #expect(try fingerprint(place, "app.db") == before)
        }
    }

    @Test func `verify names the damaged file and offset, and exits with 65`() throws {
        try Workplace.with(isVerified: false) { place in
            try make(place)
            let sound = try place.run("verify", "app.db", "--deep")
            #expect(sound.code == 0 && sound.error.contains("are sound"), "\(sound)")
            let names = try place.names(in: "app.db").filter { $0.hasSuffix(".ldb") }
            var bytes = try place.read("app.db/" + names[0])
            bytes[3] ^= 1
            try place.write(bytes, to: "app.db/" + names[0])
            let found = try place.run("verify", "app.db", "--deep", "--json")
            #expect(found.code == 65, "\(found)")
            #expect(found.output.contains("\"file\":\"\(names[0])\",\"byte\":0"), "\(found)")
            #expect(found.output.hasPrefix("["))
            // Also without --deep, by reading through LevelDB.
            #expect(try place.run("verify", "app.db").code == 65)
            #expect(try place.run("sst", "app.db", names[0], "--keys").code == 65)
            let versions = try place.run("versions", "app.db", "k")
            #expect(
                versions.code == 65 && versions.lines.count == 2 && versions.error.contains(names[0]), "\(versions)")
            let dryRun = try place.run("repair", "app.db", "--dry-run")
            #expect(dryRun.output.contains("bytes left out"), "\(dryRun)")
            try place.remove("app.db/" + names[0])
            let missing = try place.run("verify", "app.db")
            #expect(missing.code == 65 && missing.output.contains("\"finding\":\"lostTables\""), "\(missing)")
        }
    }

    @Test func `Inspection identifies a foreign or broken database, with a remedy`() throws {
        try Workplace.with(isVerified: false) { place in
            try make(place)
            let manifest = try #require(try place.names(in: "app.db").first { $0.hasPrefix("MANIFEST") })
            let current = try place.read("app.db/CURRENT")
            let content = try place.read("app.db/" + manifest)
            func expect(_ texts: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
                for arguments in [["count", "app.db"], ["verify", "app.db"], ["app.db", "-c", "count"]] {
                    let outcome = try place.run(arguments)
                    #expect(outcome.code == 65, "\(arguments): \(outcome)", sourceLocation: sourceLocation)
                    for text in texts {
                        #expect(
                            (outcome.error + outcome.output).contains(text), "\(text): \(outcome)",
                            sourceLocation: sourceLocation)
                    }
                }
            }
            try place.remove("app.db/CURRENT")
            try expect("CURRENT", "is missing", manifest, "repair")
            try place.write(current, to: "app.db/CURRENT")
            try place.remove("app.db/" + manifest)
            try expect("CURRENT names \(manifest)", "backup")
            try place.write(content, to: "app.db/" + manifest)
            #expect(try place.run("count", "app.db").output == "1\n")

            var options = DatabaseOptions()
            options.bloomFilterBitsPerKey = 0
            options.order = .custom("idb_cmp1") { left, right in
                let (left, right) = (left.copied(), right.copied())
                return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
            }
            try place.remove("app.db")
            let chrome = try Database.open(at: place.path + "/app.db", options: options)
            try chrome.put("v", forKey: "k")
            try chrome.close()
            try expect("IndexedDB of Chrome", "sst, wal, manifest and versions")
            #expect(try place.run("versions", "app.db", "k").lines.count == 1)
            let directory = try place.run("count", "none.db")
            #expect(directory.code == 66, "\(directory)")
            let empty = try place.shell("mkdir empty; lkrepl sst empty; echo $?")
            #expect(empty.output == "66\n", "\(empty)")
        }
    }
}
