internal import DocSync

/// The keys of the pages, and where to read on.
enum HelpPage {
    private static let keys: [(keys: [String], meaning: String)] = [
        (["/"], "to the condition, or the words of a search"),
        (["j", "k"], "the next row, the previous row; Enter opens it"),
        (["n", "p"], "the next page of a list, the page before"),
        (["g t", "g s", "g g", "g h", "g m"], "table, search, pictures, time, map of the collection"),
        (["e"], "export what is shown, as CSV"),
        (["←", "→", "Space", "Esc"], "in a large picture: the previous one, the next one, close"),
        (["?"], "this list"),
    ]

    static func response(in frame: PageFrame) -> SyncResponse {
        var frame = frame
        frame.place = "help"
        return frame.page("Help") { page in
            page.element("h1", text: "Help")
            page.element("h2", text: "Keys")
            page.element("p", .class("quiet"), text: "Everything works without them, and without JavaScript.")
            page.element("dl", .id("keys")) { list in
                for item in keys {
                    list.element("dt") { term in
                        for (position, key) in item.keys.enumerated() {
                            if position > 0 { term.text(" ") }
                            term.element("kbd", text: key)
                        }
                    }
                    list.element("dd", text: item.meaning)
                }
            }
            page.element("h2", text: "Conditions")
            page.element("p") { line in
                line.text("As in find: ")
                line.element("code", text: "rating >= 4 and keywords has sea")
                line.text(", ")
                line.element("code", text: "taken ^= 2019-07")
                line.text(", ")
                line.element("code", text: "gps near 38.72,-9.14,5")
                line.text(". ")
                line.element("a", .href(Link("console").with("command", "help conditions")), text: "All of them")
            }
            page.element("h2", text: "For programs")
            page.element("p") { line in
                line.text("Each page is also available as JSON under ")
                line.element("a", .href(Link("api", "v1")), text: "/api/v1")
                line.text("; programs send the token as Authorization: Bearer.")
            }
        }
    }
}
