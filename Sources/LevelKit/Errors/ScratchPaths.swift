internal import Synchronization

/// Maps the directories in which LevelDB reads databases that are open for reading to the original databases.
///
/// LevelDB's messages name its private directory, but users know only the original.
enum ScratchPaths {
    private static let originals = Mutex([String: String]())

    /// Replaces `scratch` by `original` in messages.
    static func insert(_ scratch: String, original: String) {
        originals.withLock { $0[scratch] = original }
    }

    /// Removes a directory from the map.
    static func remove(_ scratch: String) {
        originals.withLock { _ = $0.removeValue(forKey: scratch) }
    }

    /// Returns a message of LevelDB with the paths of the originals.
    static func translated(_ text: String) -> String {
        originals.withLock { originals in
            var text = text
            for (scratch, original) in originals { text = translated(text, scratch, original) }
            return text
        }
    }

    /// Returns a string with one path replaced by another.
    static func translated(_ text: String, _ scratch: String, _ original: String) -> String {
        text.replacing(scratch, with: original)
    }
}
