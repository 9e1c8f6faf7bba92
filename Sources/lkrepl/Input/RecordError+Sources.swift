import DocIndex

extension RecordError {
    /// The fault of invalid JSON.
    ///
    /// - Parameter offset: The number of bytes before the record. The error contains the position within the input.
    init(_ error: JSONError, recordOffset offset: Int) {
        self.init(
            error.code == .invalidUTF8 ? .utf8 : error.code == .duplicateName ? .duplicateKey : .syntax, error.message)
        line = error.line
        column = error.column
        self.offset = offset
    }

    /// The fault of an unreadable line.
    init(_ failure: LineReadError) {
        switch failure.reason {
        case .tooLong(let maximum):
            self.init(
                .size,
                "the line that begins at byte \(failure.offset) is longer than \(HumanNumber.grouped(maximum)) bytes",
                hint: "raise --max-line, or check that the file is line-based")
        case .system(let error):
            let isStopped = error.isInterruption && Interruption.isRequested
            self.init(
                .reading,
                isStopped ? "interrupted" : "cannot read after byte \(failure.offset): \(error)",
                hint: isStopped ? nil : error.hint)
            exitCode = error.isInterruption ? .interrupted : error.exitCode
            isRecoverable = false
        }
        line = failure.lineNumber
        offset = failure.offset
    }
}
