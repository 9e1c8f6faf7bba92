internal import DocIndex
internal import DocSync

/// Pages about what went wrong.
enum ProblemPage {
    /// Returns the page for a problem.
    static func make(_ problem: Problem, in frame: PageFrame, text: String? = nil) -> SyncResponse {
        var response = frame.page(problem.kind.title, status: problem.kind.status) { page in
            page.element("h1", text: problem.kind.title)
            append(problem, text: text, to: &page)
        }
        for field in problem.fields.fields { response.fields[field.name] = field.value }
        return response
    }

    /// Adds the message, with a mark at the mistake.
    static func append(_ problem: Problem, text: String?, to page: inout Markup) {
        page.element("p", .class("note bad"), .fixed("role", "alert")) { note in
            note.element("strong", text: problem.detail)
        }
        if let text, let place = problem.place {
            page.element("pre", .fixed("tabindex", "0"), text: marked(text, place))
        }
        page.element("p") {
            $0.element("a", .href(Link("problems", problem.kind.rawValue)), text: "What this means")
        }
    }

    /// A line, and a caret below one of its characters.
    static func marked(_ text: String, _ place: Int) -> String {
        // A caret far to the right helps nobody.
        let scalars = Array(text.unicodeScalars.prefix(place + 60).map { $0 == "\n" || $0 == "\t" ? " " : $0 })
        let start = max(0, place - 60)
        var line = String.UnicodeScalarView()
        line.append(contentsOf: scalars[min(start, scalars.count)...])
        let beginning = start > 0 ? "…" : ""
        return beginning + String(line) + "\n" + String(repeating: " ", count: beginning.count + place - start) + "^"
    }

    /// Returns the page that explains a kind of problem.
    static func explanation(_ name: String, in frame: PageFrame) throws -> SyncResponse {
        guard let kind = Problem.Kind(rawValue: name) else {
            throw Problem(.notFound, "There is no kind of problem with this name.")
        }
        return frame.page(kind.title) { page in
            page.element("h1", text: kind.title)
            page.element("p", text: kind.explanation)
            page.element("p", .class("quiet"), text: "Status \(kind.status), type /problems/\(kind.rawValue)")
        }
    }
}
