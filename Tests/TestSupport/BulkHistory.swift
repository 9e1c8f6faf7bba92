public import DocIndex

/// A sequence of changes of all documents of a collection. Each is determined by its number alone: it sets the
/// generation of every document to its number. Those with an odd number are one commit, the others are many.
public enum BulkHistory {
    /// The number of documents.
    public static let documentCount = 2000

    /// The schema, with an index that every change moves all documents within.
    public static let schema = Schema(collections: [
        CollectionDefinition(
            "c", indexes: [.value("generation", on: "generation", counts: true), .value("n", on: "n", unique: true)])
    ])

    /// Stores the documents of generation 0 that do not exist yet.
    public static func begin(in store: DocumentStore, count: Int = documentCount) throws {
        let present = try store.collection("c").count()
        if present >= count { return }
        try store.load(into: "c") { writer in
            for number in present..<count {
                try writer.put([
                    "id": .int(Int64(number)), "n": .int(Int64(number)), "generation": 0,
                    "text": .string(String(repeating: "x", count: 100 + number % 300)),
                ])
            }
        }
    }

    /// Performs a change, or finishes one that was interrupted.
    @discardableResult
    public static func perform(_ number: Int, on store: DocumentStore) throws -> BulkChange.Summary {
        var options = BulkChange.Options()
        if number % 2 == 0 { options.commitByteCount = 16 << 10 }
        return try store.collection("c").update(
            where: "generation < \(number)", "generation = \(number), last = \(number - 1)", options: options)
    }

    /// Returns the generations of the documents, in the order in which they were first stored.
    public static func generations(in store: DocumentStore) throws -> [Int] {
        try store.collection("c").find(Query()).map { Int($0.content["generation"]?.intValue ?? -1) }
    }
}
