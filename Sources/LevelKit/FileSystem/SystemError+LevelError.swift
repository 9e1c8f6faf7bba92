internal import LevelFiles

extension SystemError {
    /// Returns the error to throw to a caller.
    ///
    /// - Parameter action: a phrase that completes "could not …", such as `read /data/photos.db/CURRENT`.
    func levelError(_ action: String) -> LevelError {
        LevelError(.io, "could not \(action); check free space, permissions and the disk", cause: text)
    }
}
