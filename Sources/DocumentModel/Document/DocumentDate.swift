/// A date in milliseconds, with the offset of its time zone from UTC if that is known.
///
/// Cameras usually record the local time without a time zone. Such dates are a separate case: their milliseconds are
/// the local time read as if it were UTC. For a date with a zone, the milliseconds are the instant, and the offset
/// gives the local time.
///
/// Equal dates have the same milliseconds and the same offset. Dates are ordered by milliseconds, then by offset, with
/// a missing zone first.
public struct DocumentDate: Sendable, Hashable {
    /// Milliseconds since 1970-01-01T00:00:00 in UTC, or in local time for a date without a zone. There are no leap
    /// seconds.
    public let milliseconds: Int64
    private let minutes: Int16

    /// The largest offset of a zone from UTC, in minutes: one minute less than a day.
    public static let maximumOffsetMinutes = 24 * 60 - 1

    /// The value that represents a missing zone.
    private static let noZone = Int16.min

    /// Creates a date without a zone.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
        minutes = Self.noZone
    }

    /// Creates a date with a zone; `nil` if the offset, in minutes east of UTC, is a day or more.
    public init?(milliseconds: Int64, offsetMinutes: Int) {
        guard -Self.maximumOffsetMinutes...Self.maximumOffsetMinutes ~= offsetMinutes else { return nil }
        self.milliseconds = milliseconds
        minutes = Int16(offsetMinutes)
    }

    /// Creates an instant in UTC.
    public init(utcMilliseconds: Int64) {
        milliseconds = utcMilliseconds
        minutes = 0
    }

    /// Minutes east of UTC; `nil` without a zone.
    public var offsetMinutes: Int? { minutes == Self.noZone ? nil : Int(minutes) }
}

extension DocumentDate: Comparable {
    /// Whether the left date comes first. See ``DocumentDate`` for the order.
    public static func < (left: DocumentDate, right: DocumentDate) -> Bool {
        // The value for a missing zone is the smallest `Int16`.
        (left.milliseconds, left.minutes) < (right.milliseconds, right.minutes)
    }
}
