internal import LevelFiles

extension LevelError {
    /// The approximate time limit for locating corruption. Only calls that have already failed spend it. Tests raise
    /// this limit.
    @TaskLocal static var searchLimit = Duration.seconds(2)

    /// Returns this error of a read or compaction, with the file and byte offset of the corruption if they can be
    /// found.
    ///
    /// - Parameter key: the key that was read, or the key before the corruption that a cursor found; `nil` for the last
    ///   key.
    func located(near key: [UInt8]?, order: KeyOrder, in path: String) -> LevelError {
        located(in: path, order: order) { $0.fault(near: key) }
    }

    /// Returns this write error with its location. After a compaction finds corruption, which may be anywhere,
    /// LevelDB refuses writes.
    func locatedAnywhere(in path: String) -> LevelError {
        located(in: path, order: .bytewise) { $0.fault(near: nil) ?? $0.faultAtOpening() }
    }

    /// Returns this error of an open, with the file and byte offset of the corruption if they can be found.
    func locatedAtOpening(of path: String) -> LevelError {
        located(in: path, order: .bytewise) { $0.faultAtOpening() }
    }

    private func located(
        in path: String, order: KeyOrder, _ search: (DamageSearch) -> FileError?
    ) -> LevelError {
        guard code == .corruption, file == nil, let files = try? DatabaseFiles(at: path) else { return self }
        let damage = DamageSearch(files, within: Self.searchLimit) { order.compare($0.span, $1.span) }
        guard let fault = search(damage), fault.kind != .unreadable else { return self }
        let known = [Self.damageAdvice, Self.shortTableAdvice].first { message.hasSuffix($0) }
        let beginning = known.map { String(message.dropLast($0.count)) } ?? message + ": "
        return LevelError(
            .corruption, "\(beginning)\(fault.description); \(Self.salvageAdvice)", cause: cause, file: fault.file,
            offset: fault.offset)
    }

    /// The end of the message for corruption whose location is unknown.
    static let damageAdvice = "stored data is damaged or missing; \(salvageAdvice)"
    /// Like ``damageAdvice``, for a truncated table file.
    static let shortTableAdvice = "a table file is truncated; \(salvageAdvice)"
    private static let salvageAdvice = "restore a backup, or salvage the data with repair"
}
