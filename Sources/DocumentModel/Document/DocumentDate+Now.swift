extension DocumentDate {
    /// The current instant in UTC.
    package static var now: DocumentDate { DocumentDate(utcMilliseconds: Int64(clamping: StoreClock.now)) }
}
