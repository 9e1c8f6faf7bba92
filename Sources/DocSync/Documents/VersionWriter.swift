package import DocIndex

/// Stores versions that came from a peer.
package struct VersionWriter: Sendable {
    /// The versions of one document that arrived, and the leaves that the peer has.
    package struct Arrival: Sendable {
        package let id: DocumentID
        package var versions: [DocumentRevision]
        package var listed: [Revision]
        /// The digests by which the peer knows contents of attachments.
        package var digests: [Attachment.Digest: [String]] = [:]

        package init(id: DocumentID, versions: [DocumentRevision], listed: [Revision]) {
            self.id = id
            self.versions = versions
            self.listed = listed
        }

        package init(_ document: WireDocument, listed: [Revision]) {
            self.init(id: document.id, versions: [document.version], listed: listed)
        }
    }

    /// The outcome of storing versions.
    package struct Outcome: Sendable {
        package var problems: [DocumentError] = []
        /// The number of documents that changed.
        package var writtenCount = 0
        /// The documents that also have versions that the peer does not have.
        package var divergedIDs: [DocumentID] = []
    }

    package let store: AsyncDocumentStore
    package let collection: String

    package init(store: AsyncDocumentStore, collection: String) {
        self.store = store
        self.collection = collection
    }

    /// Stores versions. If a document cannot be stored, the others are.
    ///
    /// - Parameter echo: is told of commits that hold only what the peer has, so that they need not be sent back. It
    ///   adds its note to the same commit. Without it, one commit holds everything.
    package func write(
        _ arrivals: [Arrival], echo: (@Sendable (inout ReplicationBatch) throws -> Void)? = nil
    ) async throws -> Outcome {
        let merged = Self.merged(arrivals)
        do {
            return try await writeAll(merged, echo: echo)
        } catch let error as DocIndexError where Self.isFault(error) && merged.count > 1 {
            // One of them is refused. Its half is divided until it is alone.
            let middle = merged.count / 2
            var outcome = try await write(Array(merged[..<middle]), echo: echo)
            let second = try await write(Array(merged[middle...]), echo: echo)
            outcome.problems += second.problems
            outcome.writtenCount += second.writtenCount
            outcome.divergedIDs += second.divergedIDs
            return outcome
        } catch let error as DocIndexError where Self.isFault(error) {
            guard let arrival = merged.first else { return Outcome() }
            return Outcome(problems: [
                DocumentError(
                    error.code == .tooManyEntries
                        ? .tooManyEntries : error.code == .attachmentMissing ? .unavailable : .refused,
                    id: Self.text(arrival.id), revision: arrival.versions.first?.path.revision.description,
                    error.message)
            ])
        }
    }

    private func writeAll(
        _ arrivals: [Arrival], echo: (@Sendable (inout ReplicationBatch) throws -> Void)?
    ) async throws -> Outcome {
        // Documents with other versions than the peer's go into a commit of their own.
        let digests = AttachmentDigests(of: try store.collection(collection).documents)
        let (rest, first) = try await store.replicate(collection) { batch in
            for arrival in arrivals where !arrival.digests.isEmpty { try digests.note(arrival.digests, in: &batch) }
            var rest: [Arrival] = []
            for arrival in arrivals {
                let isListed = try batch.add(
                    arrival.versions, of: arrival.id, listed: arrival.listed, requiresListed: echo != nil)
                if !isListed, echo != nil { rest.append(arrival) }
            }
            if batch.changedDocumentCount > 0 { try echo?(&batch) }
            return (rest, batch.changedDocumentCount)
        }.result
        guard !rest.isEmpty else { return Outcome(writtenCount: first) }
        let second = try await store.replicate(collection) { batch in
            for arrival in rest { try batch.add(arrival.versions, of: arrival.id, listed: arrival.listed) }
            return batch.changedDocumentCount
        }.result
        return Outcome(writtenCount: first + second, divergedIDs: rest.map(\.id))
    }

    /// Whether an error concerns a document rather than the store.
    private static func isFault(_ error: DocIndexError) -> Bool {
        switch error.code {
        case .invalidDocument, .invalidID, .tooManyEntries, .attachmentMissing, .documentMissing: true
        default: false
        }
    }

    static func text(_ id: DocumentID) -> String { if case .string(let text) = id { text } else { "\(id)" } }

    /// Returns one arrival for each document.
    private static func merged(_ arrivals: [Arrival]) -> [Arrival] {
        var merged: [Arrival] = []
        var places: [DocumentID: Int] = [:]
        for arrival in arrivals {
            guard let place = places[arrival.id] else {
                places[arrival.id] = merged.count
                merged.append(arrival)
                continue
            }
            merged[place].versions += arrival.versions
            merged[place].listed += arrival.listed
            merged[place].digests.merge(arrival.digests) { $0 + $1 }
        }
        return merged
    }
}
