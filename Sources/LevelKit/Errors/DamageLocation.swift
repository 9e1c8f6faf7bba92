internal import LevelFiles

extension LevelError {
    /// How long an error may take to find its place, about. Only what has failed already waits for it.
    private static let searchLimit = Duration.seconds(2)

    /// This error of a read or a compaction, with the file and the byte of the damage where they can be found.
    ///
    /// - Parameter key: the key that was read, or next to which a cursor met the damage; `nil` for the last one.
    func located(near key: [UInt8]?, order: KeyOrder, in path: String) -> LevelError {
        located(in: path, order: order) { $0.fault(near: key) }
    }

    /// This error of a write. LevelDB refuses writes after a compaction has met damage, which may be anywhere.
    func locatedAnywhere(in path: String) -> LevelError {
        located(in: path, order: .bytewise) { $0.fault(near: nil) ?? $0.faultAtOpening() }
    }

    /// This error of an opening, with the file and the byte of the damage where they can be found.
    func locatedAtOpening(of path: String) -> LevelError {
        located(in: path, order: .bytewise) { $0.faultAtOpening() }
    }

    private func located(
        in path: String, order: KeyOrder, _ search: (DamageSearch) -> FileFault?
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

    /// What the message of an error of the engine says of stored data whose place is not known.
    static let damageAdvice = "stored data is damaged or missing; \(salvageAdvice)"
    /// As ``damageAdvice``, for a table that ends early.
    static let shortTableAdvice = "a table is shorter than it was written; \(salvageAdvice)"
    private static let salvageAdvice = "restore a backup or salvage with repair"
}
