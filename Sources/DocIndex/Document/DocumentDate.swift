/// A moment of a document: milliseconds, and how far the clock that showed it was from UTC, if that is known.
///
/// Cameras write what their clock said and mostly not where it stood. So a date without a zone is a date of its own: its
/// milliseconds are those of the wall clock read as if it were UTC. With a zone, the milliseconds are those of the
/// instant, and the offset says which wall clock belongs to it.
///
/// Equal dates have the same milliseconds and the same offset. Dates are ordered by their milliseconds; those of the same
/// ones by offset, without a zone first.
public struct DocumentDate: Sendable, Hashable {
    /// Milliseconds since 1970-01-01T00:00:00, of UTC or, without a zone, of the wall clock. There are no leap seconds.
    public let milliseconds: Int64
    private let minutes: Int16

    /// The largest distance of a zone from UTC, in minutes: a day but one minute.
    public static let maximumOffsetMinutes = 24 * 60 - 1

    /// Stands for no zone.
    private static let noZone = Int16.min

    /// A date without a zone.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
        minutes = Self.noZone
    }

    /// A date with a zone; `nil` if the offset, in minutes east of UTC, is a day or more.
    public init?(milliseconds: Int64, offsetMinutes: Int) {
        guard -Self.maximumOffsetMinutes...Self.maximumOffsetMinutes ~= offsetMinutes else { return nil }
        self.milliseconds = milliseconds
        minutes = Int16(offsetMinutes)
    }

    /// An instant of which nothing but UTC is known.
    public init(utcMilliseconds: Int64) {
        milliseconds = utcMilliseconds
        minutes = 0
    }

    /// Minutes east of UTC; `nil` without a zone.
    public var offsetMinutes: Int? { minutes == Self.noZone ? nil : Int(minutes) }
}

extension DocumentDate: Comparable {
    /// Whether the left date comes first; see ``DocumentDate``.
    public static func < (left: DocumentDate, right: DocumentDate) -> Bool {
        // No zone is the smallest number there is.
        (left.milliseconds, left.minutes) < (right.milliseconds, right.minutes)
    }
}
