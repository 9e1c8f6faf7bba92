internal import LevelFiles

extension Database {
    /// Replaces a database by another one, such as a checkpoint. The old database is kept next to it.
    ///
    /// Performs two renames, so both directories must be on the same file system. If the machine stops between them,
    /// the old database is at its new path and the other one at its original path.
    ///
    /// - Parameters:
    ///   - path: the path to replace. It may be missing.
    ///   - other: the directory that moves to `path`.
    /// - Returns: the new path of the old database, `<path>.replaced-N`, or `nil` if it did not exist.
    /// - Throws: ``LevelError``: `databaseNotFound` if `other` is not a database or `path` is something else; `locked`
    ///   if either is open in this or another process; `io`. Nothing is changed in these cases.
    @discardableResult
    public static func replace(at path: String, with other: String) throws(LevelError) -> String? {
        let place = try DatabaseDirectory(toChange: path)
        let newcomer = try DatabaseDirectory(toChange: other)
        guard try newcomer.content() == .database else { throw try newcomer.missingDatabase() }
        let newcomerAccess = try ExclusiveAccess(to: newcomer)
        var keptPath: String?
        switch try place.content() {
        case .missing: try rename(newcomer, to: place.path)
        case .database, .databaseWithoutCurrent:
            let access = try ExclusiveAccess(to: place)
            let kept = try keptDirectory(beside: place)
            try rename(place, to: kept)
            do throws(LevelError) {
                try rename(newcomer, to: place.path)
            } catch {
                try? FileOperations.rename(kept, to: place.path)
                throw error
            }
            keptPath = kept
            _ = consume access
        case .empty, .foreign, .notADirectory: throw try place.missingDatabase()
        }
        _ = consume newcomerAccess
        try? FileOperations.synchronizeDirectory(place.parentPath)
        return keptPath
    }

    private static func keptDirectory(beside directory: DatabaseDirectory) throws(LevelError) -> String {
        for number in 1..<10_000 {
            let path = "\(directory.path).replaced-\(number)"
            if !FileOperations.exists(path) { return path }
        }
        throw LevelError(.io, "10,000 databases \(directory.path).replaced-N already exist; delete some")
    }

    private static func rename(_ directory: DatabaseDirectory, to path: String) throws(LevelError) {
        do throws(SystemError) {
            try FileOperations.rename(directory.path, to: path)
        } catch {
            throw error.levelError("rename \(directory.path) to \(path)")
        }
    }
}
