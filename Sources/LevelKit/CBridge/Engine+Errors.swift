import CLevelDB

/// The out-parameter through which every fallible function of the C interface reports errors.
///
/// LevelDB expects NULL on entry. On failure it returns a `malloc`ed string, to be freed with `leveldb_free`.
enum EngineErrorSlot {
    /// Calls `body` with the slot and returns the error message, or `nil` on success.
    static func capture<R>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> (result: R, error: String?) {
        var text: UnsafeMutablePointer<CChar>? = nil
        let result = unsafe body(&text)
        guard let message = unsafe text else { return (result, nil) }
        let error = unsafe String(cString: message)
        unsafe leveldb_free(message)
        return (result, error)
    }
}
