import TestSupport

/// Returns bytes built from what the notation treats specially: any byte, text, quotes, escapes, prefixes, marks,
/// directions.
func randomBytes(using generator: inout SplitMix64) -> [UInt8] {
    let pieces = [
        "0x", "b64:", "-", "@", "{", "[", "'", "\"", "\\", "\\x41", ";", "|", "#", " ", "\n", "\r\n", "\t", "\0",
        "\u{1b}[31m", "\u{7f}", "\u{85}", "\u{9b}", "é", "e\u{301}", "\u{301}", "日本", "👨\u{200d}👩\u{200d}👧",
        "\u{202e}", "\u{2066}", "\u{feff}", "\u{200b}", "\u{a0}", "\u{2028}", "\u{3164}", "\u{e000}", "\u{10ffff}",
        "\u{fe0f}", "\u{61c}", "\u{e0041}", "photo/", "==>", "=",
    ]
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.append(.random(in: 0...255, using: &generator))
        case 1: bytes.append(.random(in: 0x20...0x7e, using: &generator))
        case 2: bytes += pieces.randomElement(using: &generator)?.utf8.map(\.self) ?? []
        default:
            // A piece cut at any position is often not UTF-8.
            let piece = Array((pieces.randomElement(using: &generator) ?? "").utf8)
            bytes += piece.prefix(Int.random(in: 0...piece.count, using: &generator))
        }
    }
    return bytes
}
