/// Assigns a style to each character of an input; a pure function.
///
/// Treats quotes, brackets and comments like ``ShellScanner``, but never fails: an input is usually invalid while it is
/// being typed.
struct Highlighter: Sendable {
    /// The names of all commands.
    var commands: Set<String>

    /// The styles of the characters of `text`.
    func styles(of text: String) -> [TextStyle] {
        let characters = Array(text)
        var styles = [TextStyle](repeating: .plain, count: characters.count)
        var index = 0
        var isFirst = true
        while index < characters.count {
            let character = characters[index]
            if character == ";" || character == "\n" {
                isFirst = true
                index += 1
            } else if character.isWhitespace {
                index += 1
            } else if character == "#" {
                while index < characters.count, characters[index] != "\n" {
                    styles[index] = .comment
                    index += 1
                }
            } else {
                let end = Self.tokenEnd(characters, from: index, styles: &styles)
                let style = tokenStyle(
                    String(characters[index..<end]), isFirst: isFirst, isComplete: end < characters.count)
                for position in index..<end where styles[position] == .plain { styles[position] = style }
                isFirst = false
                index = end
            }
        }
        return styles
    }

    private func tokenStyle(_ token: String, isFirst: Bool, isComplete: Bool) -> TextStyle {
        if isFirst {
            let name = token.hasPrefix(".") ? String(token.dropFirst()) : token
            if commands.contains(name) { return .command }
            // A prefix of a command name is not wrong yet.
            return isComplete || !commands.contains { $0.hasPrefix(name) } ? .unknownCommand : .plain
        }
        if token.hasPrefix("-"), token.dropFirst().first?.isLetter ?? true || token.hasPrefix("--") { return .option }
        return Double(token) != nil ? .number : .plain
    }

    /// The end of the token that begins at `start`. Quoted parts get their style.
    private static func tokenEnd(_ characters: [Character], from start: Int, styles: inout [TextStyle]) -> Int {
        var index = start
        var depth = 0
        while index < characters.count {
            let character = characters[index]
            switch character {
            case "\"", "'":
                let end = quoteEnd(characters, from: index)
                for position in index..<end { styles[position] = .quoted }
                index = end
                continue
            case "{", "[":
                if depth > 0 || index == start { depth += 1 }
            case "}", "]":
                if depth > 0 { depth -= 1 }
            default:
                if depth == 0, character == ";" || character.isWhitespace { return index }
            }
            index += 1
        }
        return index
    }

    /// The end of the quoted string that begins at `start`, including the closing quote.
    private static func quoteEnd(_ characters: [Character], from start: Int) -> Int {
        var index = start + 1
        while index < characters.count {
            if characters[index] == "\\", characters[start] == "\"" {
                index += 1
            } else if characters[index] == characters[start] {
                return index + 1
            }
            index += 1
        }
        return characters.count
    }
}
