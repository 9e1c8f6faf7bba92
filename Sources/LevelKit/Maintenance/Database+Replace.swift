internal import LevelFiles

extension Database {
    /// Puts another database, such as a checkpoint, in the place of one. What was there is kept beside it.
    ///
    /// Two renames, so both must be on one file system; if the machine stops between them, the old database is under its
    /// new name and the other one where it was.
    ///
    /// - Parameters:
    ///   - path: the place; there may be no database yet.
    ///   - other: the directory that takes the place.
    /// - Returns: where the old database is kept, `<path>.replaced-N`; `nil` if there was none.
    /// - Throws: ``LevelError``: `databaseNotFound` if `other` is no database or `path` is something else; `locked` if
    ///   one of them is open here or elsewhere; `io`. Nothing has changed then.
    @discardableResult
    public static func replace(at path: String, with other: String) throws(LevelError) -> String? {
        let place = try DatabaseDirectory(path)
        let newcomer = try DatabaseDirectory(other)
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
        throw LevelError(.io, "there are ten thousand databases \(directory.path).replaced-N; delete some")
    }

    private static func rename(_ directory: DatabaseDirectory, to path: String) throws(LevelError) {
        do throws(SystemError) {
            try FileOperations.rename(directory.path, to: path)
        } catch {
            throw error.levelError("rename \(directory.path) to \(path)")
        }
    }
}
