import LevelKit

/// Quotes numbers and booleans in exiftool's JSON if their tag is text.
///
/// This happens before parsing, because a number would lose its spelling: the serial number `12.60` is not 12.6. A
/// number outside the range of a double becomes a string. The rest of the JSON is kept byte for byte.
enum ExifToolText {
    /// One element, with missing quotes added.
    ///
    /// - Complexity: O(*n*).
    static func rewriting(_ text: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count + 64)
        /// For each open bracket, whether it is an object's, and the name of the enclosing member.
        var open: [(isObject: Bool, tag: String)] = []
        var tag = ""
        var expectsName = false
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\""):
                let end = endOfString(text, from: index)
                if expectsName {
                    tag = String(
                        decoding: text.extracting(index + 1..<max(index + 1, end - 1)).copied(), as: UTF8.self)
                    expectsName = false
                }
                output += text.extracting(index..<end).copied()
                index = end
                continue
            case UInt8(ascii: "{"):
                open.append((true, tag))
                expectsName = true
            case UInt8(ascii: "["): open.append((false, tag))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): tag = open.popLast()?.tag ?? ""
            case UInt8(ascii: ","): expectsName = open.last?.isObject ?? false
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                let end = endOfWord(text, from: index)
                let word = text.extracting(index..<end).copied()
                let isQuoted = isQuoted(word, of: tag)
                if isQuoted { output.append(UInt8(ascii: "\"")) }
                output += word
                if isQuoted { output.append(UInt8(ascii: "\"")) }
                index = end
                continue
            default: break
            }
            output.append(byte)
            index += 1
        }
        return output
    }

    private static func isQuoted(_ word: [UInt8], of tag: String) -> Bool {
        guard word != Array("null".utf8) else { return false }
        if ExifToolTags.isText(tag) { return true }
        guard let first = word.first, first < UInt8(ascii: "a") else { return false }
        // The JSON parser rejects numbers outside the range of a double.
        return Double(String(decoding: word, as: UTF8.self))?.isFinite == false
    }

    static func endOfString(_ text: Span<UInt8>, from start: Int) -> Int {
        var index = start + 1
        while index < text.count {
            if text[index] == UInt8(ascii: "\\") {
                index += 2
            } else if text[index] == UInt8(ascii: "\"") {
                return index + 1
            } else {
                index += 1
            }
        }
        return text.count
    }

    private static func endOfWord(_ text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x09, 0x0a, 0x0d: return index
            default: index += 1
            }
        }
        return index
    }
}
