import ArgumentParser
import DocIndex

/// Counts how often each value of some fields occurs.
struct FacetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facets", abstract: "Count the values of fields, the most frequent first.",
        discussion: """
            Example: lkrepl facets photos.store photos keywords[] exif.model --where 'rating >= 4' --top 5
            A path with [] counts each element of an array once for each document.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "Paths of fields.") var fields: [String]
    @Option(name: .customLong("where"), parsing: .unconditional, help: "Which documents are counted; all if not given.")
    var condition: String?
    @Option(name: .long, help: "How many values of each field.") var top = 20

    func validate() throws {
        guard top >= 0 else { throw ValidationError("--top must be 0 or more") }
    }

    func run() throws {
        let paths = try fields.map { try FieldPath(parsing: ArgumentOrigin.current.text(of: Invocation.plain($0))) }
        let predicate = try Predicate(argument: condition)
        try Session.with(database) { session in
            var tallies = paths.map { _ in ValueTally() }
            try session.collection(collection).forEach(matching: Query(predicate)) { document in
                try Interruption.check()
                for index in paths.indices { tallies[index].count(paths[index], of: document.content) }
                return true
            }
            let writer = try options.writer()
            for (path, tally) in zip(paths, tallies) {
                for (value, count) in tally.mostFrequent(top) {
                    try writer.write([
                        "field": .string(path.description), "value": value, "count": .int(Int64(count)),
                    ])
                }
            }
            try writer.finish()
        }
    }
}

/// Lists the values of a field.
struct DistinctCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "distinct", abstract: "List the values of a field, in order.",
        discussion: "Example: lkrepl distinct photos.store photos exif.model")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The path of the field.") var field: String
    @Option(name: .customLong("where"), parsing: .unconditional, help: "Which documents are asked; all if not given.")
    var condition: String?

    func run() throws {
        let path = try FieldPath(parsing: ArgumentOrigin.current.text(of: Invocation.plain(field)))
        let predicate = try Predicate(argument: condition)
        try Session.with(database) { session in
            var tally = ValueTally()
            try session.collection(collection).forEach(matching: Query(predicate)) { document in
                try Interruption.check()
                tally.count(path, of: document.content)
                return true
            }
            let writer = try options.writer()
            for (value, _) in tally.ordered { try writer.write(["value": value]) }
            try writer.finish()
        }
    }
}

/// How often values occur.
///
/// Values are told apart by their JSON, as bytes: two spellings of a letter are equal texts to Swift, and different
/// values to a store. Memory is that of the different values.
struct ValueTally {
    private var counts: [[UInt8]: (value: DocumentValue, count: Int)] = [:]

    /// Counts the values at a path of one document, each once.
    mutating func count(_ path: FieldPath, of document: DocumentObject) {
        var seen: Set<[UInt8]> = []
        path.forEachElement(in: document) { value in
            let key = Array(value.json.utf8)
            if seen.insert(key).inserted { counts[key, default: (value, 0)].count += 1 }
        }
    }

    /// The values by frequency, equally frequent ones in order.
    func mostFrequent(_ limit: Int) -> [(value: DocumentValue, count: Int)] {
        let all = ordered
        let ranked = all.indices.sorted { (all[$1].count, $0) < (all[$0].count, $1) }
        return ranked.prefix(limit).map { all[$0] }
    }

    /// The values in the order of indexes as far as kinds go: null, false, true, numbers, texts, the rest.
    var ordered: [(value: DocumentValue, count: Int)] {
        counts.sorted { Self.precedes($0, $1) }.map(\.value)
    }

    private typealias Entry = (key: [UInt8], value: (value: DocumentValue, count: Int))

    private static func precedes(_ a: Entry, _ b: Entry) -> Bool {
        let kinds = (rank(a.value.value), rank(b.value.value))
        if kinds.0 != kinds.1 { return kinds.0 < kinds.1 }
        if let left = a.value.value.numberValue, let right = b.value.value.numberValue, left != right {
            return left < right
        }
        let texts = (a.value.value.stringValue, b.value.value.stringValue)
        if let left = texts.0, let right = texts.1 { return left.utf8.lexicographicallyPrecedes(right.utf8) }
        return a.key.lexicographicallyPrecedes(b.key)
    }

    private static func rank(_ value: DocumentValue) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .int, .double: 2
        case .string: 3
        default: 4
        }
    }
}

extension Predicate {
    /// The condition that an option holds; true of every document without one.
    init(argument: String?) throws {
        guard let argument else {
            self = .all
            return
        }
        self = try Predicate(parsing: ArgumentOrigin.current.text(of: Invocation.plain(argument)))
    }
}
