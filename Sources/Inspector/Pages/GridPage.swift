internal import DocIndex
internal import DocSync

/// The attached pictures of a collection, with months as headings. Each opens large above the page.
struct GridPage: Sendable {
    static let parameters = TableRequest.names + ["view"]
    private static let usualCount = 60
    private static let largestCount = 200

    let reading: StoreReading
    let store: ReadableStore
    let frame: PageFrame
    let target: Target

    private struct Picture: Sendable {
        let id: DocumentID
        let title: String
        let month: String?
        let small: Attachment
        let large: Attachment
    }

    func response(of name: String) async throws -> SyncResponse {
        let collection = try store.collection(name)
        let parameters = try Parameters(target, known: Self.parameters)
        let request = try TableRequest(parameters, usualCount: Self.usualCount)
        let profile = try await reading.run { try CollectionProfile(of: collection) }
        let sort =
            request.sort.isEmpty ? profile.date.map { [Query.SortKey($0, order: .descending)] } ?? [] : request.sort
        let query = Query(
            Self.hasPicture(request.filter, profile), sort: sort, limit: min(request.limit, Self.largestCount))
        let page = try await reading.run {
            try request.reading {
                try collection.rowPage(Self.paths(profile), query, after: request.position)
            }
        }
        let pictures = page.rows.compactMap { Self.picture($0, profile) }
        let head = CollectionHead(name: collection.name, view: .grid, profile: profile, target: target)
        return frame.page("Pictures of " + collection.name) { main in
            head.append(count: nil, to: &main)
            head.appendForm(parameters, to: &main) { $0.field("Order", "sort", parameters["sort"]) }
            if pictures.isEmpty { main.element("p", text: "No document with an attached picture matches.") }
            grid(pictures, &main)
            main.pages(page.next, isFirst: request.position == nil, CollectionHead.link(target))
            for (position, picture) in pictures.enumerated() { large(picture, position, pictures.count, &main) }
        }
    }

    // MARK: - Reading

    /// Only documents with a picture are looked for, so that pages are full.
    private static func hasPicture(_ filter: Filter, _ profile: CollectionProfile) -> Filter {
        let pictures = Filter.or(profile.pictures.map { .exists($0) })
        return filter == .all ? pictures : .and([filter, pictures])
    }

    private static let titles: [FieldPath] = ["title", "name", "caption"]

    private static func paths(_ profile: CollectionProfile) -> [FieldPath] {
        titles + [profile.date ?? "date"] + profile.pictures.prefix(8)
    }

    private static func picture(_ row: DocumentCollection.Row, _ profile: CollectionProfile) -> Picture? {
        var found: [Attachment] = []
        for value in row.values.dropFirst(titles.count + 1) {
            switch value {
            case .attachment(let attachment): found.append(attachment)
            case .array(let elements):
                for case .attachment(let attachment) in elements.prefix(20) { found.append(attachment) }
            default: break
            }
        }
        found = found.filter { PictureKind.isRaster($0.type) }
        guard let small = found.min(by: { $0.byteCount < $1.byteCount }),
            let large = found.max(by: { $0.byteCount < $1.byteCount })
        else { return nil }
        let title = row.values.prefix(titles.count).lazy.compactMap { $0?.stringValue }.first { !$0.isEmpty }
        let date = profile.date == nil ? nil : row.values[titles.count]
        return Picture(
            id: row.id, title: CellText.cut(title ?? row.id.description, 100), month: date.flatMap(month), small: small,
            large: large)
    }

    private static func month(_ value: DocumentValue) -> String? {
        let text = CellText(value, limit: 10).text.replacing(":", with: "-")
        return text.utf8.count >= 7 ? String(text.prefix(7)) : nil
    }

    // MARK: - Markup

    private func grid(_ pictures: [Picture], _ page: inout Markup) {
        var rest = Array(pictures.enumerated())[...]
        while let first = rest.first {
            let month = first.element.month
            let group = rest.prefix { $0.element.month == month }
            rest = rest.dropFirst(group.count)
            page.element("h2", text: month ?? "Without a date")
            page.element("ul", .class("grid")) { list in
                for (position, picture) in group {
                    list.element("li") { item in
                        item.element("a", .place(position), .label(picture.title)) {
                            $0.void(
                                "img", .source(Link(picture.small, as: .thumbnail)), .alt(""),
                                .fixed("loading", "lazy"), .fixed("width", "160"), .fixed("height", "160"))
                        }
                    }
                }
            }
        }
    }

    /// A picture above the page. It is shown while the address ends in its place.
    private func large(_ picture: Picture, _ position: Int, _ count: Int, _ page: inout Markup) {
        page.element("div", .class("lightbox"), .placeID(position)) { box in
            box.void(
                "img", .source(Link(picture.large, as: .preview)), .alt(picture.title),
                .fixed("loading", "lazy"))
            box.element("p") { line in
                if position > 0 { line.element("a", .class("previous"), .place(position - 1), text: "Previous") }
                line.element(
                    "a", .href(DocumentAddress.link(picture.id, in: frame.collection ?? "")), text: picture.title)
                line.append("<a class=\"close\" href=\"#content\">Close</a>")
                if position < count - 1 { line.element("a", .class("next"), .place(position + 1), text: "Next") }
            }
        }
    }
}

extension Link {
    /// An attached picture.
    init(_ picture: Attachment, as form: AttachmentRoute.Form) {
        self.init("attachments", picture.digest.description)
        self["rendition"] = form.rawValue
    }
}

extension Markup {
    /// Adds the links to other pages of a list.
    mutating func pages(_ next: DocumentCollection.Page.Token?, isFirst: Bool, _ link: Link) {
        guard !isFirst || next != nil else { return }
        element("nav", .class("pages"), .label("Pages")) { nav in
            if !isFirst { nav.element("a", .href(link), text: "First page") }
            if let next {
                nav.element("a", .href(link.with("after", next.text)), .fixed("rel", "next"), text: "Next page")
            }
        }
    }
}
