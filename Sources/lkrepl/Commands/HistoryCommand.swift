import ArgumentParser
import DocIndex

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Lists the versions of a document.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the versions of a document, newest first. Exit code 1 if there are none.",
        discussion: """
            Example: lkrepl history photos.store photos 2019-07-14-0031
            Each version has its commit, the time of the commit, and the document; a deletion has no document. A table \
            has a row for each member that a commit changed, with its values before and after, and one row for a \
            document that is new or deleted, and for the oldest kept version. Versions are kept if the schema declares a history for the collection, such as \
            "history": {"age": "90 days", "versions": 20}. The time of the oldest version may be unknown. \
            doc get --at prints one version, and undo undoes a commit.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The document ID.") var id: String
    @Option(name: .long, parsing: .unconditional, help: "List at most this many versions.") var limit = 100

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be 1 or more") }
    }

    func run() throws {
        try Session.with(database, options) { session in
            let collection = try session.collection(collection)
            var writer = try VersionWriter(options)
            guard collection.definition.history != nil else {
                let document = try DocumentID.candidates(id).lazy.compactMap { try collection.document($0) }.first
                options.note("history: \(collection.name) keeps no history; declare one in its schema, and migrate")
                guard let document else { throw CommandError.noDocument(id, in: collection.name) }
                try writer.write(commit: document.sequence, time: nil, document.content)
                return try writer.finish()
            }
            var count = 0
            for id in try DocumentID.candidates(id) where count == 0 {
                try collection.forEachVersion(of: id) { version in
                    try Interruption.check()
                    // In a table, one version more tells what the last one changed.
                    if count == limit {
                        try writer.compare(with: version.document?.content)
                        return false
                    }
                    try writer.write(
                        commit: version.sequence, time: version.time, version.document?.content)
                    count += 1
                    return count < limit || writer.isForPeople
                }
            }
            if count == 0 { throw CommandError(.no, "the history of \(collection.name) has no document \(id)") }
            try writer.finish()
        }
    }

}

/// Writes the versions of a document, newest first: as they are, or for people as what each commit changed.
private struct VersionWriter {
    let isForPeople: Bool
    private let writer: ResultWriter
    /// The version whose changes are written when the version before it is known.
    private var held: (head: DocumentObject, content: DocumentObject?)?

    init(_ options: GlobalOptions) throws {
        isForPeople = try [.table, .line].contains(options.outputMode())
        let columns = isForPeople ? ["field", "before", "after"] : ["deleted", "document"]
        writer = try options.writer(columns: ["commit", "time"] + columns)
    }

    /// - Parameter content: The document; `nil` if the commit deleted it.
    mutating func write(commit: UInt64, time: Date?, _ content: DocumentObject?) throws {
        var row: DocumentObject = ["commit": .int(Int64(clamping: commit)), "time": time.text]
        if isForPeople {
            try compare(with: content)
            // Without the fraction of the second, which leaves more room for the values.
            if let text = row["time"]?.stringValue { row["time"] = .string(text.prefix(19) + "Z") }
            held = (row, content)
        } else if let content {
            row["document"] = .object(content)
            try writer.write(row)
        } else {
            row["deleted"] = true
            try writer.write(row)
        }
    }

    /// Writes the changes of the last version, which follows a version with this content.
    mutating func compare(with older: DocumentObject?) throws {
        guard let held else { return }
        let rows = DocumentChange(old: older, new: held.content).rows(behind: held.head)
        for row in rows.isEmpty ? [held.head] : rows { try writer.write(row) }
        self.held = nil
    }

    mutating func finish() throws {
        try compare(with: nil)
        try writer.finish()
    }
}

/// Lists recent commits.
struct CommitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commits", abstract: "List the newest commits in the history, with times and counts.",
        discussion: """
            Example: lkrepl commits photos.store
            Lists only commits that changed collections with a history, and counts only documents of such collections. \
            undo --dry-run shows the documents of a commit.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Option(name: .long, parsing: .unconditional, help: "List at most this many commits.") var limit = 20
    @Option(name: .long, help: "List only commits before this one.") var before: UInt64?

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be 1 or more") }
    }

    func run() throws {
        try Session.with(database, options) { session in
            let store = try session.store()
            let writer = try options.writer(columns: ["commit", "time", "documents"])
            for commit in try store.commits(before: before, limit: limit) {
                try writer.write([
                    "commit": .int(Int64(clamping: commit.sequence)), "time": Optional(commit.time).text,
                    "documents": .int(Int64(commit.changeCount)),
                ])
            }
            try writer.finish()
            if !store.schema.collections.contains(where: { $0.history != nil }) {
                options.note("commits: no collection keeps a history; declare one in the schema, and migrate")
            }
        }
    }
}

extension Date? {
    /// The time in UTC as ISO 8601; `null` if it is unknown.
    fileprivate var text: DocumentValue {
        guard let self else { return .null }
        let milliseconds = Int64((self.timeIntervalSince1970 * 1000).rounded())
        return .string(DocumentDate(utcMilliseconds: milliseconds).iso8601)
    }
}
