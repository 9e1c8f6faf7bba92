#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

extension PackagedStore {
    /// The directory for temporary files.
    static var temporaryDirectory: String {
        let variable = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        return variable.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    }
}
