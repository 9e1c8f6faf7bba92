internal import DocSync

/// The frame around the content of every page.
struct PageFrame: Sendable {
    /// The name of the store.
    let store: String
    /// The names of the collections.
    var collections: [String] = []
    /// The collection that the page belongs to.
    var collection: String?
    /// The page, if it belongs to no collection.
    var place: String?
    /// A notice about the store, such as that another process writes it.
    var note: String?

    /// Returns a page.
    ///
    /// - Parameters:
    ///   - title: the title of the window, without the store's name.
    ///   - content: adds what belongs into `main`, which begins with an `h1`.
    func page(_ title: String, status: Int = 200, content: (inout Markup) throws -> Void) rethrows -> SyncResponse {
        var page = Markup()
        page.append("<!doctype html>\n")
        try page.element("html", .fixed("lang", "en")) { html in
            html.element("head") { head in
                head.append("<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">")
                head.element("title", text: "\(title) · \(store)")
                // Without it, browsers ask for a file.
                head.append("<link rel=\"icon\" href=\"data:,\">")
                head.void("link", .fixed("rel", "stylesheet"), .href(Link("assets", Asset.style.name)))
                head.element("script", .source(Link("assets", Asset.script.name)), .flag("defer")) { _ in }
            }
            try html.element("body") { body in
                body.append("<a class=\"skip\" href=\"#content\">Skip to the content</a>")
                header(&body)
                try body.element("main", .id("content")) { main in
                    if let note { main.element("p", .class("note"), text: note) }
                    try content(&main)
                }
            }
        }
        return SyncResponse(
            status: status, fields: ["Content-Type": "text/html; charset=utf-8"], body: .bytes(page.bytes))
    }

    private func header(_ body: inout Markup) {
        body.element("header") { header in
            header.element("span", .class("store"), text: store)
            header.element("nav", .label("Store")) { nav in
                nav.element("ul") { list in
                    list.item(Link(), "Overview", isCurrent: place == "overview")
                    for name in collections {
                        list.item(
                            Link("c", name), CellText.cut(name, 60),
                            isCurrent: collection?.utf8.elementsEqual(name.utf8) == true)
                    }
                    list.item(Link("changes"), "Changes", isCurrent: place == "changes")
                    list.item(Link("keys"), "Keys", isCurrent: place == "keys")
                    list.item(Link("console"), "Console", isCurrent: place == "console")
                    list.item(Link("help"), "Help", isCurrent: place == "help")
                }
            }
        }
    }
}

extension Markup {
    /// Adds an item of a list with a link.
    mutating func item(_ link: Link, _ text: String, isCurrent: Bool = false) {
        element("li") {
            $0.element("a", .href(link), isCurrent ? .fixed("aria-current", "page") : nil, text: text)
        }
    }

    /// Adds a term and its description.
    mutating func term(_ term: String, _ description: String) {
        element("dt", text: term)
        element("dd", text: description)
    }

    /// Adds a heading cell of a column.
    mutating func columnHead(_ text: String, isNumber: Bool = false) {
        element("th", .fixed("scope", "col"), isNumber ? .class("number") : nil, text: text)
    }

    /// Short texts stay on one line, and long ones get room.
    private static func widthClass(of text: String) -> Attribute? {
        switch text.utf8.count {
        case ...24: .class("short")
        case 49...: .class("long")
        default: nil
        }
    }

    /// Adds a cell.
    mutating func cell(_ text: String, isNumber: Bool = false) {
        element("td", isNumber ? .class("number") : Self.widthClass(of: text), text: text)
    }
}
