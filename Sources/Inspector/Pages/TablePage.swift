internal import DocIndex
internal import DocSync

/// The documents of a collection as a table, with a condition, an order, and the counts of some values beside it.
struct TablePage: Sendable {
    static let parameters = TableRequest.names + ["facets", "explain", "view"]
    private static let usualCount = 50

    let reading: StoreReading
    let store: ReadableStore
    let frame: PageFrame
    let target: Target

    /// The address of the page without a position.
    private var link: Link { CollectionHead.link(target) }

    private struct Content: Sendable {
        let profile: CollectionProfile
        let columns: [FieldPath]
        let page: DocumentCollection.RowPage
        let facetKeys: [Aggregation.GroupKey]
        let total: Int
    }

    /// Reads the documents and returns the page. A condition that cannot be read is shown with its mistake.
    func response(of name: String) async throws -> SyncResponse {
        let collection = try store.collection(name)
        let parameters = try Parameters(target, known: Self.parameters)
        do {
            let request = try TableRequest(parameters, usualCount: Self.usualCount)
            return try await response(request, parameters, of: collection)
        } catch {
            let problem = Problem(error)
            guard [.invalidCondition, .queryTooLarge, .tooSlow, .badRequest].contains(problem.kind) else {
                throw problem
            }
            return try await failed(problem, parameters, of: collection)
        }
    }

    private func response(
        _ request: TableRequest, _ parameters: Parameters, of collection: ReadableCollection
    ) async throws -> SyncResponse {
        let wantedFacets = try parameters.reading("facets") { text in
            try text.split(separator: ",").prefix(10).map { try Aggregation.GroupKey(parsing: String($0)) }
        }
        let content = try await reading.run {
            let profile = try CollectionProfile(of: collection, where: request.filter)
            let columns = request.fields ?? profile.columns
            let page = try request.reading {
                try collection.rowPage(columns, request.query, after: request.position)
            }
            return Content(
                profile: profile, columns: columns, page: page, facetKeys: wantedFacets ?? profile.facets,
                total: try collection.count())
        }
        let filter = request.filter
        let condition = filter == .all ? "" : filter.description
        let count =
            filter == .all
            ? content.total
            : try await reading.remembered("count", of: collection, in: store, where: condition) {
                try collection.count(where: filter)
            }
        let fields = "facets " + content.facetKeys.map(\.description).joined(separator: ",")
        let facets = try await reading.remembered(fields, of: collection, in: store, where: condition) {
            try collection.facets(by: content.facetKeys, where: filter, limit: 10)
        }
        let isExplained = try parameters.choice("explain", of: ["1"]) != nil
        let explanation = isExplained ? try await reading.run { try collection.explain(request.query) } : nil
        let diagnostics =
            content.page.rows.isEmpty && request.position == nil
            ? try await reading.quick {
                try collection.diagnostics(of: request.query, fields: [], foundSomething: false)
            } ?? [] : []
        return frame.page(collection.name) { page in
            let head = self.head(of: collection, content.profile)
            head.append(count: content.total, to: &page)
            form(head, parameters, &page)
            page.element("div", .class("sides"), .id("live")) { sides in
                sides.element("div", .class("content")) { main in
                    summary(content.page.execution, count: count, of: content.total, isExplained, &main)
                    if let explanation { main.element("pre", .fixed("tabindex", "0"), text: explanation.description) }
                    table(content, request, collection, &main)
                    for diagnostic in diagnostics { main.element("p", .class("note"), text: "\(diagnostic)") }
                    main.pages(content.page.next, isFirst: request.position == nil, link)
                    export(collection, &main)
                }
                sides.element("aside", .class("facets"), .label("Values")) { aside in
                    if let facets {
                        for (key, list) in zip(content.facetKeys, facets) where !list.facets.isEmpty {
                            facet(key, list, request, &aside)
                        }
                    } else {
                        aside.element(
                            "p", .class("quiet"), text: "Counting the values took too long; narrow the condition.")
                    }
                }
            }
        }
    }

    private func failed(
        _ problem: Problem, _ parameters: Parameters, of collection: ReadableCollection
    ) async throws -> SyncResponse {
        let profile = try await reading.run { try CollectionProfile(of: collection) }
        return frame.page(collection.name, status: problem.kind.status) { page in
            let head = self.head(of: collection, profile)
            head.append(count: nil, to: &page)
            form(head, parameters, &page)
            ProblemPage.append(problem, text: problem.parameter.flatMap { parameters[$0] }, to: &page)
        }
    }

    // MARK: - Parts

    private func head(of collection: ReadableCollection, _ profile: CollectionProfile) -> CollectionHead {
        CollectionHead(name: collection.name, view: .table, profile: profile, target: target)
    }

    private func form(_ head: CollectionHead, _ parameters: Parameters, _ page: inout Markup) {
        head.appendForm(parameters, to: &page) { form in
            form.field("Order", "sort", parameters["sort"])
            form.field("Fields", "fields", parameters["fields"])
            if let limit = parameters["limit"] {
                form.void("input", .fixed("type", "hidden"), .name("limit"), .value(limit))
            }
        }
    }

    private func summary(
        _ execution: Plan.Execution, count: Int?, of total: Int, _ isExplained: Bool, _ page: inout Markup
    ) {
        page.element("p", .class("quiet")) { line in
            let found = count.map { HumanNumber.grouped($0) } ?? "Some"
            line.text("\(found) of \(HumanNumber.grouped(total)); \(execution.plan); \(execution.summary). ")
            line.element(
                "a", .href(link.with("explain", isExplained ? nil : "1")), text: isExplained ? "Less" : "Explain")
        }
    }

    private func table(
        _ content: Content, _ request: TableRequest, _ collection: ReadableCollection, _ page: inout Markup
    ) {
        guard !content.page.rows.isEmpty else {
            return page.element("p", text: "No document matches.")
        }
        let idPath = FieldPath(names: collection.definition.idField)
        page.scroll("Documents", isDocuments: true) { table in
            table.element("thead") {
                $0.element("tr") { row in
                    head(idPath, request, isNumber: false, &row)
                    for (position, path) in content.columns.enumerated() {
                        head(path, request, isNumber: isNumber(position, in: content.page.rows), &row)
                    }
                }
            }
            table.element("tbody") { body in
                for row in content.page.rows { self.row(row, of: collection, &body) }
            }
        }
    }

    private func isNumber(_ position: Int, in rows: [DocumentCollection.Row]) -> Bool {
        let values = rows.lazy.compactMap { $0.values[position] }
        return values.contains { CellText($0).isNumber } && values.allSatisfy { CellText($0).isNumber || $0 == .null }
    }

    /// Links to the whole result.
    private func export(_ collection: ReadableCollection, _ page: inout Markup) {
        page.element("p", .class("quiet")) { line in
            line.text("All of it as ")
            for (position, format) in ExportStream.Format.allCases.enumerated() {
                var link = Link("api", "v1", "collections", collection.name, "documents")
                for name in ["where", "sort", "fields"] { link[name] = self.link[name] }
                link["format"] = format.rawValue
                if position > 0 { line.text(" or ") }
                line.element(
                    "a", .href(link), .data("data-export", format.rawValue),
                    text: format == .csv ? "CSV" : "JSON Lines")
            }
        }
    }

    /// A heading that sorts by its column: ascending, then descending, then not.
    private func head(_ path: FieldPath, _ request: TableRequest, isNumber: Bool, _ row: inout Markup) {
        let name = path.description
        let first = request.sort.first
        let isFirst = first.map { $0.key == .field(path) } ?? false
        let isDescending = isFirst && first?.order == .descending
        let next: String? = !isFirst ? name : isDescending ? nil : "-" + name
        row.element(
            "th", .fixed("scope", "col"), isNumber ? .class("number") : nil,
            isFirst ? .fixed("aria-sort", isDescending ? "descending" : "ascending") : nil
        ) { cell in
            let mark = !isFirst ? "" : isDescending ? " ↓" : " ↑"
            // A path with a comma or a function's form cannot be typed as an order.
            if path.hasArrayStep || name.contains(",") || name.contains("(") {
                cell.text(CellText.cut(name, 60))
            } else {
                cell.element("a", .href(link.with("sort", next)), text: CellText.cut(name, 60) + mark)
            }
        }
    }

    /// The largest size of a row's text in bytes.
    private static let rowByteLimit = 8192

    private func row(_ row: DocumentCollection.Row, of collection: ReadableCollection, _ body: inout Markup) {
        body.element("tr") { cells in
            let text = CellText.cut(row.id.description, 80)
            cells.element("th", .fixed("scope", "row")) {
                $0.element(
                    "a", .href(DocumentAddress.link(row.id, in: collection.name)), text: text.isEmpty ? "(empty)" : text
                )
            }
            var room = Self.rowByteLimit
            for value in row.values {
                let cell = CellText(value)
                room -= cell.text.utf8.count
                cells.cell(room < 0 ? "…" : cell.text, isNumber: cell.isNumber)
            }
        }
    }

    private func facet(
        _ key: Aggregation.GroupKey, _ list: DocumentCollection.FacetList, _ request: TableRequest,
        _ aside: inout Markup
    ) {
        let largest = list.facets.first?.count ?? 1
        aside.element("section") { section in
            section.element("h2", text: CellText.cut(key.description, 60))
            section.element("ul") { items in
                for facet in list.facets {
                    let condition = Narrowing.text(request.filter, and: key, is: facet.value)
                    let cell = CellText(facet.value, limit: 60).text
                    items.element("li") {
                        $0.element("a", .href(link.with("where", condition))) { item in
                            item.element("span", text: cell.isEmpty ? "(empty)" : cell)
                            item.element("span", .class("count"), text: HumanNumber.grouped(facet.count))
                            item.append(BarChart.bar(Double(facet.count) / Double(max(1, largest))))
                        }
                    }
                }
            }
        }
    }
}
