internal import DocIndex
internal import DocSync

/// The documents of a collection on a map without tiles: circles whose area is the number of documents. Each leads to its
/// documents.
struct MapPage: Sendable {
    static let parameters = ["where", "view"]
    /// The largest number of documents on a map.
    private static let pointLimit = 20_000

    let reading: StoreReading
    let store: ReadableStore
    let frame: PageFrame
    let target: Target

    private struct Points: Sendable {
        var points: [(point: GeoPoint, name: String?)] = []
        var hasMore = false
    }

    func response(of name: String) async throws -> SyncResponse {
        let collection = try store.collection(name)
        let parameters = try Parameters(target, known: Self.parameters)
        let filter = try parameters.filter()
        let profile = try await reading.run { try CollectionProfile(of: collection) }
        guard let field = profile.location else {
            throw Problem(.badRequest, "No field with locations was found; an index of type geo names it.")
        }
        let points = try await reading.run { try Self.points(of: collection, field, profile.place, where: filter) }
        let cells = MapFrame(of: points.points.map(\.point)).map { MapCells(points.points, in: $0) }
        let head = CollectionHead(name: collection.name, view: .map, profile: profile, target: target)
        return frame.page("Map of " + collection.name) { page in
            head.append(count: nil, to: &page)
            head.appendForm(parameters, to: &page)
            guard let cells else { return page.element("p", text: "No document with a location matches.") }
            summary(points, cells, field, filter, &page)
            map(cells, field, filter, &page)
            table(cells, field, filter, &page)
        }
    }

    // MARK: - Reading

    private static func points(
        of collection: ReadableCollection, _ field: GeoField, _ place: FieldPath?, where filter: Filter
    ) throws -> Points {
        let paths = field.paths + references(of: field) + (place.map { [$0] } ?? [])
        var query = Query(filter, limit: pointLimit)
        let located = Filter.and(field.paths.map { .exists($0) })
        query.filter = filter == .all ? located : .and([filter, located])
        let page = try collection.rowPage(paths, query, after: nil)
        var found = Points(hasMore: page.next != nil)
        for row in page.rows {
            var object = DocumentObject()
            for (path, value) in zip(paths, row.values) {
                if let value { put(value, at: path.steps[...], in: &object) }
            }
            guard let point = field.point(in: object) else { continue }
            let name = place == nil ? nil : row.values.last?.flatMap { $0.stringValue }
            found.points.append((point, name.map { CellText.cut($0, 60) }))
        }
        return found
    }

    /// The tags for the hemisphere beside the coordinates of exiftool.
    private static func references(of field: GeoField) -> [FieldPath] {
        guard case .coordinates = field else { return [] }
        return field.paths.compactMap { path in
            let name = path.description
            return name.hasSuffix("GPSLatitude") || name.hasSuffix("GPSLongitude")
                ? try? FieldPath(parsing: name + "Ref") : nil
        }
    }

    private static func put(
        _ value: DocumentValue, at steps: ArraySlice<FieldPath.Step>, in object: inout DocumentObject
    ) {
        guard case .name(let name)? = steps.first else { return }
        guard steps.count > 1 else {
            object[name] = value
            return
        }
        var inner = DocumentObject()
        if case .object(let existing)? = object[name] { inner = existing }
        put(value, at: steps.dropFirst(), in: &inner)
        object[name] = .object(inner)
    }

    // MARK: - Markup

    private func link(_ filter: Filter, within box: GeoBox, _ field: GeoField, of count: Int) -> Link {
        let condition = Narrowing.text(filter, and: .isWithin(field, box))
        return CollectionHead.link(
            to: count > 50 ? .map : .table, of: frame.collection ?? "", where: condition)
    }

    private func summary(
        _ points: Points, _ cells: MapCells, _ field: GeoField, _ filter: Filter, _ page: inout Markup
    ) {
        page.element("p", .class("quiet")) { line in
            let count = HumanNumber.grouped(points.points.count)
            line.text(points.hasMore ? "The first \(count) documents with a location. " : "\(count) documents. ")
            guard cells.outsideCount > 0, let box = cells.frame.box,
                let earth = GeoBox(south: -90, west: -180, north: 90, east: 180)
            else { return }
            let outside = Filter.and([.isWithin(field, earth), .not(.isWithin(field, box))])
            line.element(
                "a",
                .href(
                    CollectionHead.link(
                        to: .table, of: frame.collection ?? "", where: Narrowing.text(filter, and: outside))),
                text: "\(HumanNumber.grouped(cells.outsideCount)) outside")
        }
    }

    private func map(_ cells: MapCells, _ field: GeoField, _ filter: Filter, _ page: inout Markup) {
        let frame = cells.frame
        let largest = Double(cells.cells.first?.count ?? 1)
        let cellSize = MapFrame.width / Double(MapCells.columnCount)
        page.element(
            "div", .class("scroll chart"), .fixed("tabindex", "0"), .fixed("role", "region"), .label("Map")
        ) {
            $0.element(
                "svg", .class("map"), .box(MapFrame.width, frame.height), .fixed("role", "group"),
                .label("Documents by place"),
                .data("data-field", field.paths.map(\.description).joined(separator: ",")),
                .data("data-where", filter == .all ? "" : filter.description),
                .data("data-frame", "\(frame.south),\(frame.west),\(frame.north),\(frame.east)")
            ) { map in
                graticule(frame, &map)
                // The smallest last, so that no circle covers them.
                for cell in cells.cells {
                    let radius = max(3, (Double(cell.count) / largest).squareRoot() * cellSize * 0.9)
                    let text = "\(cell.name ?? "Here"): \(HumanNumber.grouped(cell.count))"
                    map.element("a", .href(link(filter, within: cell.box, field, of: cell.count)), .label(text)) {
                        $0.element("circle", .number("cx", cell.x), .number("cy", cell.y), .number("r", radius)) {
                            $0.element("title", text: text)
                        }
                    }
                }
            }
        }
    }

    private func graticule(_ frame: MapFrame, _ map: inout Markup) {
        for latitude in MapFrame.lines(from: frame.south, to: frame.north).degrees {
            let y = frame.y(of: latitude)
            map.element("line", .fixed("x1", "0"), .fixed("x2", "1000"), .number("y1", y), .number("y2", y)) { _ in }
            // There is no room above the uppermost line.
            if y < 16 { continue }
            map.element(
                "text", .fixed("x", "4"), .number("y", y - 4),
                text: Self.degrees(latitude, latitude < 0 ? "S" : "N"))
        }
        for longitude in MapFrame.lines(from: frame.west, to: frame.east).degrees {
            let x = frame.x(of: longitude)
            map.element("line", .number("x1", x), .number("x2", x), .fixed("y1", "0"), .number("y2", frame.height)) {
                _ in
            }
            map.element(
                "text", .number("x", x + 4), .number("y", frame.height - 6),
                text: Self.degrees(longitude, longitude < 0 ? "W" : "E"))
        }
    }

    private static func degrees(_ degrees: Double, _ side: String) -> String {
        let size = abs(degrees)
        let text = size == size.rounded() && size < 1000 ? "\(Int(size))" : "\(size)"
        return degrees == 0 ? "0°" : "\(text)° \(side)"
    }

    /// The same as a table, for readers of the screen.
    private func table(_ cells: MapCells, _ field: GeoField, _ filter: Filter, _ page: inout Markup) {
        page.element("details") { details in
            details.element("summary", text: "As a table")
            details.element("table") { table in
                table.element("thead") {
                    $0.element("tr") { row in
                        row.columnHead("Place")
                        row.columnHead("Documents", isNumber: true)
                    }
                }
                table.element("tbody") { body in
                    for cell in cells.cells.prefix(100) {
                        body.element("tr") { row in
                            row.element("th", .fixed("scope", "row")) {
                                $0.element(
                                    "a", .href(link(filter, within: cell.box, field, of: cell.count)),
                                    text: cell.name ?? Self.name(of: cell.box))
                            }
                            row.cell(HumanNumber.grouped(cell.count), isNumber: true)
                        }
                    }
                }
            }
        }
    }

    private static func name(of box: GeoBox) -> String {
        func text(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
        return "\(text((box.south + box.north) / 2)), \(text((box.west + box.east) / 2))"
    }
}
