internal import DocIndex
internal import DocSync

/// The ways in which the documents of a collection can be shown.
enum CollectionView: String, CaseIterable, Sendable {
    case table, search, grid, time, map

    var title: String {
        switch self {
        case .table: "Table"
        case .search: "Search"
        case .grid: "Pictures"
        case .time: "Time"
        case .map: "Map"
        }
    }

    /// Whether the documents have what the view shows.
    func isPossible(_ profile: CollectionProfile) -> Bool {
        switch self {
        case .table: true
        case .search: profile.hasText
        case .grid: !profile.pictures.isEmpty
        case .time: profile.date != nil
        case .map: profile.location != nil
        }
    }
}

/// The head of a collection's pages: its name, its views, and the form for a condition.
struct CollectionHead: Sendable {
    let name: String
    let view: CollectionView
    let profile: CollectionProfile
    let target: Target

    /// The address of the page without a position, and without parameters that have no value.
    static func link(_ target: Target) -> Link {
        var link = Link(path: target.path)
        for item in target.query where item.name != "after" && !item.value.isEmpty {
            link.parameters.append(Link.Parameter(name: item.name, value: item.value))
        }
        return link
    }

    /// Returns the address of a view with the same condition.
    static func link(to view: CollectionView, of name: String, where condition: String?) -> Link {
        var link = view == .search ? Link("c", name, "search") : Link("c", name)
        if view != .search, view != .table { link["view"] = view.rawValue }
        link["where"] = condition
        return link
    }

    /// Adds the name and the views.
    func append(count: Int?, to page: inout Markup) {
        page.element("h1") { heading in
            heading.text(CellText.cut(name, CellText.limit))
            if let count {
                heading.element(
                    "span", .class("quiet"),
                    text: " " + HumanNumber.counted(count, "document"))
            }
        }
        let condition = target["where"].flatMap { $0.isEmpty ? nil : $0 }
        let possible = CollectionView.allCases.filter { $0 == view || $0.isPossible(profile) }
        guard possible.count > 1 else { return }
        page.element("nav", .class("views"), .label("Views")) { nav in
            nav.element("ul") { list in
                for other in possible {
                    list.element("li") {
                        $0.element(
                            "a", .href(Self.link(to: other, of: name, where: condition)),
                            .data("data-view", other.rawValue),
                            other == view ? .fixed("aria-current", "page") : nil, text: other.title)
                    }
                }
            }
        }
    }

    /// Adds the form for the condition, with other fields in it.
    func appendForm(
        _ parameters: Parameters, to page: inout Markup, _ fields: (inout Markup) -> Void = { _ in }
    ) {
        page.element("form", .class("find"), .fixed("role", "search"), .action(Link(path: target.path))) { form in
            if view != .table, view != .search {
                form.void("input", .fixed("type", "hidden"), .name("view"), .value(view.rawValue))
            }
            if view == .search {
                form.field("Words", "q", parameters["q"], isWide: true, isSearch: true, list: "completions")
                form.element("datalist", .id("completions"), text: "")
            }
            form.field("Condition", "where", parameters["where"], isWide: true)
            fields(&form)
            form.element("button", text: "Find")
        }
    }
}

extension Markup {
    /// Adds an input with its label.
    mutating func field(
        _ label: String, _ name: String, _ value: String?, isWide: Bool = false, isSearch: Bool = false,
        list: StaticString? = nil
    ) {
        element("label", isWide ? .class("wide") : nil) { field in
            field.text(label)
            field.void(
                "input", isSearch ? .fixed("type", "search") : .fixed("type", "text"), isSearch ? nil : .class("code"),
                .name(name), .value(value ?? ""), .fixed("spellcheck", "false"), .fixed("autocapitalize", "off"),
                .fixed("autocomplete", "off"), list.map { .fixed("list", $0) })
        }
    }

    /// Adds a choice with its label.
    mutating func choice(_ label: String, _ name: String, _ values: [String], _ current: String) {
        element("label") { field in
            field.text(label)
            field.element("select", .name(name)) { select in
                for value in values {
                    select.element("option", .value(value), value == current ? .flag("selected") : nil, text: value)
                }
            }
        }
    }
}
