internal import DocIndex

/// The number of documents in each period of time, without gaps.
struct Histogram: Sendable {
    /// The largest number of bars.
    static let barLimit = 400

    let timeline: DocumentCollection.Timeline
    let unit: DocumentCollection.Timeline.Unit

    /// Counts documents.
    ///
    /// - Parameter unit: the length of the periods; `nil` for the shortest one that gives a readable number of bars.
    init(
        of collection: ReadableCollection, _ path: FieldPath, by unit: DocumentCollection.Timeline.Unit?,
        where filter: Filter
    ) throws {
        if let unit {
            self.unit = unit
            timeline = try Self.timeline(of: collection, path, by: unit, where: filter)
            return
        }
        let years = try collection.timeline(path, by: .year, where: filter, fillsGaps: false).entries
        let span = (years.last?.period.year ?? 0) - (years.first?.period.year ?? 0)
        var chosen = DocumentCollection.Timeline.Unit.month
        if span > 12 { chosen = .year }
        if span == 0 {
            let months = try collection.timeline(path, by: .month, where: filter, fillsGaps: false).entries
            if months.count <= 3 { chosen = .day }
        }
        self.unit = chosen
        timeline = try Self.timeline(of: collection, path, by: chosen, where: filter)
    }

    /// Periods without documents are shown, unless there would be too many bars.
    private static func timeline(
        of collection: ReadableCollection, _ path: FieldPath, by unit: DocumentCollection.Timeline.Unit,
        where filter: Filter
    ) throws -> DocumentCollection.Timeline {
        let plain = try collection.timeline(path, by: unit, where: filter, fillsGaps: false)
        guard let first = plain.entries.first?.period, let last = plain.entries.last?.period else { return plain }
        let perYear: Int =
            switch unit {
            case .year: 1
            case .month: 12
            case .day: 366
            }
        guard (last.year - first.year + 1) * perYear <= 2 * barLimit else { return plain }
        return try collection.timeline(path, by: unit, where: filter, fillsGaps: true)
    }

    /// The condition of a period.
    static func condition(_ path: FieldPath, _ period: DocumentCollection.Timeline.Period) -> Filter? {
        Filter.DateSpan(period.description).map { .isDated(path, $0) }
    }
}
