import DocIndex

/// Shows JSON to people: indented, and in color if the terminal supports it.
enum JSONPainter {
    /// Writes a value to the output of the running command.
    static func show(_ value: DocumentValue) throws {
        let output = StandardOutput()
        var bytes: [UInt8] = []
        value.writeJSON(to: &bytes, JSONWriter(layout: .pretty, notation: .tagged))
        if output.isTerminal { bytes = TerminalText.escaped(bytes, as: .json) }
        if Terminal.takesStyle(output.descriptor.rawValue) { bytes = painted(bytes) }
        try output.write(bytes + [0x0a])
        try output.flush()
    }

    /// JSON with an escape sequence around each name and each value that is not an array or object.
    ///
    /// - Complexity: O(*n*).
    static func painted(_ json: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(json.count * 2)
        var index = 0
        while index < json.count {
            let start = index
            let style: TextStyle
            switch json[index] {
            case UInt8(ascii: "\""):
                index += 1
                while index < json.count, json[index] != UInt8(ascii: "\"") {
                    index += json[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index = min(index + 1, json.count)
                style = index < json.count && json[index] == UInt8(ascii: ":") ? .option : .quoted
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                while index < json.count, !endsWord(json[index]) { index += 1 }
                style = .number
            default:
                output.append(json[index])
                index += 1
                continue
            }
            output += Array("\u{1b}[\(style.parameters)m".utf8) + json[start..<index] + Array("\u{1b}[0m".utf8)
        }
        return output
    }

    private static func endsWord(_ byte: UInt8) -> Bool { byte <= 0x20 || ",]}".utf8.contains(byte) }
}
