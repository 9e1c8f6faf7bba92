extension LevelError {
    /// The kinds of status, which LevelDB's C interface reports as the prefix of a message (`util/status.cc`).
    ///
    /// The C interface reports nothing else. Messages are parsed only here.
    private static let statusPrefixes: [(prefix: String, code: Code)] = [
        ("Corruption: ", .corruption),
        ("IO error: ", .io),
        ("Invalid argument: ", .invalidArgument),
        ("Not implemented: ", .notSupported),
        // `PosixError(ENOENT)` is "NotFound": a required file is missing.
        ("NotFound: ", .corruption),
    ]

    private static let comparatorSeparator = " does not match existing comparator : "

    /// Converts a message that LevelDB reported during `action` to an error.
    ///
    /// - Parameter action: a phrase that completes "could not …", such as `read a key from /data/photos.db`.
    static func engine(_ text: String, action: String) -> LevelError {
        let text = ScratchPaths.translated(text)
        for (prefix, code) in statusPrefixes where text.hasPrefix(prefix) {
            return refined(code, detail: String(text.dropFirst(prefix.count)), action: action)
        }
        return LevelError(.unknown, "could not \(action)", cause: text)
    }

    /// Distinguishes failures that LevelDB reports with the same status.
    private static func refined(_ code: Code, detail: String, action: String) -> LevelError {
        switch code {
        case .invalidArgument where detail.contains(comparatorSeparator):
            return comparatorMismatch(detail, action: action)
        case .invalidArgument where detail.contains("error_if_exists is true"):
            return LevelError(
                .databaseExists, "could not \(action): a database already exists; open it, or choose another path",
                cause: detail)
        case .io where detail.hasPrefix("lock "):
            return LevelError(
                .locked, "could not \(action): another process has it open; close it there and try again", cause: detail
            )
        case .io where isBehindEndOfTable(detail):
            return LevelError(.corruption, "could not \(action): \(shortTableAdvice)", cause: detail)
        case .io:
            return LevelError(
                .io, "could not \(action): the system refused; check free space, permissions and the disk",
                cause: detail)
        case .corruption:
            return LevelError(.corruption, "could not \(action): \(damageAdvice)", cause: detail)
        default:
            return LevelError(code, "could not \(action)", cause: detail)
        }
    }

    /// Returns whether LevelDB tried to read past the end of a mapped table file. LevelDB reports that as a system call
    /// with an invalid argument, although it made no system call (`PosixMmapReadableFile::Read` in
    /// `util/env_posix.cc`).
    private static func isBehindEndOfTable(_ detail: String) -> Bool {
        detail.hasSuffix(".ldb: Invalid argument") || detail.hasSuffix(".sst: Invalid argument")
    }

    /// LevelDB's message names the two comparators in reverse: `<stored> does not match existing comparator : <given>`
    /// (`db/version_set.cc`).
    private static func comparatorMismatch(_ detail: String, action: String) -> LevelError {
        let separator = detail.firstRange(of: comparatorSeparator)
        let stored = separator.map { String(detail[..<$0.lowerBound]) } ?? "?"
        let given = separator.map { String(detail[$0.upperBound...]) } ?? "?"
        return LevelError(
            .comparatorMismatch,
            "could not \(action): it is ordered by the comparator \(stored), but was opened with \(given); "
                + "open it with \(stored)",
            cause: detail)
    }
}
