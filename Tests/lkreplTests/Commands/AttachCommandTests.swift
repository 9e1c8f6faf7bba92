import DocIndex
import Foundation
import TestSupport
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Attached files` {
    /// Runs `body` in a place with the sample catalog and files of 1, 200,000 and 0 bytes.
    private static func with(_ body: (Workplace) throws -> Void) throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write("x", to: "small.txt")
            try place.write((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }, to: "large.bin")
            try place.write("", to: "empty.png")
            try body(place)
        }
    }

    private static let id = "2019-07-14-0031"

    private static func add(_ place: Workplace, _ path: String, _ files: String..., id: String = id) throws -> Outcome {
        try place.run(["attach", "add", "--write", "photos.store", "photos", id, path] + files)
    }

    private static func get(_ place: Workplace, _ arguments: String...) throws -> Outcome {
        try place.run(["attach", "get", "photos.store", "photos", id] + arguments)
    }

    @Test func `A file comes back byte for byte, alone and from a list`() throws {
        try Self.with { place in
            #expect(try Self.add(place, "original", "large.bin").says("1 file (200.0 kB) to \(Self.id)"))
            #expect(try Self.get(place).bytes == place.read("large.bin"))
            // The member of an object; the object is created.
            #expect(try Self.add(place, "more.scan", "empty.png").code == 0)
            #expect(try Self.get(place, "more.scan", "-o", "copy.png").code == 0)
            #expect(try place.read("copy.png") == [])
            #expect(try Self.get(place, "more.scan", "-o", "copy.png").code == 73)
            #expect(try Self.get(place).says("specify one of more.scan, original"))
            // A list, to which the same file is added once.
            #expect(try Self.add(place, "scans[]", "small.txt", "large.bin").code == 0)
            #expect(try Self.add(place, "scans[]", "large.bin").code == 0)
            let several = try Self.get(place, "scans[]")
            #expect(several.code == 64 && several.says("has 2 attached files at scans[]"), "\(several)")
            #expect(several.says("(small.txt)"), "\(several)")
            #expect(try Self.get(place, "scans[]", "--sha256", "2d711642").output == "x")
            // The document refers to them, and keeps its other members.
            let document = try place.run("doc", "get", "photos.store", "photos", Self.id)
            #expect(document.output.contains(#""type":"image/png","name":"empty.png""#), "\(document)")
            #expect(document.output.contains("\"title\""), "\(document)")
            let found = try place.run("find", "photos.store", "photos", "original.bytes = 200000", "--ids")
            #expect(found.output == Self.id + "\n", "\(found)")
        }
    }

    @Test func `A list names digest, size, type, name, references and place`() throws {
        try Self.with { place in
            #expect(try Self.add(place, "original", "large.bin").code == 0)
            #expect(try Self.add(place, "a", "large.bin", id: "scan-0001").code == 0)
            #expect(try Self.add(place, "b", "small.txt", id: "scan-0001").code == 0)
            let contents = try place.run("attach", "list", "photos.store")
            let expected = [
                #"{"sha256":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","bytes":1,"#
                    + #""type":"text/plain","name":"small.txt","references":1,"place":"database"}"#
            ]
            #expect(contents.lines.count == 2 && contents.lines.contains(expected[0]), "\(contents)")
            #expect(contents.output.contains(#""references":2,"place":"file""#), "\(contents)")
            let references = try place.run("attach", "list", "photos.store", "photos")
            #expect(references.lines.count == 3, "\(references)")
            let one = try place.run("attach", "list", "photos.store", "photos", "scan-0001")
            #expect(one.lines.count == 2 && one.lines[0].hasPrefix(#"{"id":"scan-0001","path":"a","#), "\(one)")
            // The same in the shell.
            let shell = try place.run("photos.store", "-q", "-c", "attach list photos scan-0001")
            #expect(shell.output == one.output, "\(shell)")
            if Installed.has("jq") {
                let sizes = try place.shell(
                    "lkrepl attach list photos.store --json | jq -c '[.[].bytes] | sort'; "
                        + "lkrepl attach list photos.store photos | "
                        + "jq -s '[.[] | select(.name == \"large.bin\")] | length'"
                )
                #expect(sizes.output == "[1,200000]\n2\n", "\(sizes)")
            }
        }
    }

    @Test func `A dry run attaches nothing`() throws {
        try Self.with { place in
            let before = try place.dump("photos.store")
            let outcome = try place.run(
                "attach", "add", "-n", "photos.store", "photos", Self.id, "original", "large.bin")
            #expect(outcome.code == 0 && outcome.says("would attach 1 file (200.0 kB)"), "\(outcome)")
            #expect(try place.dump("photos.store") == before && !place.has("photos.store/attachments"))
        }
    }

    @Test func `A file that cannot be attached is not stored`() throws {
        try Self.with { place in
            for (path, code) in [("title.x", 64), ("id", 64), ("title", 73), ("mark", 0)] as [(String, Int32)] {
                let outcome = try place.run(
                    "attach", "add", "--write", "photos.store", "photos", Self.id, path, "small.txt")
                #expect(outcome.code == code, "\(path): \(outcome)")
                #expect(try place.run("attach", "list", "photos.store").lines.count == (code == 0 ? 1 : 0), "\(path)")
            }
            #expect(try Self.add(place, "original", "large.bin", id: "nobody").code == 1)
            #expect(try place.run("attach", "list", "photos.store").lines.count == 1)
        }
    }

    @Test func `A value of a member is replaced by a file only on request`() throws {
        try Self.with { place in
            let values = #"{"id":"v","text":"Fog","list":["a",1],"number":5,"object":{"a":1},"none":null}"#
            try #require(try place.run("doc", "put", "--write", "photos.store", "photos", values).code == 0)
            try #require(try Self.add(place, "scans[]", "small.txt", "large.bin", id: "v").code == 0)
            try #require(try Self.add(place, "file", "small.txt", id: "v").code == 0)
            let before = try place.dump("photos.store")
            for (path, old) in [
                ("text", "a string"), ("list", "a list of 2"), ("number", "a number"), ("object", "an object"),
                ("scans", "scans[] appends to the list"), ("file", "the attached file small.txt with 1 B"),
            ] {
                for option in ["--write", "-n"] {
                    let outcome = try place.run(
                        "attach", "add", option, "photos.store", "photos", "v", path, "empty.png")
                    #expect(outcome.code == 73 && outcome.says(old) && outcome.says("--replace"), "\(path): \(outcome)")
                }
            }
            #expect(try place.dump("photos.store") == before)
            // The same file, and a member without a value.
            #expect(try Self.add(place, "file", "small.txt", id: "v").code == 0)
            #expect(try place.dump("photos.store") == before)
            #expect(try Self.add(place, "none", "small.txt", id: "v").code == 0)
            let replaced = try place.run(
                "attach", "add", "--write", "--replace", "photos.store", "photos", "v", "text", "empty.png")
            #expect(replaced.code == 0 && replaced.says("at text, instead of a string"), "\(replaced)")
            #expect(try place.run("attach", "get", "photos.store", "photos", "v", "text").output.isEmpty)
        }
    }

    @Test func `attach add counts files of the list, and refuses what is not a file`() throws {
        try Self.with { place in
            try #require(try Self.add(place, "s[]", "small.txt", "large.bin").code == 0)
            let again = try Self.add(place, "s[]", "small.txt", "large.bin", "empty.png")
            #expect(again.code == 0 && again.says("; 2 of them already in the list"), "\(again)")
            let directory = try Self.add(place, "x", ".")
            #expect(directory.code == 66 && directory.says("it is a directory"), "\(directory)")
            #expect(!directory.says("standard input"), "\(directory)")
            #if os(Linux)
                let special = try Self.add(place, "x", "/proc/version")
                #expect(special.code == 66 && special.says("reported size is 0 bytes"), "\(special)")
            #endif
            let unknown = try Self.get(place, "s[]", "--sha256", "zz")
            #expect(unknown.code == 1 && unknown.says("begins with zz") && unknown.says("(small.txt)"), "\(unknown)")
        }
    }

    @Test func `All attachments that cannot be read are listed, and the others dumped and exported`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            for (number, id) in [Self.id, "scan-0001", "2021-02-13-0016", "2010-07-18-0031"].enumerated() {
                try place.write([UInt8](repeating: UInt8(number), count: 100_000), to: "\(number).bin")
                try #require(try Self.add(place, "original", "\(number).bin", id: id).code == 0)
            }
            // One becomes a directory, one is damaged, one is lost; the fourth stays.
            let damaged = try place.shell(
                """
                cd photos.store/attachments
                file() { echo */$(sha256sum "../../$1.bin" | cut -c1-64); }
                a=$(file 0); b=$(file 1); c=$(file 2); chmod u+w "$b"
                rm -f "$a" "$c" && mkdir "$a" && printf x | dd "of=$b" bs=1 seek=70000 conv=notrunc 2> /dev/null
                """)
            try #require(damaged.code == 0, "\(damaged)")
            let found = try place.run("attach", "verify", "photos.store", "--full")
            #expect(found.code == 65 && found.lines.count == 3 && found.says("3 problems in 4 files"), "\(found)")
            let verified = try place.run("verify", "photos.store", "--full")
            #expect(verified.code == 65 && verified.says("attach restore --write"), "\(verified)")
            #expect(!verified.says("index rebuild"), "\(verified)")

            let stopped = try place.run("export", "photos.store", "photos", "--attachments", "out", "-o", "docs.jsonl")
            #expect(stopped.code != 0 && stopped.says("--on-error skip"), "\(stopped)")
            let exported = try place.run(
                "export", "photos.store", "photos", "--attachments", "out", "-o", "docs.jsonl", "--force", "--on-error",
                "skip")
            #expect(exported.code == 65 && exported.says("left out 3 files"), "\(exported)")
            #expect(try place.names(in: "out") == ["3.bin"] && exported.says("left out 0.bin"), "\(exported)")

            let beside = try place.run(
                "dump", "photos.store", "--attachments", "files", "-o", "beside.lkd", "--on-error", "skip")
            #expect(beside.code == 65 && beside.says("left out 3 files") && place.has("beside.lkd"), "\(beside)")
            let dumped = try place.run("dump", "photos.store", "-o", "whole.lkd", "--on-error", "skip")
            #expect(dumped.code == 65 && dumped.says("left out 3 files"), "\(dumped)")
            let loaded = try place.run("load", "--create", "copy.store", "whole.lkd", "--on-error", "skip")
            let counts = "inserted 298 replaced 0 attachments 1 skipped 0 rejected 3"
            #expect(loaded.code == 65 && loaded.says(counts), "\(loaded)")
            // With the files, nothing is lost.
            for number in 0..<3 { try #require(try place.shell("cp \(number).bin out").code == 0) }
            for dump in ["whole.lkd", "beside.lkd"] {
                let name = dump + ".store"
                let whole = try place.run(
                    "load", "--create", name, dump, "--on-error", "skip", "--attachments-from", "out")
                #expect(whole.code == 0, "\(whole)")
                #expect(try place.run("verify", name, "--full").says("4 files attached"))
            }
        }
    }

    @Test func `Files without a reference are deleted only on request, and after a time`() throws {
        try Self.with { place in
            #expect(try Self.add(place, "original", "large.bin").code == 0)
            #expect(try Self.add(place, "small", "small.txt").code == 0)
            #expect(try place.run("doc", "del", "--write", "photos.store", "photos", Self.id).code == 0)
            func run(_ arguments: String...) throws -> Outcome {
                try place.run(["attach", "gc", "photos.store"] + arguments)
            }
            #expect(try run("--write", "--yes").says("deleted 0 files (0 B); kept 2 unreferenced files"))
            #expect(try run("--dry-run", "--older", "0").says("would delete 2 files (200.0 kB)"))
            let refused = try run("--write", "--older", "0")
            #expect(refused.code == 77 && refused.says("delete 2 files (200.0 kB)"), "\(refused)")
            #expect(try place.run("attach", "list", "photos.store").lines.count == 2)
            #expect(try run("--write", "--yes", "--older", "0").says("deleted 2 files (200.0 kB)"))
            #expect(try place.run("attach", "list", "photos.store").lines.isEmpty)
        }
    }

    @Test func `A damaged file is found, never returned, and repaired by the same file`() throws {
        try Self.with { place in
            #expect(try Self.add(place, "original", "large.bin").code == 0)
            #expect(try place.run("attach", "verify", "photos.store", "--full").says("1 file (200.0 kB) match"))
            let damaged = try place.shell(
                "f=$(echo photos.store/attachments/??/*); chmod u+w $f; "
                    + "printf x | dd of=$f bs=1 seek=70000 conv=notrunc 2>/dev/null")
            #expect(damaged.code == 0, "\(damaged)")
            #expect(try place.run("attach", "verify", "photos.store").code == 0)
            for command in [["attach", "verify", "photos.store", "--full"], ["verify", "photos.store", "--full"]] {
                let found = try place.run(command)
                #expect(found.code == 65 && found.lines.count == 1, "\(found)")
            }
            let got = try Self.get(place, "-o", "copy.bin")
            #expect(got.code == 65 && !place.has("copy.bin"), "\(got)")
            let dumped = try place.run("dump", "photos.store", "-o", "whole.lkd")
            #expect(dumped.code == 65 && !place.has("whole.lkd") && dumped.says("--attachments none"), "\(dumped)")
            #expect(try Self.add(place, "other", "large.bin").code == 0)
            #expect(try place.run("verify", "photos.store", "--full").says("1 file attached (200.0 kB) agree"))
        }
    }

    @Test func `Lost and damaged files are restored from copies, whatever their names are`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let made = try place.shell("head -c 100000 /dev/urandom > one.bin; head -c 100000 /dev/urandom > two.bin")
            try #require(made.code == 0, "\(made)")
            #expect(try Self.add(place, "one", "one.bin").code == 0)
            #expect(try Self.add(place, "two", "two.bin").code == 0)
            let sound = try place.run("attach", "restore", "--write", "photos.store", ".")
            #expect(sound.code == 0 && sound.says("no attached file is missing or damaged"), "\(sound)")
            let before = try place.run("dump", "photos.store").output
            let harmed = try place.shell(
                """
                mkdir -p backup/deep && mv one.bin backup/deep/other && mv two.bin backup/again && ln -s again backup/link
                set -- $(find photos.store/attachments -type f -size +20k) && rm "$1" && chmod u+w "$2" &&
                printf x | dd "of=$2" bs=1 seek=70000 conv=notrunc 2> /dev/null
                """)
            try #require(harmed.code == 0, "\(harmed)")
            let dryRun = try place.run("attach", "restore", "-n", "photos.store", "backup")
            #expect(dryRun.code == 0 && dryRun.says("would store 2 of 2 files again"), "\(dryRun)")
            let half = try place.run("attach", "restore", "--write", "photos.store", "backup/deep")
            #expect(half.code == 65 && half.lines.count == 1 && half.says("stored 1 of 2 files again"), "\(half)")
            let whole = try place.run("attach", "restore", "--write", "photos.store", "nothing.bin", "backup")
            #expect(whole.code == 66, "\(whole)")
            let rest = try place.run("attach", "restore", "--write", "photos.store", "backup")
            #expect(rest.code == 0 && rest.says("stored 1 of 1 file again"), "\(rest)")
            #expect(try place.run("verify", "photos.store", "--full").code == 0)
            #expect(try place.run("dump", "photos.store").output == before)
        }
    }

    @Test func `A repair and a rebuild name the lost files, and exit with 65`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            try place.attachPicture()
            let dryRun = try place.run("repair", "--dry-run", "photos.store")
            #expect(dryRun.code == 0 && !dryRun.output.contains("attached files lost"), "\(dryRun)")
            let digest = try #require(try place.names(in: "photos.store/attachments").first { $0.utf8.count == 2 })
            let name = try #require(try place.names(in: "photos.store/attachments/\(digest)").first)
            try place.remove("photos.store/attachments/\(digest)/\(name)")
            let lost = try place.run("verify", "photos.store")
            #expect(lost.says("attach restore --write") && !lost.says("rebuild"), "\(lost)")
            for command in [
                ["repair", "--dry-run", "photos.store"],
                ["repair", "--write", "photos.store", "--confirm", "photos.store", "--rebuild"],
                ["index", "rebuild", "--write", "photos.store"],
            ] {
                let outcome = try place.run(command)
                #expect(outcome.code == 65 && outcome.output.contains(name), "\(outcome)")
                #expect(
                    outcome.says("1 attached file is lost") && outcome.says("attach restore --write"), "\(outcome)")
            }
            try place.attachPicture()
            let sound = try place.run("repair", "--write", "photos.store", "--confirm", "photos.store")
            #expect(sound.code == 0, "\(sound)")
            #expect(try place.run("verify", "photos.store", "--full").code == 0)
        }
    }

    @Test func `A patch of the members of an attachment is refused, even in a dry run`() throws {
        try Self.with { place in
            #expect(try Self.add(place, "original", "large.bin").code == 0)
            for option in ["--write", "-n"] {
                let outcome = try place.run(
                    "doc", "patch", option, "photos.store", "photos", Self.id, #"{"original":{"name":"other"}}"#)
                #expect(outcome.code != 0 && outcome.says("can be replaced only as a whole"), "\(outcome)")
            }
            let line = #"{"id":"\#(Self.id)","original":{"sha256":"0"}}"#
            let merged = try place.run(
                "import", "--write", "--mode", "merge", "photos.store", "photos", "-", input: line + "\n")
            #expect(merged.code == 65 && merged.says("can be replaced only as a whole"), "\(merged)")
            #expect(try Self.get(place, "-o", "copy.bin").code == 0)
        }
    }

    @Test func `Other commands count attached files`() throws {
        try Self.with { place in
            #expect(try Self.add(place, "original", "large.bin").code == 0)
            #expect(try Self.add(place, "small", "small.txt").code == 0)
            #expect(try place.run("stats", "photos.store").output.contains(#"{"what":"attached files","value":2}"#))
            #expect(try place.run("describe", "photos.store").says("the store has 2 files attached (200.0 kB)"))
            #expect(try place.run("snapshot", "photos.store", "copy.store").says("1 file attached"))
            #expect(try place.run("diff", "photos.store", "copy.store").code == 0)
            #expect(try place.run("attach", "verify", "copy.store", "--full").code == 0)
            #expect(
                try place.run(
                    "attach", "add", "--write", "--replace", "copy.store", "photos", Self.id, "original", "empty.png"
                ).code == 0)
            let different = try place.run("diff", "photos.store", "copy.store", "--keys")
            #expect(different.code == 1 && different.lines.count == 3, "\(different)")
            #expect(different.output.contains(#"{"op":"-","a":""#) && different.output.contains(#"{"op":"+","a":""#))
            let destroyed = try place.run("destroy", "--write", "copy.store", "--confirm", "copy.store")
            #expect(destroyed.code == 0 && !place.has("copy.store"), "\(destroyed)")
            let planned = try place.run("destroy", "-n", "photos.store")
            #expect(planned.says("and 1 file attached (200.0 kB)"), "\(planned)")
        }
    }

    @Test func `Exported files get safe names, and overwrite nothing`() throws {
        try Self.with { place in
            for (number, name) in ["../a/b", ".hidden", "same.txt", "SAME.txt", "tab\there", "{id}"].enumerated() {
                try place.write("content \(number)", to: "f")
                let added = try place.run(
                    "attach", "add", "--write", "photos.store", "photos", Self.id, "m\(number)", "f", "--name", name)
                #expect(added.code == 0, "\(added)")
            }
            try #require(try place.shell("mkdir out; echo other > out/same.txt").code == 0)
            for _ in 0..<2 {
                let exported = try place.run(
                    "export", "photos.store", "photos", "id = \"\(Self.id)\"", "--attachments", "out")
                #expect(exported.code == 0 && exported.says("6 attached files"), "\(exported)")
                #expect(exported.output.contains(#""$attachment""#))
                #expect(
                    try place.names(in: "out")
                        == [
                            "_a_b", "hidden", "same-2.txt", "SAME.txt", "same.txt", "tab_here", "{id}",
                        ].sorted())
            }
            #expect(try place.read("out/same.txt") == Array("other\n".utf8))
            #expect(try place.read("out/SAME.txt") == Array("content 3".utf8))
            let named = try place.run(
                "export", "photos.store", "photos", "id = \"\(Self.id)\"", "--attachments", "named", "--name-pattern",
                "{id}/{stem}.{ext}")
            #expect(named.code == 0, "\(named)")
            #expect(try place.names(in: "named").contains("\(Self.id)_same.txt"))
        }
    }
}
