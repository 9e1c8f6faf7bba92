extension DocumentDate {
    /// A format in which strings are read as dates.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// `2012-06-08` or `2012-06-08T18:02:11`. A space may replace the `T`; seconds, fractions of seconds and a time
        /// zone (`Z`, `+02:00`, `+0200`, `+02`) are optional.
        case iso8601
        /// `2012:06:08 18:02:11` as written by cameras, with an optional fraction of seconds and an optional time zone.
        case exif
    }
}

extension DocumentDate {
    /// A numeric part of a date, in the date's own time zone.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        /// The year.
        case year
        /// The month, 1 to 12.
        case month
        /// The day of the month, 1 to 31.
        case day
        /// The year times 100 plus the month, such as 201206, for timelines.
        case yearMonth
        /// The year times 10,000 plus the month times 100 plus the day, such as 20120608, for timelines.
        case yearMonthDay
        /// The month times 100 plus the day, such as 608, for "on this day".
        case monthDay
        /// The day of the week, from 1 for Monday to 7 for Sunday, as in ISO 8601.
        case weekday
        /// The hour, 0 to 23.
        case hour
        /// The minute, 0 to 59.
        case minute
    }
}
