#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Takes a checkpoint: retries until the writer did not interfere, then publishes the result.
///
/// ``FileCollector`` explains why the result is a consistent state of the source.
struct CheckpointBuilder {
    let source: DatabaseDirectory
    let destination: DatabaseDirectory
    let tables: Checkpoint.Tables
    let tryLimit: Int
    /// The original database, if the source is the private directory through which LevelDB reads it; otherwise `nil`.
    var original: DatabaseDirectory?

    /// Retries until the checkpoint is complete.
    func run() throws(LevelError) -> Checkpoint {
        try check()
        let made = try MadeDirectories(DatabaseDirectory(resolved: destination.parentPath))
        do throws(LevelError) {
            return try runInStagingArea()
        } catch {
            made.remove()
            throw error
        }
    }

    private func runInStagingArea() throws(LevelError) -> Checkpoint {
        var staging = try StagingArea(beside: destination, like: original ?? source)
        let attachments = ContentDirectory(at: (original ?? source).path, isReadOnly: true)
        do throws(LevelError) {
            // Until the copy is complete, no file that it refers to is deleted.
            let lock = try attachments.holdFiles()
            let (attempt, tryCount) = try repeatedAttempt(into: &staging)
            // After the database, because records refer to files that exist.
            let attachmentCount = try staging.add(attachments, linksAllowed: tables == .linked)
            _ = consume lock
            try staging.publish(as: destination)
            return Checkpoint(
                path: destination.path,
                linkedTableCount: staging.tables.values.count { $0 == .linked },
                copiedTableCount: staging.tables.values.count { $0 == .copied },
                tableByteCount: attempt.manifest.tableByteCount, logByteCount: attempt.logs.byteCount,
                attachmentCount: attachmentCount,
                lastSequence: attempt.logs.lastSequence ?? attempt.manifest.lastSequence, tryCount: tryCount,
                holder: holder())
        } catch {
            staging.discard()
            throw error
        }
    }

    private func repeatedAttempt(
        into staging: inout StagingArea
    ) throws(LevelError) -> (result: CheckpointAttempt, tryCount: Int) {
        try FileCollector.repeated(source, tryLimit: tryLimit, action: "copy") {
            (follower) throws(FileCollector.Failure) in
            var attempt = try CheckpointAttempt(
                source: source, mode: tables, followsLinks: original != nil, follower: &follower)
            try attempt.run(into: &staging, follower: follower)
            return attempt
        }
    }

    // MARK: - Before and after

    private func check() throws(LevelError) {
        guard try source.content() == .database else { throw try source.missingDatabase() }
        guard FileStatus(linkAt: destination.path) == nil else {
            throw LevelError(
                .databaseExists, "\(destination.path) already exists; choose a path that does not exist")
        }
        // Compared as bytes, because a slash followed by a combining accent is a single `Character`.
        let database = original ?? source
        guard !destination.path.utf8.starts(with: database.file("").utf8) else {
            throw LevelError(
                .invalidArgument,
                "the checkpoint \(destination.path) would be inside the database at \(database.path); "
                    + "choose a path outside it")
        }
    }

    /// Returns the other process that holds the lock.
    private func holder() -> Int32? {
        guard let holder = LockFile.holder(in: original ?? source), holder != getpid() else { return nil }
        return holder
    }
}

extension DatabaseDirectory {
    /// The parent directory.
    var parentPath: String {
        Self.parent(of: path) ?? "/"
    }
}
