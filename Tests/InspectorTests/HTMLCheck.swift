/// Finds mistakes in the markup of a page: elements that are not closed in order, attributes without quotes, scripts and
/// styles in elements, headings that skip a level, doubled IDs.
enum HTMLCheck {
    private static let voids: Set<String> = ["meta", "link", "input", "img", "br", "hr"]

    static func mistakes(in page: String) -> [String] {
        var reader = Reader(rest: Array(page.utf8)[...])
        reader.run()
        return reader.mistakes
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>
        var open: [String] = []
        var ids: Set<String> = []
        var level = 0
        var headings = 0
        var mistakes: [String] = []

        mutating func run() {
            let doctype = Array("<!doctype html>\n".utf8)
            if rest.starts(with: doctype) {
                rest = rest.dropFirst(doctype.count)
            } else {
                mistakes.append("no doctype")
            }
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "<"): readTag()
                case UInt8(ascii: ">"): mistakes.append("> in text")
                case UInt8(ascii: "&"): readReference()
                case 0..<9, 11..<32, 127: mistakes.append("a control character in text")
                default: break
                }
            }
            if !open.isEmpty { mistakes.append("not closed: \(open)") }
            if headings != 1 { mistakes.append("\(headings) h1") }
        }

        private mutating func readReference() {
            let name = String(decoding: rest.prefix(6).prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            if !["amp", "lt", "gt", "quot", "#39"].contains(name) { mistakes.append("& in text: \(name)") }
        }

        private mutating func readTag() {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return mistakes.append("< in text") }
            let tag = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            if tag.hasPrefix("/") {
                let name = String(tag.dropFirst())
                if open.last == name { open.removeLast() } else { mistakes.append("</\(name)> in \(open)") }
                return
            }
            let name = String(tag.prefix { $0 != " " })
            guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
                return mistakes.append("a strange element: \(tag)")
            }
            check(String(tag.dropFirst(name.count)), of: name)
            if !HTMLCheck.voids.contains(name) { open.append(name) }
            checkHeading(name)
            if name == "style" || name == "script" && !tag.contains("src=") { mistakes.append("inline: \(tag)") }
        }

        private mutating func checkHeading(_ name: String) {
            guard name.count == 2, name.first == "h", let number = name.last?.wholeNumberValue else { return }
            if number == 1 { headings += 1 }
            if number > level + 1 { mistakes.append("h\(number) after h\(level)") }
            level = number
        }

        private mutating func check(_ attributes: String, of name: String) {
            var text = attributes[...]
            var names: Set<String> = []
            while true {
                text = text.drop { $0 == " " }
                if text.isEmpty { return }
                let attribute = String(text.prefix { $0 != "=" && $0 != " " })
                text = text.dropFirst(attribute.count)
                if !names.insert(attribute).inserted { mistakes.append("\(name) has \(attribute) twice") }
                if attribute == "style" || attribute.hasPrefix("on") { mistakes.append("\(name) has \(attribute)") }
                guard text.first == "=" else { continue }
                text = text.dropFirst()
                guard text.first == "\"", let end = text.dropFirst().firstIndex(of: "\"") else {
                    return mistakes.append("\(name) has a value without quotes: \(attributes)")
                }
                let value = String(text[text.index(after: text.startIndex)..<end])
                if attribute == "id", !ids.insert(value).inserted { mistakes.append("the ID \(value) occurs twice") }
                if ["href", "src", "action"].contains(attribute),
                    !["/", "#"].contains(value.prefix(1)) && value != "data:," || value.hasPrefix("//")
                {
                    mistakes.append("\(name) leads to \(value)")
                }
                text = text[text.index(after: end)...]
            }
        }
    }
}
