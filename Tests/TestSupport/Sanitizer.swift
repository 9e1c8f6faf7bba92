internal import Foundation

/// The address or the thread sanitizer.
public enum Sanitizer {
    /// Whether the process runs under one of them, detected by their entry points. Their own memory then makes that of
    /// the process several times as large.
    public static let isPresent = isPresent("__asan_init") || isPresent("__tsan_init")

    /// Whether the process runs under the thread sanitizer. It reports the end of a process within one of its own
    /// functions as an error.
    public static let checksThreads = isPresent("__tsan_init")

    private static func isPresent(_ entryPoint: String) -> Bool {
        unsafe dlsym(dlopen(nil, RTLD_NOW), entryPoint) != nil
    }
}
