import LevelFiles

extension CommandError {
    /// The failure for an unreadable database file.
    init(_ fault: FileError) {
        let code: ExitCode =
            switch fault.kind {
            case .missing: .noInput
            case .unreadable: .inputOutput
            case .damaged, .foreign: .badData
            }
        // The description of a foreign file contains a hint after a semicolon.
        let parts = fault.description.split(separator: "; ", maxSplits: 1).map(String.init)
        self.init(code, parts[0], hint: parts.count > 1 ? parts[1] : nil)
    }
}
