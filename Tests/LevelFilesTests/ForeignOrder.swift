import LevelKit

/// Key orders other than LevelDB's default.
enum ForeignOrder {
    /// Returns options for a database with a comparator of this name, which orders bytewise or in reverse.
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
