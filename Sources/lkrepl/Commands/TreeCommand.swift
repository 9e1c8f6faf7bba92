import ArgumentParser
import DocIndex
import LevelKit

/// Shows the key prefixes of a database as a tree.
struct TreeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Show the key prefixes and how much data each contains.",
        discussion: """
            Example: lkrepl tree app.db
            The prefixes are exact, and found without reading every key: the keys below a prefix are skipped with one \
            seek. Bytes are the approximate bytes in tables; recent writes may not be in a table yet. The levels of a \
            document store are kinds of records, collections and indexes, and their values; those of tuple keys are \
            the elements.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The prefix to start from. Default: all keys.") var prefix: String?
    @Option(
        name: .long, parsing: .unconditional,
        help: "Split levels after these characters; tuple splits at tuple elements; auto detects them.")
    var delim = "auto"
    @Option(name: .long, parsing: .unconditional, help: "Show this many levels.") var depth = 1
    @Option(name: .long, parsing: .unconditional, help: "Show only this many children of each prefix, the largest.")
    var top: Int?
    @Option(name: .long, parsing: .unconditional, help: "Read at most this many children of a prefix.") var limit =
        10_000
    @Flag(name: .long, help: "Count the keys; this reads all of them.") var exact = false

    func validate() throws {
        guard (1...64).contains(depth) else { throw ValidationError("--depth must be from 1 to 64") }
        guard top ?? 1 > 0, limit > 0 else { throw ValidationError("--top and --limit must be 1 or more") }
    }

    func run() throws {
        try Session.with(database, options) { session in
            let prefix = try prefix.map(RawArgument.bytes) ?? []
            let levels = try levels(session, below: prefix)
            var tree = KeyTree(session.database, reader: session.reader, levels: levels)
            let rows = Rows(
                writer: try options.writer(), isForPeople: try [.table, .line].contains(options.outputMode()),
                meaning: try KeyMeaning(of: session), levels: levels)
            try write(below: prefix, depth: 1, &tree, rows)
            try rows.writer.finish()
            switch levels {
            case .delimiters([]): options.note("tree: no delimiter was found; specify one with --delim")
            case .delimiters(let delimiters):
                let names = delimiters.sorted().map { ByteNotation.print([$0]) }.joined(separator: " ")
                options.note("tree: levels end with \(names)")
            case .tuples: options.note("tree: levels are the elements of tuples")
            case .store: options.note("tree: levels are those of a document store")
            }
        }
    }

    private func levels(_ session: Session, below prefix: [UInt8]) throws -> KeyLevels {
        switch delim {
        case "auto":
            if try session.isDocumentStore() { return .store }
            return try KeyTree.levels(of: session.reader, below: prefix) ?? .delimiters([])
        case "tuple": return .tuples
        default:
            let bytes = try RawArgument.bytes(delim)
            guard !bytes.isEmpty else {
                throw CommandError(
                    .usage, "--delim is empty", hint: "specify the bytes that separate levels, such as --delim /")
            }
            return .delimiters(Set(bytes))
        }
    }

    /// The output of the tree.
    private struct Rows {
        let writer: ResultWriter
        let isForPeople: Bool
        let meaning: KeyMeaning
        let levels: KeyLevels
    }

    private func write(below prefix: [UInt8], depth: Int, _ tree: inout KeyTree, _ rows: Rows) throws {
        var level = try tree.children(of: prefix, limit: limit)
        try tree.measure(&level.nodes, counting: exact)
        var shown = level.nodes
        if let top, shown.count > top {
            let least = shown.map(Self.weight).sorted(by: >)[top - 1]
            // Keep key order. Of the nodes with the smallest shown weight, keep as many as there is room for.
            var room = top - shown.count { Self.weight($0) > least }
            shown = shown.filter { node in
                if Self.weight(node) > least { return true }
                guard Self.weight(node) == least, room > 0 else { return false }
                room -= 1
                return true
            }
        }
        for node in shown {
            try rows.writer.write(row(node, depth: depth, rows))
            if node.isBranch, depth < self.depth {
                try write(below: node.prefix, depth: depth + 1, &tree, rows)
            }
        }
        if let next = level.nextPrefix {
            options.note(
                "tree: \(ByteNotation.print(prefix)) has more children, from \(ByteNotation.print(next)) on; "
                    + "raise --limit")
        }
    }

    private static func weight(_ node: KeyTree.Node) -> UInt64 {
        node.keyCount.map(UInt64.init) ?? node.approximateByteCount
    }

    private func row(_ node: KeyTree.Node, depth: Int, _ rows: Rows) -> DocumentObject {
        var row = DocumentObject()
        let meaning =
            node.isBranch ? rows.meaning.text(ofLevel: node.prefix, rows.levels) : rows.meaning.text(of: node.prefix)
        if rows.isForPeople {
            let indent = String(repeating: "  ", count: depth - 1)
            row["prefix"] = .string(indent + ByteNotation.print(node.prefix))
            row["kind"] = node.isBranch ? "prefix" : "key"
        } else {
            DumpRecord.append(node.prefix, name: "prefix", to: &row)
            row["depth"] = .int(Int64(depth))
            row["branch"] = .bool(node.isBranch)
        }
        if let meaning { row["meaning"] = .string(meaning) }
        row["bytes"] = .int(Int64(clamping: node.approximateByteCount))
        if let count = node.keyCount { row["keys"] = .int(Int64(count)) }
        return row
    }
}
