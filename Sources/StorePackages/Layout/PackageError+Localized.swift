#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension PackageError: LocalizedError {
    /// The message, for alerts.
    public var errorDescription: String? { message }
}
