import LevelFiles

extension CommandFailure {
    /// The failure for a file of a database that cannot be read.
    init(_ fault: FileFault) {
        let code: ExitCode =
            switch fault.kind {
            case .missing: .noInput
            case .unreadable: .inputOutput
            case .damaged, .foreign: .badData
            }
        // A fault of a foreign file says what to do behind a semicolon.
        let parts = fault.description.split(separator: "; ", maxSplits: 1).map(String.init)
        self.init(code, parts[0], hint: parts.count > 1 ? parts[1] : nil)
    }
}
