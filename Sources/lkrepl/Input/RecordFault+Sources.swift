import DocIndex

extension RecordFault {
    /// The fault of a text that is no JSON, or not that of a record.
    ///
    /// - Parameter offset: the bytes before the record; the error has the place within the input.
    init(_ error: JSONError, recordOffset offset: Int) {
        self.init(
            error.code == .invalidUTF8 ? .utf8 : error.code == .duplicateName ? .duplicateKey : .syntax, error.message)
        line = error.line
        column = error.column
        self.offset = offset
    }

    /// The fault of a line that cannot be read.
    init(_ failure: LineReadFailure) {
        switch failure.reason {
        case .tooLong(let maximum):
            self.init(
                .size,
                "the line that begins at byte \(failure.offset) is longer than \(HumanNumber.grouped(maximum)) bytes",
                hint: "raise --max-line, or check that the file consists of lines at all")
        case .system(let error):
            self.init(.reading, "cannot read on after byte \(failure.offset): \(error)", hint: error.hint)
            exitCode = error.isInterruption ? .interrupted : error.exitCode
            isRecoverable = false
        }
        line = failure.lineNumber
        offset = failure.offset
    }
}
