package import DocIndex

/// The progress of a replication. Both sides keep one, so each notices when the other was restored from a backup.
///
/// The JSON text has the members that CouchDB's own replicator writes, and in each session a member `commit`.
package struct Checkpoint: Sendable, Hashable {
    /// One save of a checkpoint.
    package struct Session: Sendable, Hashable {
        package let id: String
        /// The position in the source's feed. The target has everything before it.
        package let position: PeerPosition
        /// The last commit of the store that saved the checkpoint, at that moment.
        package let commit: UInt64
        /// The number of documents written so far by the replication.
        package let written: Int
        /// The time, as RFC 3339 writes it.
        package let time: String

        package init(id: String, position: PeerPosition, commit: UInt64, written: Int, time: String) {
            self.id = id
            self.position = position
            self.commit = commit
            self.written = written
            self.time = time
        }
    }

    /// The saves, newest first.
    package private(set) var sessions: [Session]

    package init(sessions: [Session] = []) { self.sessions = sessions }

    /// Adds a save. Of the older ones, the newest are kept, then fewer and fewer, so that also a side that was set back
    /// by weeks finds one that it knows.
    package mutating func add(_ session: Session) {
        sessions.insert(session, at: 0)
        guard sessions.count > Self.limit else { return }
        // Among the older half, every second one goes.
        let kept = Self.limit / 2
        sessions = sessions[..<kept] + sessions[kept...].enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }

    private static let limit = 32

    /// Returns the newest save that both sides have; `nil` if there is none.
    package func common(with other: Checkpoint) -> Session? {
        sessions.first { session in
            other.sessions.contains { $0.id == session.id && $0.position == session.position }
        }
    }

    /// Returns whether `other` has a save that is newer than all common ones and missing here. Since this side saves
    /// first, it has then been set back.
    package func isBehind(_ other: Checkpoint) -> Bool {
        guard let newest = other.sessions.first else { return false }
        return !sessions.contains { $0.id == newest.id }
    }
}

extension Checkpoint {
    /// Reads a checkpoint. Saves that cannot be read are left out.
    package init(_ object: DocumentObject) {
        guard case .array(let entries)? = object["history"] else {
            self.init()
            return
        }
        let sessions = entries.compactMap { entry -> Session? in
            guard case .object(let entry) = entry, case .string(let id)? = entry["session_id"],
                let position = entry["recorded_seq"]
            else { return nil }
            var (commit, written, time) = (UInt64(0), 0, "")
            if case .int(let number)? = entry["commit"] { commit = UInt64(max(number, 0)) }
            if case .int(let number)? = entry["docs_written"] { written = Int(number) }
            if case .string(let text)? = entry["end_time"] { time = text }
            return Session(id: id, position: PeerPosition(position), commit: commit, written: written, time: time)
        }
        self.init(sessions: sessions)
    }

    /// The members of the document.
    package var object: DocumentObject {
        let entries = sessions.map { session -> DocumentValue in
            [
                "session_id": .string(session.id), "recorded_seq": session.position.value,
                "end_last_seq": session.position.value, "end_time": .string(session.time),
                "docs_written": .int(Int64(session.written)), "commit": .int(Int64(clamping: session.commit)),
            ]
        }
        return [
            "session_id": .string(sessions.first?.id ?? ""), "source_last_seq": sessions.first?.position.value ?? 0,
            "replication_id_version": 4, "history": .array(entries),
        ]
    }
}
