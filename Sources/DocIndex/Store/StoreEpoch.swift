internal import Foundation

/// What tells a store apart from its copies.
///
/// Sequence numbers count on in every copy by themselves. A follower that remembers a number of one store and asks
/// another would miss changes without noticing, so it remembers the epoch with the number. A checkpoint and a store
/// brought back from one get an epoch of their own.
public struct StoreEpoch: Sendable, Hashable, CustomStringConvertible {
    /// The epoch as text.
    public let description: String

    /// An epoch that was kept as text.
    public init(text: String) { description = text }

    static func new() -> StoreEpoch { StoreEpoch(text: UUID().uuidString.lowercased()) }
}
