import ArgumentParser
import DocIndex

/// Lists the fields of a collection's documents.
struct DescribeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe", abstract: "List the fields of the documents, with their types and frequencies.",
        discussion: """
            Example: lkrepl describe photos.store photos --sample 200
            Fields of objects are written as a.b, fields of objects in arrays as a[].b.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection. Default: the only one.") var collection: String?
    @Option(name: .long, parsing: .unconditional, help: "Read this many documents.") var sample = 1000

    func validate() throws {
        guard sample > 0 else { throw ValidationError("--sample must be 1 or more") }
    }

    func run() throws {
        try Session.with(database, options) { session in
            let collection = try session.collection(collection)
            var inventory = FieldInventory()
            try collection.forEach(matching: Query(limit: sample)) { document in
                try Interruption.check()
                inventory.add(document.content)
                return true
            }
            let writer = try options.writer()
            for row in inventory.rows(indexes: collection.definition.indexes) { try writer.write(row) }
            try writer.finish()
            let census = try session.attachments().census()
            let size = HumanNumber.byteCount(Int(clamping: census.byteCount))
            let attached =
                census.count == 0 ? "" : "; the store has \(AttachCommand.count(census.count)) attached (\(size))"
            options.note(
                "describe: \(HumanNumber.grouped(inventory.documentCount)) of "
                    + "\(HumanNumber.counted(try collection.count(), "document")) of \(collection.name)" + attached)
        }
    }
}

/// The fields of a set of documents.
struct FieldInventory {
    private struct Field {
        var order: Int
        var documentCount = 0
        var lastDocument = 0
        var typeCounts: [String: Int] = [:]
        var example: DocumentValue?
    }

    private var fields: [[UInt8]: Field] = [:]
    private(set) var documentCount = 0

    /// Adds the fields of one document.
    mutating func add(_ document: DocumentObject) {
        documentCount += 1
        add(document, below: "")
    }

    private mutating func add(_ object: DocumentObject, below prefix: String) {
        for member in object { add(member.value, at: prefix + FieldPath.quoting(member.name)) }
    }

    private mutating func add(_ value: DocumentValue, at path: String) {
        let key = Array(path.utf8)
        var field = fields[key] ?? Field(order: fields.count)
        if field.lastDocument != documentCount { field.documentCount += 1 }
        field.lastDocument = documentCount
        field.typeCounts[Self.type(value), default: 0] += 1
        if field.example == nil, value != .null { field.example = value }
        fields[key] = field
        switch value {
        case .object(let object): add(object, below: path + ".")
        case .attachment: value.memberObject.map { add($0, below: path + ".") }
        case .array(let elements): for element in elements { add(element, at: path + "[]") }
        default: break
        }
    }

    private static func type(_ value: DocumentValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .double: "double"
        case .string: "text"
        case .bytes: "bytes"
        case .date: "date"
        case .array: "array"
        case .object: "object"
        case .attachment: "attachment"
        }
    }

    /// A row for each field, in the order of first occurrence.
    func rows(indexes: [IndexDefinition]) -> [DocumentObject] {
        fields.sorted { $0.value.order < $1.value.order }.map { path, field in
            let name = String(decoding: path, as: UTF8.self)
            let types = field.typeCounts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
            let used = indexes.filter { index in index.fields.contains { $0.description.utf8.elementsEqual(path) } }
            var row: DocumentObject = [
                "field": .string(name), "types": .array(types.map { .string($0) }),
                "documents": .int(Int64(field.documentCount)), "indexes": .array(used.map { .string($0.name) }),
            ]
            switch field.example {
            case .object, .array, nil: row["example"] = ""
            case .some(let value): row["example"] = value
            }
            return row
        }
    }

    /// The kinds of the values at a path, most frequent first, such as `int, text`; empty for an unknown path.
    func kinds(of path: String) -> String {
        let counts = fields[Array(path.utf8)]?.typeCounts ?? [:]
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key).joined(separator: ", ")
    }

    /// The names of the fields that are not objects, in the order of first occurrence.
    var leaves: [String] {
        fields.sorted { $0.value.order < $1.value.order }
            .filter { !$0.value.typeCounts.keys.contains("object") }.map { String(decoding: $0.key, as: UTF8.self) }
    }
}

extension FieldPath {
    /// The name of a member as a step of a path, quoted if necessary.
    static func quoting(_ name: String) -> String {
        FieldPath(names: name).description
    }
}
