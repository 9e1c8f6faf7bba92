import DocIndex
import Harness
import LevelKit

/// DocIndex with the options that it has by itself, and the indexes of a catalogue of pictures.
final class QueryStore {
    let database: Database
    let store: DocumentStore
    let pictures: DocumentCollection

    /// Each of these has a counterpart in ``QueryTables``.
    static let indexes: [IndexDefinition] = [
        .value("year", on: .field("year", order: .descending), counts: true),
        .value("creator", on: "creator", .field("year", order: .descending), counts: true),
        .value("keywords", on: "keywords[]", .field("year", order: .descending)),
        .value("width", on: "width"),
        .geo("place", on: "gps"),
    ]

    init(directory: String) throws {
        // Opened in two steps, so that what lies below can be measured.
        database = try Database.open(at: directory, options: DocumentStore.Options().database)
        store = try DocumentStore.open(
            on: database,
            schema: Schema(collections: [CollectionDefinition("pictures", indexes: Self.indexes)]))
        pictures = try store.collection("pictures")
    }

    func close() throws { try store.close() }

    func load(texts next: () throws -> [UInt8]?) throws {
        var isAtEnd = false
        while !isAtEnd {
            try store.write { transaction in
                while transaction.changeCount < 1000 {
                    guard let text = try next() else {
                        isAtEnd = true
                        return
                    }
                    try transaction.put(try Self.content(text), in: "pictures")
                }
            }
        }
        try store.flush()
    }

    static func content(_ text: [UInt8]) throws -> DocumentObject {
        guard case .object(let content) = try JSONParser().parse(text) else {
            throw BenchmarkError("a record is no object")
        }
        return content
    }

    // MARK: - Answers

    /// The ids of the results, each of which is made into what the form says.
    func find(_ query: Query, _ form: AnswerForm) throws -> [String] {
        switch form {
        case .columns:
            try pictures.select(["id", "title", "year"], query).map { Self.line(of: $0) }
        case .documents:
            try pictures.find(query).map { Self.text($0["id"]) }
        }
    }

    /// What a list shows of a result.
    static func line(of part: DocumentObject) -> String {
        ListedPicture(id: text(part["id"]), title: text(part["title"]), year: text(part["year"])).id
    }

    static func text(_ value: DocumentValue?) -> String {
        switch value {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        default: ""
        }
    }

    func facets(_ paths: [FieldPath], where filter: Filter, limit: Int) throws -> [String] {
        try pictures.facets(paths, where: filter, limit: limit).flatMap { facets in
            facets.map { "\(Self.text($0.value)): \($0.count)" }
        }
    }
}

/// What is made of the results.
enum AnswerForm: String, CaseIterable {
    /// Three fields of each, which are plain columns in SQLite.
    case columns
    /// The whole document, decoded.
    case documents
}

/// What a list shows of a result.
struct ListedPicture {
    let id: String
    let title: String
    let year: String
}
