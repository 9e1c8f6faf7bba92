import DocSync
import TestSupport
import Testing

@Suite struct RetryPolicyTests {
    @Test func `Waits stay within a bound that doubles up to five minutes`() {
        var random = TestRun.random()
        for attempt in [Int.min, 0, 1, 2, 5, 10, 64, 1000, Int.max] {
            let doublings = min(max(attempt, 1) - 1, 30)
            let bound = min(Duration.milliseconds(500) * (1 << doublings), .seconds(300))
            for _ in 0..<100 {
                let wait = RetryPolicy().delay(attempt: attempt, using: &random)
                #expect(wait >= .zero && wait <= bound)
                #expect(RetryPolicy().delay(attempt: 1, retryAfter: .seconds(900), using: &random) == .seconds(900))
            }
        }
    }
}
