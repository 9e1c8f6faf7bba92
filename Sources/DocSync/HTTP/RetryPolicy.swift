/// How long to wait before a request is sent again.
package struct RetryPolicy: Sendable, Hashable {
    /// The upper bound of the first wait.
    package var firstBound = Duration.milliseconds(500)
    /// The largest upper bound, which a peer can exceed by `Retry-After`.
    package var largestBound = Duration.seconds(300)

    /// Creates the policy of half a second to five minutes.
    package init() {}

    /// Returns a random wait up to a bound that doubles with each attempt ("full jitter"), so that many clients of a
    /// peer that was restarted do not return at once.
    ///
    /// - Parameters:
    ///   - attempt: the number of failures so far without success, from 1.
    ///   - retryAfter: the wait requested by the peer; the result is at least as long.
    package func delay(
        attempt: Int, retryAfter: Duration? = nil, using random: inout some RandomNumberGenerator
    ) -> Duration {
        // 2³⁰ times any first bound worth setting is above the largest bound.
        let bound = min(firstBound * (1 << min(max(attempt, 1) - 1, 30)), largestBound)
        let jitter = bound * Double.random(in: 0...1, using: &random)
        return max(jitter, retryAfter ?? .zero)
    }

    /// Whether a response with this status may be another one if the request is sent again unchanged.
    package static func isTransient(status: Int) -> Bool {
        switch status {
        case 408, 429, 502, 503, 504: true
        default: false
        }
    }
}
