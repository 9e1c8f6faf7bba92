import LevelKit

/// Orders of keys that are not LevelDB's own.
enum ForeignOrder {
    /// Options for a database with an order of this name, which is that of the bytes or its reverse.
    static func options(_ name: String, isReversed: Bool = false) -> DatabaseOptions {
        var options = DatabaseOptions()
        options.bloomFilterBitsPerKey = 0
        options.order = .custom(name) { left, right in
            let (left, right) = (left.copied(), right.copied())
            return left == right ? 0 : left.lexicographicallyPrecedes(right) != isReversed ? -1 : 1
        }
        return options
    }
}
