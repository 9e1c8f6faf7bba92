import DocIndex

/// Shows the progress of index builds: one line for each collection, with the indexes that are built together.
final class IndexBuildProgress {
    private let label: String
    private let options: GlobalOptions
    private var subject = ""
    private var reporter: ProgressReporter?

    init(_ label: String, _ options: GlobalOptions) {
        self.label = label
        self.options = options
    }

    /// Reports that a part of the build is done.
    ///
    /// - Throws: ``CommandError`` with `interrupted` after ^C; completed work is kept.
    func advance(_ step: DocumentStore.BuildProgress) throws {
        let name = "\(step.collection) (\(step.indexes.joined(separator: ", ")))"
        let done = Int(clamping: step.row)
        let total = Int(clamping: step.lastRow)
        guard !Interruption.isRequested else {
            var failure = Interruption.failure(
                "row \(HumanNumber.grouped(done)) of \(HumanNumber.grouped(total)) of \(name)")
            failure.hint = "completed work is kept; to continue, run migrate --write without a file"
            throw failure
        }
        if name != subject {
            reporter?.finish()
            subject = name
            reporter = try options.reporter("\(label): \(VisibleText.singleLine(name))", unit: .items("rows"))
        }
        reporter?.advance(done: done, total: total)
    }

    /// Removes the progress line from the screen.
    func finish() {
        reporter?.finish()
        reporter = nil
    }
}
