/// Finds keys whose versions LevelDB has put into two files of one level.
///
/// A compaction that runs while a snapshot lives keeps the old value of a deleted key, and may cut its output between
/// the deletion and the value. LevelDB 1.23 then moves or drops the file with the deletion without the other, and the
/// deleted key is there again (google/leveldb#320; mended after the release). Writing the key once more and compacting
/// its range, after the snapshot is gone, merges both files and ends the matter.
enum SplitKeys {
    /// A file in the engine's list.
    struct File: Equatable {
        let level: Int
        /// The first and the last key, with unprintable bytes as `\xNN`.
        let smallest: Substring
        let largest: Substring
    }

    /// The keys at which a file ends and another begins.
    ///
    /// - Parameter list: the property `leveldb.sstables`.
    static func keys(in list: String) -> [[UInt8]] {
        let files = self.files(in: list).filter { $0.level > 0 }
        let ends = Set(files.filter { $0.smallest != $0.largest }.map(\.largest))
        var found: Set<Substring> = []
        for file in files where ends.contains(file.smallest) { found.insert(file.smallest) }
        // A file of one key alone both begins and ends there.
        let single = files.filter { $0.smallest == $0.largest }
        for file in single
        where files.contains(where: { $0 != file && ($0.largest == file.smallest || $0.smallest == file.smallest) }) {
            found.insert(file.smallest)
        }
        return found.map(unescaped)
    }

    /// The files in a list of levels and lines such as ` 17:1234['a' @ 5 : 1 .. 'b' @ 9 : 0]` (`Version::DebugString`,
    /// `db/version_set.cc`).
    static func files(in list: String) -> [File] {
        var level = 0
        var files: [File] = []
        for line in list.split(separator: "\n") {
            if line.hasPrefix("--- level ") {
                level = Int(line.dropFirst(10).prefix { $0.isNumber }) ?? 0
            } else if let (smallest, largest) = bounds(in: line) {
                files.append(File(level: level, smallest: smallest, largest: largest))
            }
        }
        return files
    }

    /// The two keys of a line; `nil` for a line of another form.
    private static func bounds(in line: Substring) -> (Substring, Substring)? {
        // Cut at the bytes that no number contains; keys may contain anything, so the outer cuts are made first.
        let utf8 = line.utf8
        guard let open = utf8.firstIndex(of: UInt8(ascii: "[")), line[open...].hasPrefix("['"),
            let middle = line.firstRange(of: " .. '"), let firstEnd = line[..<middle.lowerBound].lastQuote,
            let secondEnd = line.lastQuote, secondEnd >= middle.upperBound
        else { return nil }
        let start = utf8.index(open, offsetBy: 2)
        guard start <= firstEnd else { return nil }
        return (line[start..<firstEnd], line[middle.upperBound..<secondEnd])
    }

    /// The bytes of a key of the list (`EscapeString`, `util/logging.cc`).
    static func unescaped(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16),
                value < 0x20 || value > 0x7e
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

extension Substring {
    /// The place of the last `' @ `, which ends a key.
    fileprivate var lastQuote: Index? { ranges(of: "' @ ").last?.lowerBound }
}
