internal import LevelKit

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DocumentCollection {
    /// A version of a document: what a commit stored, or that it deleted the document.
    public struct Version: Sendable, Hashable {
        /// The sequence number of the commit.
        public let sequence: UInt64
        /// When the commit was made, by the clock of the computer that made it; `nil` for the oldest known version, if
        /// its commit is outside the bounds of the history or older than the history.
        public let time: Date?
        /// The document; `nil` if the commit deleted it.
        public let document: Document?
    }
}

extension DocumentCollection {
    /// Returns the versions of a document, newest first; empty if there never was a document with that ID. A deleted
    /// document begins with its deletion.
    ///
    /// ```swift
    /// for version in try photos.history(of: "IMG_0231") {
    ///     print(version.sequence, version.document?.content["caption"] ?? "deleted")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - id: the ID.
    ///   - sequence: a commit; only versions of earlier commits are returned. `nil` for all.
    ///   - limit: the maximum number of versions.
    /// - Throws: ``DocIndexError``: `notInHistory` if the collection keeps no history; `corruption`; `LevelError`.
    /// - Complexity: one lookup for each version, including skipped ones.
    public func history(
        of id: DocumentID, before sequence: UInt64? = nil, limit: Int = 100
    ) throws -> [Version] {
        var versions: [Version] = []
        if limit <= 0 { return versions }
        try forEachVersion(of: id) { version in
            if version.sequence < sequence ?? .max { versions.append(version) }
            return versions.count < limit
        }
        return versions
    }

    /// Calls `body` with each version of a document, newest first, until it returns `false`. Only one version is in
    /// memory at a time.
    ///
    /// - Throws: what `body` throws; the errors of ``history(of:before:limit:)``; `CancellationError` if the task is
    ///   canceled.
    public func forEachVersion(of id: DocumentID, _ body: (Version) throws -> Bool) throws {
        _ = try visitVersions(of: id, in: try reader(), body)
    }

    /// Returns the document as it was after a commit; `nil` if it did not exist then.
    ///
    /// - Throws: ``DocIndexError``: `notInHistory` if the collection keeps no history, if the history does not reach
    ///   back to that commit, or if there is no such commit yet; `corruption`; `LevelError`.
    /// - Complexity: one lookup for each later version.
    public func document(_ id: DocumentID, at sequence: UInt64) throws -> Document? {
        let rows = try reader()
        let last = try WriterState.storedSequence(in: rows.snapshot)
        guard sequence <= last else {
            throw DocIndexError(.notInHistory, "there is no commit \(sequence) yet; the last one is \(last)")
        }
        var result: Document?
        let end = try visitVersions(of: id, in: rows) { version in
            guard version.sequence <= sequence else { return true }
            result = version.document
            return false
        }
        guard end != .unknown else {
            throw DocIndexError(
                .notInHistory,
                "the history of the document \(id) of \(name) does not reach back to commit \(sequence)")
        }
        return result
    }

    /// How a visit of versions ended.
    private enum End {
        /// As the caller asked.
        case stopped
        /// There was no document before the last version.
        case absent
        /// Versions before the last one are unknown.
        case unknown
    }

    private func visitVersions(
        of id: DocumentID, in rows: RowReader, _ body: (Version) throws -> Bool
    ) throws -> End {
        let collection = rows.collection
        guard let history = collection.history else {
            throw DocIndexError(
                .notInHistory,
                "the collection \(name) keeps no history; declare one in the schema to keep later changes")
        }
        guard let idRecord = try RowReader.record(of: id, collection: collection, in: rows.snapshot) else {
            return .absent
        }
        var document: Document?
        var link: HistoryRecord.Link
        switch idRecord {
        case .deleted(let sequence, let row): link = HistoryRecord.Link(sequence: sequence, row: row)
        case .row(let row):
            let stored = try rows.document(row)
            guard stored.id == id else { throw Self.damaged(id, stored.id, row, in: collection) }
            document = stored
            link = HistoryRecord.Link(sequence: stored.sequence, row: row)
        }
        var chain = HistoryChain(from: link, of: collection, history: history)
        var cancellation = CancellationCheck()
        while true {
            try cancellation.step()
            let step = try chain.next(in: rows.snapshot)
            let version = Version(sequence: link.sequence, time: step?.record.date, document: document)
            guard try body(version) else { return .stopped }
            guard let step else { return .unknown }
            switch step.record.former {
            case .unknown: return .unknown
            case .absent(nil, _): return .absent
            case .absent(let deletion?, _):
                document = nil
                link = deletion
            case .stored(let sequence, let start):
                let record = step.bytes.span
                let former = try RowReader.document(
                    record: record.extracting(start..<record.count), row: link.row, collection: collection)
                guard former.id == id else { throw Self.damaged(id, former.id, link.row, in: collection) }
                document = former
                link = HistoryRecord.Link(sequence: sequence, row: link.row)
            }
        }
    }

    private static func damaged(
        _ id: DocumentID, _ other: DocumentID, _ row: UInt64, in collection: LoadedCollection
    ) -> DocIndexError {
        DocIndexError(
            .corruption,
            "the history of the document \(id) of \(collection.name) leads to row \(row), which contains the document "
                + "\(other); run verify and rebuild")
    }
}
