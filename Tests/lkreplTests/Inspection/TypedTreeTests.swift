import DocIndex
import LevelKit
import TestSupport
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Typed key tree` {
    private func element(_ random: inout SplitMix64) -> Tuple.Element {
        switch random.number(below: 5) {
        case 0: .string(["a", "b", "a\u{0}b", "a\u{0}", ""][random.number(below: 5)])
        case 1: .int(Int64(random.number(below: 600)) - 300)
        case 2: .bytes([[], [0], [0, 0xff], [0xff]][random.number(below: 4)])
        case 3: .bool(random.number(below: 2) == 0)
        default: .null
        }
    }

    @Test func `The typed key tree equals grouping tuples by their elements`() throws {
        var random = TestRun.random(stream: 0x7ee5)
        for _ in 0..<TestRun.rounds(30, long: 500) {
            var tuples: Set<[UInt8]> = []
            for _ in 0..<150 {
                tuples.insert(Tuple((0...random.number(below: 3)).map { _ in element(&random) }).packed())
            }
            try withTemporaryDirectory { directory in
                let database = try Database.open(at: directory + "/db")
                try database.write { batch in for key in tuples { try batch.put([], forKey: key) } }
                var tree = KeyTree(database, reader: database, levels: .tuples)
                let prefixes = try [[]] + tree.children(of: []).nodes.filter(\.isBranch).map(\.prefix)
                for prefix in prefixes {
                    let depth = prefix.isEmpty ? 0 : 1
                    var groups: [[UInt8]: Int] = [:]
                    var branches: Set<[UInt8]> = []
                    for key in tuples {
                        let parts = try Tuple(packed: key)
                        let beginning = Tuple(Array(parts.elements.prefix(depth))).packed()
                        guard beginning == prefix, parts.count > depth else { continue }
                        let group = Tuple(Array(parts.elements.prefix(depth + 1))).packed()
                        groups[group, default: 0] += 1
                        if parts.count > depth + 1 { branches.insert(group) }
                    }
                    var nodes = try tree.children(of: prefix).nodes.filter { $0.prefix != prefix }
                    try tree.measure(&nodes, counting: true)
                    #expect(Set(nodes.map(\.prefix)) == Set(groups.keys), "\(TestRun.repetition)")
                    #expect(nodes.count == groups.count, "\(TestRun.repetition)")
                    for node in nodes {
                        #expect(node.isBranch == branches.contains(node.prefix), "\(TestRun.repetition)")
                        #expect(node.keyCount == groups[node.prefix], "\(node.prefix), \(TestRun.repetition)")
                    }
                }
                #expect(try KeyTree.levels(of: database, below: []) == .tuples)
                try database.close()
            }
        }
    }

    @Test func `The tree of a document store names collections and indexes, and covers every key`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let total = try place.run("count", "photos.store", "--keys").output
            for depth in 1...4 {
                let tree = try place.run("tree", "photos.store", "--depth", "\(depth)", "--exact")
                #expect(tree.code == 0 && tree.error == "tree: levels are those of a document store\n", "\(tree)")
                let rows = try tree.lines.map { try #require(try JSONParser().parse(Array($0.utf8)).objectValue) }
                for level in 1...depth {
                    // Each level together with the keys that ended above it covers all keys.
                    let sum = rows.reduce(Int64(0)) { sum, row in
                        let own = row["depth"]?.intValue ?? 0
                        let counts = own == level || own < level && row["branch"] == false
                        return sum + (counts ? row["keys"]?.intValue ?? 0 : 0)
                    }
                    #expect("\(sum)\n" == total, "level \(level) of \(depth)")
                }
                let meanings = rows.compactMap { $0["meaning"]?.stringValue }
                #expect(meanings.contains("documents") && meanings.contains("catalog"))
                guard depth > 1 else { continue }
                for part in ["documents of photos", "index entries of photos.rating", "text index photos.text"] {
                    #expect(meanings.contains(part), "\(meanings.prefix(30))")
                }
                guard depth > 2 else { continue }
                #expect(meanings.contains("index entries of photos.rating = 5"), "\(meanings.prefix(60))")
                #expect(meanings.contains { $0.hasPrefix("slots of photos.text") }, "\(meanings.prefix(60))")
            }
            let below = try place.run("tree", "photos.store", "\"V\\x15\\x03\"", "--mode", "table", "--all")
            #expect(below.output.contains("photos.rating = 4"), "\(below)")
            // Delimiters can still be requested.
            #expect(try place.run("tree", "photos.store", "--delim", "M").error.contains("levels end with M"))
        }
    }

    @Test func `The tree of tuple keys shows their elements`() throws {
        try Workplace.with { place in
            let database = try Database.open(at: place.path + "/app.db")
            for number in 0..<10 {
                try database.put(
                    [0x76], forKey: Tuple(["user", .int(Int64(number % 2)), .int(Int64(number))]).packed())
            }
            try database.close()
            let tree = try place.run("tree", "app.db", "--depth", "2", "--exact", "--mode", "table")
            #expect(tree.code == 0 && tree.error == "tree: levels are the elements of tuples\n", "\(tree)")
            #expect(tree.output.contains("(\"user\", 1)") && tree.output.contains("    5 │"), "\(tree)")
        }
    }
}
