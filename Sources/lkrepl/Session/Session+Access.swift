import DocIndex
import LevelKit

extension Session {
    /// Runs `body` with a session on a database: the shell's own if it has the same path, otherwise a new one.
    ///
    /// Without `--write` the database is opened read-only.
    ///
    /// - Parameter savesMemory: Whether a new session has a small cache and write buffer.
    static func with<R>(
        _ path: String, _ options: GlobalOptions, savesMemory: Bool = false, _ body: (Session) throws -> R
    ) throws -> R {
        let start = ContinuousClock.now
        defer { options.detail("took \(start.millisecondsText)") }
        do {
            if let shell, shell.session.path == path {
                if options.write { try requireFreedom("writing") }
                guard options.write, shell.session.isReadOnly else { return try body(shell.session) }
                return try shell.withWritableSession(try DatabaseAccess(options), body)
            }
            try requireFreedom("opening another database")
            var access = try DatabaseAccess(options)
            access.savesMemory = savesMemory
            let session = try Session(path: path, access: access)
            try options.detail("opened \(session.summary()) in \(start.millisecondsText)")
            let result: R
            do {
                result = try body(session)
            } catch {
                try? session.close()
                throw error
            }
            try session.close()
            return result
        } catch let error as LevelError where error.code == .corruption || error.code == .io {
            throw CommandError(error).diagnosed(at: path)
        }
    }

    /// Throws if the commands of the shell may only read its database.
    static func requireFreedom(_ what: String) throws {
        if shell?.isConfined == true {
            throw CommandError(.noPermission, "\(what) is not possible in the console")
        }
    }

    /// Runs `body` on a temporary copy of a database, which is deleted afterwards.
    static func rehearsing<R>(_ path: String, _ body: (Session) throws -> R) throws -> R {
        try requireFreedom("copying the database")
        do {
            var owner = shell?.session
            if owner?.path != path || owner?.isReadOnly == true { owner = nil }
            let session = try Session(rehearsing: path, owner: owner)
            defer { try? session.close() }
            return try body(session)
        } catch let error as LevelError where error.code == .corruption || error.code == .io {
            throw CommandError(error).diagnosed(at: path)
        }
    }

    /// Opens a second database read-only.
    static func opened(_ path: String, _ options: GlobalOptions, beside first: Session) throws -> Session {
        try requireFreedom("opening another database")
        var access = try DatabaseAccess(options)
        access.isExclusive = false
        return try Session(path: path, access: access)
    }
}

extension DatabaseAccess {
    /// The access that the options of a command request.
    init(_ options: GlobalOptions) throws {
        try self.init(
            isExclusive: options.write, wait: options.wait, isQuiet: options.quiet, checksEveryBlock: options.untrusted)
    }

    /// The access that the options of a shell request.
    init(_ options: SharedOptions) throws {
        guard let wait = Double(options.wait ?? "0") else {
            throw CommandError(.usage, "--wait must be a number of seconds")
        }
        try self.init(
            isExclusive: options.isWritable, wait: wait, isQuiet: options.isQuiet,
            checksEveryBlock: options.checksEveryBlock)
    }

    private init(isExclusive: Bool, wait: Double, isQuiet: Bool, checksEveryBlock: Bool) throws {
        guard (0...86_400).contains(wait) else {
            throw CommandError(.usage, "--wait must be from 0 to 86400 seconds")
        }
        self.init(
            isExclusive: isExclusive, timeout: .seconds(wait), isQuiet: isQuiet, checksEveryBlock: checksEveryBlock)
    }
}
