import LevelKit

/// Recovers the readable members of an invalid JSON object printed by exiftool.
///
/// Tag names come from files. A single name that is not UTF-8, or that occurs twice, makes the whole object invalid.
enum PictureTags {
    /// The object without its unreadable members.
    ///
    /// - Parameter isReadable: Whether an object with the given text can be parsed.
    /// - Returns: The object, and the names of the omitted members; `nil` if the input is not an object.
    static func readable(
        _ text: Span<UInt8>, _ isReadable: (Span<UInt8>) -> Bool
    ) -> (object: [UInt8], leftOut: [[UInt8]])? {
        guard let members = members(of: text) else { return nil }
        var object: [UInt8] = [UInt8(ascii: "{")]
        var leftOut: [[UInt8]] = []
        var names: Set<[UInt8]> = []
        for member in members {
            let name = Array(text.extracting(member.name).copied())
            let whole = [UInt8(ascii: "{")] + text.extracting(member.whole).copied() + [UInt8(ascii: "}")]
            guard !names.contains(name), isReadable(whole.span) else {
                leftOut.append(name)
                continue
            }
            names.insert(name)
            if object.count > 1 { object.append(UInt8(ascii: ",")) }
            object += whole[1..<whole.count - 1]
        }
        object.append(UInt8(ascii: "}"))
        return (object, leftOut)
    }

    /// The members of an object: the range of each, and of its name without quotes; `nil` if the input is not an object.
    private static func members(of text: Span<UInt8>) -> [(whole: Range<Int>, name: Range<Int>)]? {
        guard let start = text.indices.first(where: { text[$0] > 0x20 }), text[start] == UInt8(ascii: "{") else {
            return nil
        }
        var members: [(whole: Range<Int>, name: Range<Int>)] = []
        var depth = 0
        var first = start + 1
        var name: Range<Int>?
        var index = start
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                let end = ExifToolText.endOfString(text, from: index)
                if depth == 1, name == nil { name = index + 1..<max(index + 1, end - 1) }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 {
                    if let name { members.append((first..<index, name)) }
                    return members
                }
            case UInt8(ascii: ",") where depth == 1:
                guard let found = name else { return nil }
                members.append((first..<index, found))
                name = nil
                first = index + 1
            default: break
            }
            index += 1
        }
        return nil
    }
}
