#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The clock of the records that note a time.
package enum StoreClock {
    /// The time in tests; `nil` for the time of the system.
    @TaskLocal static var fixed: UInt64?

    /// Milliseconds since 1970.
    package static var now: UInt64 { fixed ?? UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }
}
