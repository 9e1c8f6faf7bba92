import DocIndex
import LevelKit

extension Session {
    /// Runs `body` on a copy of a database, which replaces the database when `body` returns. If `body` throws, or the
    /// process is killed at any moment, the database is unchanged.
    ///
    /// Until the replacement, other processes cannot write to the database, and read its old content.
    static func replacing<R>(_ path: String, _ options: GlobalOptions, _ body: (Session) throws -> R) throws -> R {
        let access = try DatabaseAccess(options)
        if let shell, shell.session.path == path {
            return try shell.withClosedSession { try tellingOfNoChange { try replacing(path, access, body) } }
        }
        return try tellingOfNoChange { try replacing(path, access, body) }
    }

    /// Runs a replacement or its preparation. If it is interrupted, the failure says that nothing has changed.
    static func tellingOfNoChange<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error where Interruption.isRequested {
            var failure = CommandError(error)
            if failure.hint == nil { failure.hint = Loader.nothingChanged }
            throw failure
        }
    }

    private static func replacing<R>(
        _ path: String, _ access: DatabaseAccess, _ body: (Session) throws -> R
    ) throws -> R {
        let replacement = try access.replacement(of: path)
        do {
            let session = try Session(copyIn: replacement, of: path)
            let result: R
            do {
                let former = try session.isDocumentStore() ? session.store().sequence() : nil
                result = try body(session)
                if let former { try session.removeReplacedAttachments(since: former) }
                // All data must be in tables before the old content is replaced.
                try session.database.flush()
            } catch {
                try? session.close()
                throw error
            }
            try session.close()
            try Interruption.check()
            try replacement.publish()
            return result
        } catch {
            replacement.discard()
            throw error
        }
    }
}

extension Session {
    /// Deletes the attachments that only the replaced documents referred to.
    ///
    /// If it is not certain which ones these are, all are kept; `verify` tells why.
    fileprivate func removeReplacedAttachments(since sequence: UInt64) throws {
        do {
            try store().attachments.collectGarbage(releasedAfter: sequence)
        } catch let error as DocIndexError where error.code == .attachmentsInUse || error.code == .corruption {
            return
        }
    }
}

extension DatabaseAccess {
    /// Locks a database and copies it for a replacement. The copy is removed when the process ends.
    ///
    /// - Throws: Like ``open(_:)``.
    fileprivate func replacement(of path: String) throws -> DatabaseReplacement {
        do {
            let replacement = try DatabaseReplacement(of: path, waiting: timeout)
            Interruption.removeAtExit(replacement.scratch)
            return replacement
        } catch {
            if error.code == .io, let reason = Self.reasonForReading(path) { throw Self.unwritable(path, reason) }
            throw CommandError(error).diagnosed(at: path)
        }
    }
}
