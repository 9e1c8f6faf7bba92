import LevelKit

/// Writes bytes as offsets, hexadecimal digits and characters, sixteen per line, like `hexdump -C`.
///
/// ```
/// user/1
/// 00000000  41 6e 6e 00                                       |Ann.|
/// ```
struct HexdumpWriter: Sendable {
    private var isFirst = true

    /// The lines for one value, preceded by its title.
    mutating func dump(_ bytes: [UInt8], title: String) -> String {
        var text = isFirst ? "" : "\n"
        isFirst = false
        text += title + "\n"
        for start in stride(from: 0, to: bytes.count, by: 16) {
            let row = bytes[start..<min(start + 16, bytes.count)]
            let offset = String(start, radix: 16)
            text += String(repeating: "0", count: max(0, 8 - offset.count)) + offset + " "
            for column in 0..<16 {
                if column % 8 == 0 { text += " " }
                guard column < row.count else {
                    text += "   "
                    continue
                }
                text += hexadecimal(CollectionOfOne(row[start + column])) + " "
            }
            let characters = row.map { (0x20..<0x7f).contains($0) ? Character(Unicode.Scalar($0)) : "." }
            text += " |" + String(characters) + "|\n"
        }
        return text
    }
}
