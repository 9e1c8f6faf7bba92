import DocIndex

/// A part of an attachment in exactly the form in which it is written.
///
/// Its line is long, so it is read without building a JSON value first. A line in another form, which JSON allows as
/// well, goes through the parser.
enum ContentLine {
    /// Reads a line; `nil` if it is not in that form, or not valid.
    static func parse(_ line: Span<UInt8>) -> ContentPart? {
        var position = 0
        guard let digest = digest(line, &position),
            skip(#"","bytes":"#, line, &position), let byteCount = number(line, &position),
            skip(#","part":"#, line, &position), let index = number(line, &position),
            skip(#","parts":"#, line, &position), let count = number(line, &position), index < count,
            count <= ContentPart.maximumCount, skip(#","b64":""#, line, &position)
        else { return nil }
        var end = line.count - 2
        guard end >= position, skip(#""}"#, line, &end),
            let bytes = try? Base64.decode(line.extracting(position..<(line.count - 2)))
        else { return nil }
        return ContentPart(digest: digest, byteCount: byteCount, index: Int(index), count: Int(count), bytes: bytes)
    }

    /// The digest at the beginning of a line whose rest may be damaged; `nil` if the line does not begin like this form.
    static func digest(of line: Span<UInt8>) -> Attachment.Digest? {
        var position = 0
        return digest(line, &position)
    }

    private static func digest(_ line: Span<UInt8>, _ position: inout Int) -> Attachment.Digest? {
        let digestCount = 64
        guard skip(#"{"a":""#, line, &position), line.count - position > digestCount else { return nil }
        var name: [UInt8] = []
        for index in position..<(position + digestCount) { name.append(line[index]) }
        position += digestCount
        return Attachment.Digest(String(decoding: name, as: UTF8.self))
    }

    /// Passes over a text; returns false if it is not there.
    private static func skip(_ text: StaticString, _ line: Span<UInt8>, _ position: inout Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard line.count - position >= count else { return false }
        for index in 0..<count where unsafe line[position + index] != text.utf8Start[index] { return false }
        position += count
        return true
    }

    /// Reads a number without a sign and superfluous zeros; `nil` if there is none, or it has more than 18 digits.
    private static func number(_ line: Span<UInt8>, _ position: inout Int) -> Int64? {
        let start = position
        var number: Int64 = 0
        while position < line.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= line[position] {
            guard position - start < 18 else { return nil }
            number = number * 10 + Int64(line[position] - UInt8(ascii: "0"))
            position += 1
        }
        guard position > start, position == start + 1 || line[start] != UInt8(ascii: "0") else { return nil }
        return number
    }
}
