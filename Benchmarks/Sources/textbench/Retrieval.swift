import DocIndex
import Foundation
import LevelKit

/// Ranks the documents of a test set, for the script `retrieval`, which judges the rankings.
///
/// A test set is a folder with `documents.jsonl`, objects with an `id` and texts, and `queries.tsv`, a line for each
/// query with its name and its words.
enum Retrieval {
    /// How many documents are ranked, as in TREC.
    private static let limit = 1000

    /// Prints a line for each ranked document: the way, the query and the document, with tabs between.
    static func run(folder: String, directory: String) throws {
        let documents = try lines(of: folder + "/documents.jsonl").map { line in
            try DocumentValue(json: String(line)).objectValue ?? [:]
        }
        let queries = try lines(of: folder + "/queries.tsv").map { line in
            let parts = line.split(separator: "\t", maxSplits: 1)
            return (name: parts[0], text: parts.count > 1 ? String(parts[1]) : "")
        }
        let fields = textFields(of: documents)
        for (name, analyzer) in [("plain", TextAnalyzer()), ("English", .language(.english))] {
            let path = "\(directory)/\(name)"
            let index = IndexDefinition(
                "text", kind: .text,
                components: fields.map { .field(FieldPath(names: $0), analyzer: analyzer) })
            let schema = Schema(collections: [CollectionDefinition("documents", indexes: [index])])
            let store = try DocumentStore.open(at: path, schema: schema)
            _ = try store.load(into: "documents") { writer in
                for document in documents { try writer.put(document) }
            }
            let collection = try store.collection("documents")
            for query in queries {
                let words = query.text.split { !$0.isLetter && !$0.isNumber }.map { TextQuery.word(String($0)) }
                report("\(name), any word", query.name, try collection.search(.or(words), limit: limit))
                let box = collection.searchBox(query.text)
                report("\(name), search box", query.name, try collection.search(box, limit: limit))
            }
            try store.close()
        }
    }

    private static func lines(of path: String) throws -> [Substring] {
        try String(contentsOfFile: path, encoding: .utf8).split { $0 == "\n" || $0 == "\r\n" }
    }

    /// The members that are strings in a document, except for the id.
    private static func textFields(of documents: [DocumentObject]) -> [String] {
        var fields: [String] = []
        for document in documents {
            for member in document where member.name != "id" && !fields.contains(member.name) {
                if case .string = member.value { fields.append(member.name) }
            }
        }
        return fields
    }

    private static func report(_ way: String, _ query: Substring, _ hits: [DocumentCollection.Hit]) {
        for hit in hits { print("\(way)\t\(query)\t\(hit.document.id)") }
    }
}
