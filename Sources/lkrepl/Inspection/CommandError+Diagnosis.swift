import LevelFiles

extension CommandError {
    /// The failure for a foreign or damaged database, with advice.
    init(_ diagnosis: Diagnosis) {
        self.init(.badData, diagnosis.explanation, hint: diagnosis.advice)
    }

    /// This failure to open a database, replaced by a diagnosis of its files; unchanged if there is none.
    func diagnosed(at path: String) -> CommandError {
        guard exitCode == .badData || exitCode == .usage || exitCode == .inputOutput,
            let files = try? DatabaseFiles(at: path), let finding = Diagnosis.findings(in: files).first
        else { return self }
        var failure = CommandError(finding)
        failure.message = "cannot open \(path): \(finding.explanation)"
        failure.context = context
        return failure
    }
}
