import DocIndex
import Foundation
import StorePackages
import TestSupport
import Testing

@testable import lkrepl

/// Dumps of stores with attached files.
@Suite(.waitsForPrograms) struct `Dumps with attached files` {
    /// Runs `body` in a place with `items.store`: files of several sizes, one with two references, one in two
    /// collections, and one without a reference.
    ///
    /// - Parameter part: the size of one file; the largest has a little more than twice this size.
    private static func with(
        isVerified: Bool = true, part: Int = 100_000, _ body: (Workplace) throws -> Void
    ) throws {
        try Workplace.with(isVerified: isVerified) { place in
            try place.write(#"{"collections": {"items": {}, "others": {}}}"#, to: "schema.json")
            try #require(try place.run("init", "items.store", "--schema", "schema.json").code == 0)
            for (name, count) in [("a", 0), ("b", 1), ("c", 40_000), ("d", part), ("e", 2 * part + 7)] {
                try place.write((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }, to: name)
            }
            let made = try place.shell(
                """
                for id in 1 2; do lkrepl doc put -q --write items.store items '{"id":"'$id'"}' &&
                lkrepl doc put -q --write items.store others '{"id":"'$id'"}' || exit; done
                add() { lkrepl attach add -q --write items.store "$@"; }
                add items 1 'l[]' b c e && add items 2 x a && add items 2 y c && add others 1 x c && add others 2 z d
                """)
            try #require(made.code == 0, "\(made)")
            try body(place)
        }
    }

    private static func records(_ bytes: [UInt8]) -> [[UInt8]] { bytes.split(separator: 0x0a).map { Array($0) } }

    /// Runs `body` in a place whose largest file has several short parts, which are read often, and with its dump.
    private static func withShortParts(_ body: (Workplace, [UInt8]) throws -> Void) throws {
        try with(part: 65_000) { place in
            let dumped = try place.run("dump", "items.store", "-q", "--max-line", "80K")
            try #require(dumped.code == 0, "\(dumped)")
            try body(place, dumped.bytes)
        }
    }

    @Test func `A loaded dump has the same documents and files, and the same dump`() throws {
        try Self.with(part: DumpRecord.partByteCount) { place in
            let dump = try place.dump("items.store")
            let lines = Self.records(dump)
            #expect(lines[0].starts(with: Array(#"{"lkdump":2,"#.utf8)))
            let parts = lines.filter { $0.starts(with: Array(#"{"a":""#.utf8)) }
            // One part each for four files, and three for the largest. None is larger than a line may be.
            #expect(parts.count == 7 && lines.allSatisfy { $0.count < DumpRecord.maximumLineByteCount })
            let loaded = try place.run(["load", "--create", "copy.store", "-"], input: dump)
            #expect(loaded.code == 0 && loaded.says("inserted 4 replaced 0 attachments 5"), "\(loaded)")
            #expect(try place.dump("copy.store") == dump)
            #expect(try place.run("diff", "items.store", "copy.store").code == 0)
            #expect(try place.run("verify", "copy.store", "--full").code == 0)
            // Into an existing store, which has some of the files; loaded twice.
            try #require(try place.run("init", "old.store", "--schema", "schema.json").code == 0)
            for _ in 0..<2 {
                let outcome = try place.shell("lkrepl dump -q items.store | lkrepl load --write old.store -")
                #expect(outcome.code == 0, "\(outcome)")
                #expect(try place.dump("old.store") == dump)
            }
            // Short lines need more parts, and give the same store.
            let short = try place.shell(
                "lkrepl dump -q items.store --max-line 100K | lkrepl load --create short.store - --max-line 100K")
            #expect(short.code == 0, "\(short)")
            #expect(try place.dump("short.store") == dump)
            // All or nothing.
            let replaced = try place.shell(
                "lkrepl dump -q items.store > whole.lkd; lkrepl load --write --yes --mode replace old.store whole.lkd")
            #expect(replaced.code == 0, "\(replaced)")
            #expect(try place.dump("old.store") == dump)
            #expect(try place.run("attach", "verify", "old.store", "--full").code == 0)
            // A dry run stores nothing.
            #expect(try place.run("load", "-n", "old.store", "whole.lkd").says("would have read 4"))
        }
    }

    @Test func `Documents without attached files have a dump of version 1`() throws {
        try Self.with { place in
            for arguments in [["--only", "items"], ["--since", "0"], []] {
                let dump = try place.run(["dump", "-q", "items.store"] + arguments)
                #expect(dump.output.hasPrefix(#"{"lkdump":2,"#), "\(arguments)")
            }
            let removed = try place.run(
                "update", "--write", "--yes", "items.store", "items", "--all-documents", "--set",
                "REMOVE l, REMOVE x, REMOVE y")
            #expect(removed.code == 0, "\(removed)")
            let part = try place.run("dump", "items.store", "--only", "items")
            #expect(part.output.hasPrefix(#"{"lkdump":1,"kind":"docs","tool":"lkrepl","order""#), "\(part)")
            #expect(!part.output.contains("attachments"), "\(part)")
            // The files of other collections count.
            let whole = try place.run("dump", "items.store")
            #expect(whole.says("left out 3 attached files that no document refers to"), "\(whole.error)")
            #expect(whole.output.contains(#""count":2,"bytes":140000}"#))
        }
    }

    @Test func `A dump with a lost, repeated, moved or changed part is rejected`() throws {
        try Self.withShortParts { place, dump in
            let lines = Self.records(dump)
            let parts = lines.indices.filter { lines[$0].starts(with: Array(#"{"a":""#.utf8)) }
            func check(_ what: String, _ changed: [[UInt8]]) throws {
                let text = Array(changed.joined(separator: [0x0a])) + [0x0a]
                let outcome = try place.run(["load", "--create", "bad.store", "-"], input: text)
                #expect(outcome.code == 65 && !place.has("bad.store"), "\(what): \(outcome)")
            }
            // Two of the files have two and three parts.
            #expect(parts.count == 8)
            for index in parts {
                var changed = lines
                changed.remove(at: index)
                try check("without line \(index)", changed)
                changed = lines
                changed.insert(lines[index], at: index)
                try check("twice line \(index)", changed)
                changed = lines
                changed.swapAt(index, index + 1)
                try check("swapped line \(index)", changed)
                for place in [6, 75, 85, lines[index].count - 4] where place > 0 {
                    changed = lines
                    // Another digit of the digest, the sizes or the content.
                    let old = changed[index][place]
                    changed[index][place] = old == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
                    try check("line \(index), byte \(place)", changed)
                }
                try check("cut after line \(index)", Array(lines[...index]))
            }
        }
    }

    @Test func `A store with unreferenced files and its copy have the same dump`() throws {
        try Self.with { place in
            let removed = try place.run(
                "update", "--write", "--yes", "items.store", "items", "--all-documents", "--set", "REMOVE l")
            #expect(removed.code == 0, "\(removed)")
            let dump = try place.run("dump", "items.store")
            #expect(dump.code == 0 && dump.says("left out 2 attached files"), "\(dump.error)")
            let loaded = try place.run(["load", "--create", "copy.store", "-"], input: dump.bytes)
            #expect(loaded.code == 0, "\(loaded)")
            let copy = try place.run("dump", "copy.store")
            #expect(copy.bytes == dump.bytes && !copy.says("left out"), "\(copy.error)")
        }
    }

    @Test func `Loading some collections keeps no attached files of the others`() throws {
        try Self.with { place in
            try place.write(try place.dump("items.store"), to: "whole.lkd")
            // The file with two references is in the dump before a document of the collection that is skipped.
            for (only, count) in [("items", 4), ("others", 2)] {
                func check(_ name: String, _ outcome: Outcome) throws {
                    #expect(outcome.code == 0 && outcome.says("attachments \(count)"), "\(outcome)")
                    let listed = try place.run("attach", "list", name)
                    #expect(listed.lines.count == count, "\(listed)")
                    #expect(try place.run("dump", "-q", name, "--only", only).bytes.contains(0x62))
                }
                let created = "\(only)-new.store"
                try check(created, try place.run("load", "--create", created, "whole.lkd", "--only", only))
                try check(created, try place.run("load", "--write", created, "whole.lkd", "--only", only))
                for mode in ["upsert", "replace"] {
                    let name = "\(only)-\(mode).store"
                    try #require(try place.run("init", name, "--schema", "schema.json").code == 0)
                    try check(
                        name,
                        try place.run(
                            "load", "--write", "--yes", "--mode", mode, name, "whole.lkd", "--only", only))
                }
            }
        }
    }

    @Test func `An attachment that the store had before stays, though no loaded document refers to it`() throws {
        try Self.with { place in
            try place.write(try place.dump("items.store"), to: "whole.lkd")
            let removed = try place.run(
                "update", "--write", "--yes", "items.store", "others", "--all-documents", "--set", "REMOVE x, REMOVE z")
            #expect(removed.code == 0, "\(removed)")
            let loaded = try place.run("load", "--write", "items.store", "whole.lkd", "--only", "items")
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try place.run("attach", "list", "items.store").lines.count == 5)
        }
    }

    @Test func `A line with an attachment is read like the same JSON object`() throws {
        let bytes: [UInt8] = [1, 2, 3, 4]
        let digest = String(repeating: "0f", count: 32)
        let line = Array(#"{"a":"\#(digest)","bytes":4,"part":10,"parts":11,"b64":"\#(Base64.text(of: bytes))"}"#.utf8)
        #expect(ContentLine.parse(line.span)?.bytes == bytes)
        func parsed(_ line: [UInt8]) -> ContentPart? {
            guard let object = try? JSONParser(notation: .dump).parse(line).objectValue,
                case .content(let part)? = try? DumpRecord(object)
            else { return nil }
            return part
        }
        for position in line.indices {
            for byte in Array(" \"0129afg-=,:{}\\\u{1}".utf8) {
                var changed = line
                changed[position] = byte
                // A line in another form goes through the parser.
                guard let part = ContentLine.parse(changed.span) else { continue }
                let expected = parsed(changed)
                #expect(part.digest == expected?.digest && part.bytes == expected?.bytes, "\(position), \(byte)")
                #expect(
                    part.byteCount == expected?.byteCount && part.index == expected?.index
                        && part.count == expected?.count, "\(position), \(byte)")
            }
            #expect(ContentLine.parse(Array(line[..<position]).span) == nil)
        }
    }

    @Test func `A dump without attachments is completed by files from a directory or another store`() throws {
        try Self.with { place in
            let whole = try place.dump("items.store")
            #expect(try place.run("dump", "items.store", "--attachments", "files", "-o", "beside.lkd").code == 0)
            #expect(try place.run("dump", "items.store", "--attachments", "none", "-o", "without.lkd").code == 0)
            #expect(try String(decoding: place.read("without.lkd"), as: UTF8.self).contains(#""attachments":"none""#))
            for dump in ["beside.lkd", "without.lkd"] {
                for (number, origin) in ["files", "items.store"].enumerated() {
                    let name = "\(dump)-\(number).store"
                    let loaded = try place.run("load", "--create", name, dump, "--attachments-from", origin)
                    #expect(loaded.code == 0, "\(loaded)")
                    #expect(try place.dump(name) == whole)
                }
            }
            // Twice into one directory changes nothing; a wrong file there is never overwritten.
            #expect(try place.run("dump", "items.store", "-q", "--attachments", "files").code == 0)
            #expect(try place.shell("for f in files/??/*; do chmod u+w $f; printf y >> $f; done").code == 0)
            #expect(try place.run("dump", "items.store", "-q", "--attachments", "files").code == 73)
            let wrong = try place.run("load", "--create", "bad.store", "beside.lkd", "--attachments-from", "files")
            #expect(wrong.code == 65 && wrong.says("does not match its name"), "\(wrong)")
            #expect(!place.has("bad.store"))
        }
    }

    @Test func `A reference without bytes is a reject with its reason`() throws {
        try Self.with { place in
            #expect(try place.run("dump", "items.store", "--attachments", "none", "-o", "without.lkd").code == 0)
            let stopped = try place.run("load", "--create", "new.store", "without.lkd")
            #expect(stopped.code == 65 && stopped.says("neither in the input nor in the store"), "\(stopped)")
            try #require(try place.run("init", "new.store", "--schema", "schema.json").code == 0)
            let skipped = try place.run(
                "load", "--write", "new.store", "without.lkd", "--on-error", "skip", "--rejects", "rejects.jsonl")
            #expect(skipped.code == 65 && skipped.says("inserted 0 replaced 0 skipped 0 rejected 4"), "\(skipped)")
            // With the files, the rejects can be loaded.
            let again = try place.run(
                "load", "--write", "new.store", "rejects.jsonl", "--from-rejects", "--attachments-from", "items.store")
            #expect(again.code == 0, "\(again)")
            #expect(try place.dump("new.store") == place.dump("items.store"))
            // A document of other programs with an unknown digest.
            let line = #"{"id":"9","a":{"$attachment":{"sha256":"\#(String(repeating: "0", count: 64))","bytes":1}}}"#
            let imported = try place.run("import", "--write", "new.store", "items", "-", input: line + "\n")
            #expect(imported.code == 65 && imported.says("neither in the input nor in the store"), "\(imported)")
        }
    }

    @Test func `Raw keys are dumped only with the files outside the database`() throws {
        try Self.with(isVerified: false) { place in
            let refused = try place.run("dump", "items.store", "--raw")
            #expect(refused.code == 64 && refused.output.isEmpty, "\(refused)")
            #expect(refused.says("3 attached files outside the database") && refused.says("snapshot"), "\(refused)")
            #expect(try place.run("dump", "items.store", "--raw", "-q", "--attachments", "none").code == 0)
            let restored = try place.shell(
                """
                lkrepl dump -q items.store --raw --attachments files -o raw.lkd &&
                lkrepl load --create copy.store raw.lkd && cp -r files copy.store/attachments &&
                lkrepl verify copy.store --full && lkrepl diff items.store copy.store
                """)
            #expect(restored.code == 0, "\(restored)")
        }
    }

    @Test func `A load that skips errors rejects only the documents that refer to a damaged attachment`() throws {
        try Self.withShortParts { place, dump in
            let lines = Self.records(dump)
            let parts = lines.indices.filter { lines[$0].starts(with: Array(#"{"a":""#.utf8)) }
            let start = Array(#""b64":""#.utf8)
            for (number, index) in parts.enumerated() {
                let digest = String(decoding: lines[index][6..<70], as: UTF8.self)
                // The documents follow the parts.
                let rejected = lines.count { line in
                    line.starts(with: Array(#"{"c":"#.utf8)) && String(decoding: line, as: UTF8.self).contains(digest)
                }
                // The first byte of the content, or of the end of an empty one; a valid and an invalid one, and no
                // line.
                let text = lines[index]
                let place64 = try #require(text.indices.first { text[$0...].starts(with: start) }) + start.count
                let isEmpty = text[place64] == UInt8(ascii: "\"")
                for (what, byte) in [("changed", UInt8(ascii: "/")), ("invalid", UInt8(ascii: "!")), ("short", 0)] {
                    if what == "changed", isEmpty { continue }
                    var changed = lines
                    if what == "short" { changed[index] = Array(text[..<100]) } else { changed[index][place64] = byte }
                    let name = "\(number)-\(what)"
                    try place.write(Array(changed.joined(separator: [0x0a])) + [0x0a], to: "\(name).lkd")
                    let stopped = try place.run("load", "--create", "\(name).store", "\(name).lkd")
                    #expect(stopped.code == 65 && !place.has("\(name).store"), "\(name): \(stopped)")
                    let loaded = try place.run(
                        "load", "--create", "\(name).store", "\(name).lkd", "--on-error", "skip", "--rejects", "rejects"
                    )
                    #expect(
                        loaded.code == 65 && loaded.says("read 4 inserted \(4 - rejected) ")
                            && loaded.says("rejected \(rejected)") && loaded.says(digest), "\(name): \(loaded)")
                    let again = try place.run(
                        "load", "--write", "\(name).store", "rejects", "--from-rejects", "--attachments-from",
                        "items.store")
                    #expect(again.code == 0, "\(name): \(again)")
                    let same = try place.run("dump", "\(name).store", "-q", "--max-line", "80K")
                    #expect(same.bytes == dump, "\(name)")
                    try place.remove("\(name).store")
                }
            }
            // The hint of a load that stops.
            let stopped = try place.run("load", "--create", "new.store", "0-short.lkd")
            #expect(!stopped.says("--allow-incomplete"), "\(stopped)")
        }
    }

    @Test func `An import takes attached files from an export`() throws {
        try Self.with { place in
            try #require(try place.run("init", "new.store", "--schema", "schema.json").code == 0)
            for pattern in ["{name}", "{sha256}"] {
                let exported = try place.run(
                    "export", "items.store", "items", "--attachments", "out-\(pattern)", "--name-pattern", pattern,
                    "-o",
                    "items.jsonl", "--force")
                #expect(exported.code == 0, "\(exported)")
                let imported = try place.run(
                    "import", "--write", "new.store", "items", "items.jsonl", "--attachments-from", "out-\(pattern)")
                #expect(imported.code == 0, "\(imported)")
                #expect(
                    try place.run("dump", "-q", "new.store", "--only", "items").bytes
                        == place.run("dump", "-q", "items.store", "--only", "items").bytes)
            }
            let refused = try place.run(
                "import", "--write", "new.store", "items", "--photos", ".", "--attachments-from", "out")
            #expect(refused.code == 64, "\(refused)")
        }
    }

    @Test func `Files for a dump of raw keys are not ignored but refused with the command that copies them`() throws {
        try Self.with { place in
            let dumped = try place.run("dump", "items.store", "--raw", "--attachments", "files", "-o", "raw.lkd")
            #expect(dumped.code == 0, "\(dumped)")
            let refused = try place.run("load", "--create", "new.store", "raw.lkd", "--attachments-from", "files")
            #expect(refused.code == 64 && !place.has("new.store"), "\(refused)")
            #expect(refused.says("cp -r files/. new.store/attachments"), "\(refused)")
            let copied = try place.shell(
                "lkrepl load --create new.store raw.lkd && mkdir -p new.store/attachments && "
                    + "cp -r files/. new.store/attachments")
            #expect(copied.code == 0, "\(copied)")
            #expect(try place.run("verify", "new.store", "--full").code == 0)
        }
    }

    @Test func `A dump of a later version is refused with a clear message`() throws {
        let failure = #expect(throws: DumpError.self) {
            try DumpHeader(["lkdump": 4, "kind": "docs", "digest": .string(ContentDigest.name)])
        }
        #expect(failure?.reason == "the dump has version 4; this program reads versions up to 3")
    }
}
