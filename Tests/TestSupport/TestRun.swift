internal import Foundation

/// Settings of the random tests from the environment: `LEVELKIT_TEST_SEED` repeats a run, and `LEVELKIT_TEST_LONG=1`
/// selects the long form.
public enum TestRun {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether the long form of the tests is selected.
    public static let isLong = environment["LEVELKIT_TEST_LONG"] == "1"

    /// The seed of this run, printed on first use.
    public static let seed: UInt64 = {
        let seed = environment["LEVELKIT_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: .min ... .max)
        print("random tests run with LEVELKIT_TEST_SEED=\(seed)")
        return seed
    }()

    /// The part of a failure message that says how to repeat the run.
    public static var repetition: String { "repeat with LEVELKIT_TEST_SEED=\(seed)" }

    /// Returns the number of rounds of a random test.
    public static func rounds(_ usual: Int, long: Int) -> Int { isLong ? long : usual }

    /// Returns a random source for one test, derived from this run's seed and different for each `stream`.
    public static func random(stream: UInt64 = 0) -> SplitMix64 {
        var source = SplitMix64(seed: seed ^ (stream &* 0xd134_2543_de82_ef95))
        _ = source.next()
        return source
    }
}
