// Formatting of elapsed time, common to all commands.

extension ContinuousClock.Instant {
    /// The seconds since this instant.
    var secondsToNow: Double { (ContinuousClock.now - self) / .seconds(1) }

    /// The seconds since this instant, such as `1.2 s`.
    var secondsText: String {
        let tenths = Int((secondsToNow * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// The milliseconds since this instant, such as `3.1 ms`.
    var millisecondsText: String { "\((secondsToNow * 10_000).rounded() / 10) ms" }
}
