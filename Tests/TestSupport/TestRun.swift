internal import Foundation

/// What the environment asks of the random tests: `LEVELKIT_TEST_SEED` repeats a run, `LEVELKIT_TEST_LONG=1` asks for
/// the long form.
public enum TestRun {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether the long form of the tests is asked for.
    public static let isLong = environment["LEVELKIT_TEST_LONG"] == "1"

    /// The seed of this run, printed when it is first asked for.
    public static let seed: UInt64 = {
        let seed = environment["LEVELKIT_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: .min ... .max)
        print("random tests run with LEVELKIT_TEST_SEED=\(seed)")
        return seed
    }()

    /// What a failure says so that it can be repeated.
    public static var repetition: String { "repeat with LEVELKIT_TEST_SEED=\(seed)" }

    /// How many rounds a random test runs.
    public static func rounds(_ usual: Int, long: Int) -> Int { isLong ? long : usual }

    /// A random source for one test: of this run's seed, and different for each `stream`.
    public static func random(stream: UInt64 = 0) -> SplitMix64 {
        var source = SplitMix64(seed: seed ^ (stream &* 0xd134_2543_de82_ef95))
        _ = source.next()
        return source
    }
}
