import Foundation
import Testing

@testable import lkrepl

/// Commands that read a plain database through LevelDB.
@Suite(.waitsForPrograms) struct `Reading a plain database` {
    /// Creates 300 pairs whose keys share prefixes.
    private func make(_ place: Workplace) throws -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        for number in 0..<300 {
            pairs.append(("user/\(100 + number)", String(repeating: "x", count: number % 40)))
        }
        pairs.append(("zoo", "last"))
        let sorted = pairs.map { (key: Array($0.key.utf8), value: Array($0.value.utf8)) }
        let outcome = try place.run(["load", "--create", "app.db", "-"], input: try rawDump(sorted))
        try #require(outcome.code == 0, "\(outcome)")
        return pairs
    }

    @Test func `raw0 and hexdump output contains the exact bytes of values`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let made = try place.run("app.db", "--write", "-c", "put a 1; put b 0x00ff0a; put c \"\"")
            #expect(made.code == 0, "\(made)")
            let values: [UInt8] = [0x31, 0, 0, 0xff, 0x0a, 0, 0]
            for command in ["values", "scan"] {
                #expect(try place.run(command, "app.db", "--mode", "raw0").bytes == values, "\(command)")
                let dumped = try place.run(command, "app.db", "--mode", "hexdump")
                #expect(dumped.output.contains("00 ff 0a"), "\(dumped)")
            }
            #expect(try place.run("keys", "app.db", "--mode", "raw0").output == "a\0b\0c\0")
        }
    }

    @Test func `scan, keys, values and count select the same pairs`() throws {
        try Workplace.with { place in
            let pairs = try make(place)
            let choices: [([String], (String) -> Bool)] = [
                ([], { _ in true }), (["--match", "user/1*"], { $0.hasPrefix("user/1") }),
                (["--match", "user/??[0-4]"], { $0.hasPrefix("user/") && "01234".contains($0.last!) }),
                (["--match", "user/*", "--invert"], { $0 == "zoo" }),
                (["--regex", "[13]5$"], { ["15", "35"].contains(String($0.suffix(2))) }),
                (["--regex", "^user/.*0$", "--invert"], { !($0.hasPrefix("user/") && $0.hasSuffix("0")) }),
                (["--prefix", "user/2", "--match", "*7"], { $0.hasPrefix("user/2") && $0.hasSuffix("7") }),
            ]
            for (arguments, isWanted) in choices {
                let wanted = pairs.filter { isWanted($0.key) }
                let keys = wanted.map { "{\"k\":\"\($0.key)\"}" }
                #expect(try place.run(["keys", "app.db"] + arguments).lines == keys, "\(arguments)")
                #expect(try place.run(["scan", "app.db", "--keys"] + arguments).lines == keys)
                #expect(try place.run(["keys", "app.db", "--reverse"] + arguments).lines == keys.reversed())
                let part = try place.run(["keys", "app.db", "--offset", "3", "--limit", "5"] + arguments)
                #expect(part.lines == Array(keys.dropFirst(3).prefix(5)), "\(arguments)")
                #expect(
                    try place.run(["values", "app.db"] + arguments).lines == wanted.map { "{\"v\":\"\($0.value)\"}" })
                #expect(
                    try place.run(["scan", "app.db"] + arguments).lines
                        == wanted.map { "{\"k\":\"\($0.key)\",\"v\":\"\($0.value)\"}" })
                #expect(try place.run(["count", "app.db"] + arguments).output == "\(wanted.count)\n")
                #expect(
                    try place.run(["keys", "app.db", "--sizes"] + arguments).lines
                        == wanted.map {
                            "{\"k\":\"\($0.key)\",\"keyBytes\":\($0.key.count),\"valueBytes\":\($0.value.count)}"
                        })
                #expect(
                    try place.run(["values", "app.db", "--sizes"] + arguments).lines
                        == wanted.map { "{\"valueBytes\":\($0.value.count)}" })
                let bytes = wanted.reduce(0) { $0 + $1.value.count }
                let sizes = try place.run(["count", "app.db", "--sizes"] + arguments)
                #expect(sizes.output.contains("\"valueBytes\":\(bytes)"), "\(sizes)")
            }
            #expect(try place.run("keys", "app.db", "--limit", "0").output == "")
            for arguments in [
                ["--limit", "-1"], ["--invert"], ["--match", "a", "--regex", "b"], ["--regex", "("], ["--match", "["],
            ] {
                let outcome = try place.run(["keys", "app.db"] + arguments)
                #expect(outcome.code == 64 && outcome.output == "", "\(arguments): \(outcome)")
            }
        }
    }

    @Test func `mget, first, last and seek find existing keys`() throws {
        try Workplace.with { place in
            _ = try make(place)
            let several = try place.run("mget", "app.db", "zoo", "user/101")
            #expect(
                several.code == 0
                    && several.lines == ["{\"k\":\"zoo\",\"v\":\"last\"}", "{\"k\":\"user/101\",\"v\":\"x\"}"])
            let piped = try place.run("mget", "app.db", "-", input: "zoo\n\n0x6e6f\n\"user/102\"\n")
            #expect(piped.code == 1 && piped.lines.count == 2, "\(piped)")
            let wrong = try place.run("mget", "app.db", "-", input: "zoo\n0x6\n")
            #expect(wrong.code == 65 && wrong.error.contains("standard input:2"), "\(wrong)")
            #expect(try place.run("first", "app.db").output == "{\"k\":\"user/100\",\"v\":\"\"}\n")
            #expect(try place.run("last", "app.db").output == "{\"k\":\"zoo\",\"v\":\"last\"}\n")
            #expect(try place.run("last", "app.db", "--prefix", "user/19").output.contains("user/199"))
            #expect(try place.run("first", "app.db", "--prefix", "none").code == 1)
            let seek = try place.run("seek", "app.db", "user/150", "--before", "2", "--after", "1")
            #expect(seek.lines.count == 4)
            #expect(seek.output.contains("{\"op\":\"=\",\"k\":\"user/150\""), "\(seek)")
            #expect(seek.lines.first?.contains("user/148") == true && seek.lines.last?.contains("user/151") == true)
            let between = try place.run("seek", "app.db", "user/1505", "--before", "1", "--after", "1")
            #expect(between.lines.count == 2 && !between.output.contains("\"op\":\"=\""), "\(between)")
        }
    }

    @Test func `bigkeys, approx-size, tree, levels, stats and properties report sizes`() throws {
        try Workplace.with { place in
            _ = try make(place)
            let big = try place.run("bigkeys", "app.db", "--top", "7")
            #expect(big.lines.count == 7 && big.lines.allSatisfy { $0.contains("\"valueBytes\":39") }, "\(big)")
            #expect(big.error.contains("#"))
            let histogram = try place.run("bigkeys", "app.db", "--histogram", "-q")
            #expect(histogram.lines.first?.hasPrefix("{\"from\":0,\"to\":0,\"keys\":8,") == true, "\(histogram)")
            #expect(try place.run("compact", "--write", "-y", "app.db").code == 0)
            let tree = try place.run("tree", "app.db", "--exact")
            #expect(tree.lines.count == 2 && tree.error.contains("levels end with /"), "\(tree)")
            #expect(tree.output.contains("\"prefix\":\"user/\"") && tree.output.contains("\"keys\":300"), "\(tree)")
            #expect(try place.run("tree", "app.db", "user/", "--limit", "10").error.contains("user/110"))
            #expect(try place.run("tree", "app.db", "--top", "1", "--exact").lines.count == 1)
            let deep = try place.run("tree", "app.db", "--depth", "2", "--delim", "/", "--mode", "table", "--all")
            #expect(deep.lines.count > 300, "\(deep)")
            let sizes = try place.run("approx-size", "app.db", "user/", "none/")
            #expect(sizes.lines.count == 2 && sizes.lines[1] == "{\"prefix\":\"none/\",\"bytes\":0}", "\(sizes)")
            #expect(try place.run("approx-size", "app.db").output != "{\"bytes\":0}\n")
            let levels = try place.run("levels", "app.db")
            #expect(levels.lines.count == 1 && levels.output.contains("\"largest\":\"zoo\""), "\(levels)")
            #expect(try place.run("levels", "app.db", "--tables").output.contains(".ldb"))
            let stats = try place.run("stats", "app.db")
            #expect(stats.output.contains("{\"what\":\"bytes in tables\",\"value\":"), "\(stats)")
            #expect(try place.run("properties", "app.db").output.contains("leveldb.stats"))
            #expect(try place.run("properties", "app.db", "leveldb.num-files-at-level0").output == "0\n")
            #expect(try place.run("properties", "app.db", "leveldb.none").code == 1)
        }
    }

    @Test func `digest and diff distinguish equal content from different content`() throws {
        try Workplace.with { place in
            _ = try make(place)
            let dumped = try place.shell("lkrepl dump -q app.db | lkrepl load -q --create copy.db -")
            #expect(dumped.code == 0, "\(dumped)")
            let digest = try place.run("digest", "app.db").output
            #expect(digest.contains("\"algorithm\":\"sha256-kv-1\"") && digest.contains("\"records\":301"), "\(digest)")
            #expect(try place.run("digest", "copy.db").output == digest)
            let same = try place.run("diff", "app.db", "copy.db")
            #expect(same.code == 0 && same.output == "", "\(same)")
            #expect(try place.run("diff", "app.db", "app.db").code == 0)
            #expect(try place.run("put", "--write", "copy.db", "user/200", "new").code == 0)
            #expect(try place.run("put", "--write", "copy.db", "a", "new").code == 0)
            #expect(try place.run("del", "--write", "copy.db", "zoo").code == 0)
            let other = try place.run("diff", "app.db", "copy.db")
            #expect(other.code == 1, "\(other)")
            #expect(
                other.lines == [
                    "{\"op\":\"+\",\"k\":\"a\",\"second\":\"new\"}",
                    "{\"op\":\"~\",\"k\":\"user/200\",\"first\":\"\(String(repeating: "x", count: 20))\",\"second\":\"new\"}",
                    "{\"op\":\"-\",\"k\":\"zoo\",\"first\":\"last\"}",
                ])
            #expect(other.error.contains("1 only in the first, 1 only in the second, 1 differ"))
            #expect(try place.run("diff", "app.db", "copy.db", "--prefix", "user/3").code == 0)
            #expect(try place.run("digest", "copy.db").output != digest)
            let range = try place.run("digest", "app.db", "--prefix", "user/3").output
            #expect(try place.run("digest", "copy.db", "--prefix", "user/3").output == range && range != digest)
        }
    }

    @Test func `digest and diff of stores compare documents, not rows`() throws {
        try Workplace.with { place in
            for (name, ids) in [("one.store", [1, 2, 3]), ("two.store", [3, 2, 1])] {
                try place.makeItems(name)
                for id in ids {
                    let stored = try place.run("doc", "put", "--write", name, "items", "{\"id\":\(id),\"n\":\(id)}")
                    #expect(stored.code == 0, "\(stored)")
                }
            }
            // Rows differ, but documents do not.
            #expect(try place.run("diff", "one.store", "two.store").code == 0)
            #expect(try place.run("diff", "one.store", "two.store", "--raw").code == 1)
            let digest = try place.run("digest", "one.store").output
            #expect(digest.contains("\"kind\":\"docs\",\"records\":3"))
            #expect(try place.run("digest", "two.store").output == digest)
            #expect(try place.run("doc", "put", "--write", "two.store", "items", "{\"id\":2,\"n\":7}").code == 0)
            let changed = try place.run("diff", "one.store", "two.store")
            #expect(
                changed.code == 1
                    && changed.output
                        == "{\"op\":\"~\",\"c\":\"items\",\"id\":2,\"first\":{\"id\":2,\"n\":2},\"second\":{\"id\":2,\"n\":7}}\n",
                "\(changed)")
        }
    }

    @Test func `keyfmt shows keys by their parts and parses them back`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let environment = ["XDG_CONFIG_HOME": place.path + "/config"]
            func run(_ arguments: String...) throws -> Outcome { try place.run(arguments, environment: environment) }
            let stored = try run("put", "--write", "app.db", "\"photo/ann/\\0\\0\\0\\0\\0\\0\\0*\"", "picture")
            #expect(stored.code == 0, "\(stored)")
            #expect(try run("keyfmt", "app.db").code == 1)
            let declared = try run("keyfmt", "app.db", "'photo/' utf8 '/' u64be")
            #expect(declared.code == 0, "\(declared)")
            #expect(try run("keyfmt", "app.db").output == "'photo/' utf8 '/' u64be\n")
            #expect(try run("get", "app.db", "photo/ann/#42").output == "picture\n")
            let table = try run("scan", "app.db", "--mode", "table")
            #expect(table.output.contains("photo/ann/#42"), "\(table)")
            #expect(try run("versions", "app.db", "photo/ann/#42").lines.count == 1)
            #expect(try run("get", "app.db", "photo/ann/#42", "--keyfmt", "none").code == 1)
            // Output for programs does not change.
            #expect(try run("keys", "app.db").output.hasPrefix("{\"k\":\"photo/ann/\\u0000"))
            #expect(try run("keyfmt", "app.db", "--remove").code == 0)
            #expect(try run("get", "app.db", "photo/ann/#42").code == 1)
            #expect(try run("keyfmt", "app.db", "u12").code == 64)
            #expect(try run("keyfmt", "none.db", "u8").code == 66)
        }
    }

    @Test func `Table output explains the keys of tuples and of stores`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            // The tuple ("users", 42).
            #expect(try place.run("put", "--write", "app.db", "0x027573657273001525", "v").code == 0)
            let tuple = try place.run("scan", "app.db", "--mode", "table")
            #expect(tuple.output.contains("(\"users\", 37)"), "\(tuple)")
            try place.makeItems()
            let put = try place.run(
                "doc", "put", "--write", "items.store", "items", #"{"id":"a","n":-7,"k":["x"],"t":"snow"}"#)
            #expect(put.code == 0)
            let store = try place.run("keys", "items.store", "--mode", "table", "--all")
            for text in [
                "catalog", "document: items, row 1", "id: items, \"a\"", "entry: items.n = -7, row 1",
                "entry: items.k = \"x\", row 1", "structure: items.t", "slot: items.t, row 1",
                "pending: items.t, slot 0", "names: items",
            ] { #expect(store.output.contains(text), "\(text): \(store)") }
        }
    }
}
