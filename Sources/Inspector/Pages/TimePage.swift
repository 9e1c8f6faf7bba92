internal import DocIndex
internal import DocSync

/// The documents of a collection along an axis of time. Each bar leads to its documents.
struct TimePage: Sendable {
    static let parameters = ["where", "view", "field", "by"]

    let reading: StoreReading
    let store: ReadableStore
    let frame: PageFrame
    let target: Target

    func response(of name: String) async throws -> SyncResponse {
        let collection = try store.collection(name)
        let parameters = try Parameters(target, known: Self.parameters)
        let filter = try parameters.filter()
        let unit = try parameters.choice("by", of: ["year", "month", "day"])
        let named = try parameters.paths("field")?.first
        let profile = try await reading.run { try CollectionProfile(of: collection) }
        guard let path = named ?? profile.date else {
            throw Problem(
                .badRequest, "No field with dates was found; name one with field=…", parameter: "field")
        }
        let histogram = try await reading.run {
            try Histogram(
                of: collection, path, by: unit.flatMap { DocumentCollection.Timeline.Unit(rawValue: $0) },
                where: filter)
        }
        let head = CollectionHead(name: collection.name, view: .time, profile: profile, target: target)
        return frame.page("Time of " + collection.name) { page in
            head.append(count: nil, to: &page)
            head.appendForm(parameters, to: &page) { form in
                form.field("Date", "field", path.description)
                form.choice("By", "by", ["year", "month", "day"], histogram.unit.rawValue)
            }
            let entries = histogram.timeline.entries
            let count = entries.reduce(0) { $0 + $1.count }
            page.element(
                "p", .class("quiet"),
                text: "\(HumanNumber.grouped(count)) documents by \(histogram.unit.rawValue) of \(path.description); "
                    + "\(HumanNumber.grouped(histogram.timeline.missingCount)) without a date.")
            if entries.isEmpty { return page.element("p", text: "No document with a date matches.") }
            chart(histogram, path, filter, &page)
            table(histogram, path, filter, &page)
        }
    }

    private func link(
        _ path: FieldPath, _ period: DocumentCollection.Timeline.Period, _ filter: Filter, _ unit: String
    ) -> Link {
        let condition = Histogram.condition(path, period).map { Narrowing.text(filter, and: $0) }
        // A year opens its months, a month its days, and a day its documents.
        guard unit != "day" else {
            return CollectionHead.link(to: .table, of: frame.collection ?? "", where: condition)
        }
        var link = CollectionHead.link(target).with("where", condition)
        link["by"] = unit == "year" ? "month" : "day"
        return link
    }

    // MARK: - Chart

    private static let height = 220.0
    private static let width = 1000.0

    private func chart(_ histogram: Histogram, _ path: FieldPath, _ filter: Filter, _ page: inout Markup) {
        let entries = histogram.timeline.entries.suffix(Histogram.barLimit)
        let largest = Double(entries.map(\.count).max() ?? 1)
        let step = Self.width / Double(max(1, entries.count))
        page.element(
            "div", .class("scroll chart"), .fixed("tabindex", "0"), .fixed("role", "region"), .label("Histogram")
        ) {
            $0.element(
                "svg", .class("histogram"), .fixed("viewBox", "0 0 1000 250"), .fixed("role", "group"),
                .label("Documents by \(histogram.unit.rawValue)")
            ) { chart in
                for (position, entry) in entries.enumerated() {
                    let x = Double(position) * step
                    bar(entry, x, step, largest, &chart, link(path, entry.period, filter, histogram.unit.rawValue))
                    label(entry.period, position, entries.count, x, &chart)
                }
                chart.element(
                    "line", .fixed("x1", "0"), .fixed("x2", "1000"), .number("y1", Self.height),
                    .number("y2", Self.height)
                ) { _ in }
            }
        }
    }

    private func bar(
        _ entry: DocumentCollection.Timeline.Entry, _ x: Double, _ step: Double, _ largest: Double,
        _ chart: inout Markup, _ link: Link
    ) {
        guard entry.count > 0 else { return }
        let height = max(2, Double(entry.count) / max(1, largest) * (Self.height - 10))
        let text = "\(entry.period): \(HumanNumber.grouped(entry.count))"
        chart.element("a", .href(link), .label(text)) { anchor in
            anchor.element(
                "rect", .number("x", x + step * 0.08), .number("y", Self.height - height),
                .number("width", max(0.5, step * 0.84)), .number("height", height)
            ) { $0.element("title", text: text) }
        }
    }

    /// Labels as many periods as fit.
    private func label(
        _ period: DocumentCollection.Timeline.Period, _ position: Int, _ count: Int, _ x: Double, _ chart: inout Markup
    ) {
        let every: Int =
            switch period.unit {
            case .year: max(1, (count + 15) / 16)
            case .month: count > 160 ? 60 : count > 64 ? 24 : count > 16 ? 12 : 1
            case .day: max(1, (count + 9) / 10)
            }
        let isLabelled =
            period.unit == .month && every >= 12
            ? period.month == 1 && (period.year * 12) % every == 0
            : position % every == 0
        guard isLabelled else { return }
        let text = period.unit == .month && every >= 12 ? "\(period.year)" : period.description
        chart.element("text", .number("x", x), .number("y", Self.height + 20), text: text)
    }

    /// The same as a table, for readers of the screen and for exact numbers.
    private func table(_ histogram: Histogram, _ path: FieldPath, _ filter: Filter, _ page: inout Markup) {
        page.element("details") { details in
            details.element("summary", text: "As a table")
            details.element("table") { table in
                table.element("thead") {
                    $0.element("tr") { row in
                        row.columnHead("Period")
                        row.columnHead("Documents", isNumber: true)
                    }
                }
                table.element("tbody") { body in
                    for entry in histogram.timeline.entries.suffix(Histogram.barLimit) where entry.count > 0 {
                        body.element("tr") { row in
                            row.element("th", .fixed("scope", "row")) {
                                $0.element(
                                    "a", .href(link(path, entry.period, filter, histogram.unit.rawValue)),
                                    text: "\(entry.period)")
                            }
                            row.cell(HumanNumber.grouped(entry.count), isNumber: true)
                        }
                    }
                }
            }
        }
    }
}
