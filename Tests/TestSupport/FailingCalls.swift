import Foundation

/// The library that is preloaded between a test process and the C library; see `Tests/Fixtures/failing-calls`.
public enum FailingCalls {
    /// The path of the library.
    public static let library = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "libfailing-calls.so").path()

    /// Whether the system supports preloading the library.
    public static var canPreload: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }
}
