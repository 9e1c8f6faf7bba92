#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An identifier that distinguishes a store from its copies.
///
/// Sequence numbers continue independently in every copy. A follower that remembers a number from one store and asks
/// another would miss changes without noticing. It therefore remembers the epoch with the number. A checkpoint and a
/// store restored from one each get an epoch of their own.
public struct StoreEpoch: Sendable, Hashable, CustomStringConvertible {
    /// The epoch as a string.
    public let description: String

    /// Creates an epoch from a stored string.
    public init(text: String) { description = text }

    static func new() -> StoreEpoch { StoreEpoch(text: UUID().uuidString.lowercased()) }
}
