internal import Synchronization

/// The directories in which LevelDB reads databases that were opened for reading, and the databases that they stand for.
///
/// LevelDB's messages name its own directory. A user knows only the original.
enum ScratchPaths {
    private static let originals = Mutex([String: String]())

    /// Has messages about `scratch` name `original` in its place.
    static func insert(_ scratch: String, original: String) {
        originals.withLock { $0[scratch] = original }
    }

    /// Forgets a directory.
    static func remove(_ scratch: String) {
        originals.withLock { _ = $0.removeValue(forKey: scratch) }
    }

    /// A message of LevelDB's with the paths of originals.
    static func translated(_ text: String) -> String {
        originals.withLock { originals in
            var text = text
            for (scratch, original) in originals { text = translated(text, scratch, original) }
            return text
        }
    }

    /// A text with one path in place of another.
    static func translated(_ text: String, _ scratch: String, _ original: String) -> String {
        text.replacing(scratch, with: original)
    }
}
