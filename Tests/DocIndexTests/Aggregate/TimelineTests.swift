import TestSupport
import Testing

@testable import DocIndex

/// Facets by parts of dates, timelines and duplicates, compared with a naive computation over every document.
@Suite struct TimelineTests {
    private static let dates: [DocumentValue?] = [
        nil, .null, "soon", 2019, "0000:00:00 00:00:00", "2019-07-14T10:00:00", "2019:07:14 23:59:59",
        "2019:12:31 12:00:00", "2020-01-01", "2020-02-29T08:00:00", "1999-01-01T00:30:00+02:00", "2019-07-15 01:02:03",
        .date(DocumentDate(milliseconds: 1_563_098_400_000)), .date(DocumentDate(utcMilliseconds: 0)),
    ]

    private static let schema = Schema(collections: [
        CollectionDefinition("bare"),
        CollectionDefinition("indexed", indexes: [.value("taken", on: "taken"), .value("camera", on: "camera")]),
        CollectionDefinition(
            "parts",
            indexes: [
                .value(
                    "month", on: .field("taken", dates: DocumentDate.Format.allCases, part: .yearMonth), counts: true),
                .value("day", on: .field("taken", dates: DocumentDate.Format.allCases, part: .yearMonthDay)),
                .value("camera, taken", on: "camera", "taken"),
            ]),
    ])

    private func withDocuments(_ body: (DocumentCollection, [DocumentObject]) throws -> Void) throws {
        var random = TestRun.random(stream: 902)
        let documents = (0..<300).map { id in
            var document: DocumentObject = ["id": .int(Int64(id)), "n": .int(Int64(random.number(below: 4)))]
            if let date = random.pick(Self.dates) { document["taken"] = date }
            if let camera = random.pick([nil, .null, "A", "B", 1, 1.0] as [DocumentValue?]) {
                document["camera"] = camera
            }
            document["hashes"] = .array(
                (0..<random.number(below: 3)).map { _ in .int(Int64(random.number(below: 400))) })
            return document
        }
        try withTemporaryStore(schema: Self.schema) { store in
            try store.write { transaction in
                for document in documents {
                    for collection in store.collections { try transaction.put(document, in: collection.name) }
                }
            }
            for collection in store.collections { try body(collection, documents) }
        }
    }

    private static func part(_ value: DocumentValue?, _ part: DocumentDate.Part) -> Int64? {
        value.flatMap { IndexedDate(reading: $0) }.map { $0.value(of: part) }
    }

    @Test func `Facets of every part of a date match a count over every document`() throws {
        try withDocuments { collection, documents in
            for condition in ["", "n = 2", "camera = A"] {
                let filter = try Filter(parsing: condition)
                let matching = documents.filter { NaiveQuery.holds(filter, for: $0) }
                for part in DocumentDate.Part.allCases {
                    var counts: [DocumentValue: Int] = [:]
                    var missing = 0
                    for document in matching {
                        if let number = Self.part(document["taken"], part) {
                            counts[.int(number), default: 0] += 1
                        } else {
                            missing += 1
                        }
                    }
                    let list = try collection.facets(
                        by: [.datePart("taken", part)], where: filter, countsMissing: true)[0]
                    #expect(
                        Dictionary(uniqueKeysWithValues: list.facets.map { ($0.value, $0.count) }) == counts,
                        "\(collection.name) \(part) \(condition); \(TestRun.repetition)")
                    #expect(list.missingCount == missing, "\(collection.name) \(part) \(condition)")
                    #expect(zip(list.facets, list.facets.dropFirst()).allSatisfy { $0.count >= $1.count })
                    let first = try collection.facets(by: [.datePart("taken", part)], where: filter, limit: 2)[0]
                    #expect(first.facets == Array(list.facets.prefix(2)) && first.missingCount == 0)
                }
                let several = try collection.facets(
                    by: [.value("camera"), .datePart("taken", .year), .value("hashes[]")], where: filter,
                    countsMissing: true)
                #expect(try several[0].facets == collection.facets("camera", where: filter))
                #expect(several[0].missingCount == matching.count { $0["camera"] == nil })
                #expect(several[2].missingCount == matching.count { $0["hashes"] == [] })
            }
        }
    }

    @Test func `A timeline is chronological, and its gaps can be filled`() throws {
        try withDocuments { collection, documents in
            for unit in DocumentCollection.Timeline.Unit.allCases {
                let timeline = try collection.timeline("taken", by: unit)
                let periods = timeline.entries.map(\.period)
                #expect(periods == periods.sorted() && Set(periods).count == periods.count)
                let dated = documents.compactMap { Self.part($0["taken"], unit.part) }
                #expect(timeline.entries.reduce(0) { $0 + $1.count } == dated.count)
                #expect(timeline.missingCount == documents.count - dated.count)
                #expect(
                    timeline.entries.allSatisfy { entry in
                        entry.count == dated.count { $0 == entry.period.number }
                    })
                let filled = try collection.timeline("taken", by: unit, fillsGaps: true)
                #expect(filled.entries.filter { $0.count > 0 } == timeline.entries)
                #expect(zip(filled.entries, filled.entries.dropFirst()).allSatisfy { $0.period.next == $1.period })
            }
            let days = try collection.timeline("taken", by: .day, where: .compare("n", .less, 0), fillsGaps: true)
            #expect(days == DocumentCollection.Timeline(entries: [], missingCount: 0))
        }
    }

    @Test func `Every period follows the one before it, through leap years`() {
        var day = DocumentCollection.Timeline.Period(unit: .day, number: 1899_12_30)
        for number in CalendarDay.number(
            year: 1899, month: 12, day: 30)..<CalendarDay.number(year: 2105, month: 1, day: 1)
        {
            let (year, month, date) = CalendarDay.parts(ofDay: number)
            guard day.year == Int(year), day.month == Int(month), day.day == Int(date) else {
                Issue.record("\(day) is not \(year)-\(month)-\(date)")
                return
            }
            day = day.next
        }
        #expect(DocumentCollection.Timeline.Period(unit: .month, number: 2019_12).next.description == "2020-01")
        #expect(DocumentCollection.Timeline.Period(unit: .year, number: 987).next.description == "0988")
    }

    @Test func `Conditions on a day find the same documents with every index`() throws {
        try withDocuments { collection, documents in
            for condition in [
                "yearMonthDay(taken) = 20190714", "yearMonthDay(taken) >= 20191231",
                "yearMonthDay(taken) between 20190715 and 20200101", "yearmonthday(taken) < 0",
            ] {
                let filter = try Filter(parsing: condition)
                let expected = documents.filter { NaiveQuery.holds(filter, for: $0) }.compactMap { $0["id"] }
                #expect(
                    try collection.find(Query(filter)).map(\.id.value) == expected, "\(collection.name) \(condition)")
            }
        }
    }

    @Test func `Duplicates are the documents with equal values at all keys`() throws {
        try withDocuments { collection, documents in
            let tests: [([Aggregation.GroupKey], (DocumentObject) -> [[DocumentValue?]])] = [
                ([.value("camera")], { [[$0["camera"]]] }),
                ([.value("taken"), .value("camera")], { [[$0["taken"], $0["camera"]]] }),
                (
                    [.datePart("taken", .yearMonthDay), .value("camera")],
                    { [[Self.part($0["taken"], .yearMonthDay).map { .int($0) }, $0["camera"]]] }
                ),
                ([.value("hashes[]")], { Array(Set($0["hashes"]?.arrayValue ?? [])).map { [$0] } }),
            ]
            for condition in ["", "n = 2"] {
                let filter = try Filter(parsing: condition)
                let matching = documents.filter { NaiveQuery.holds(filter, for: $0) }
                for (keys, values) in tests {
                    var groups: [[UInt8]: [DocumentID]] = [:]
                    for document in matching {
                        for tuple in values(document) {
                            guard tuple.allSatisfy({ $0?.isNull == false }) else { continue }
                            let bytes = tuple.flatMap { OrderedValue.encoded($0.map(OrderedValue.canonical)) }
                            groups[bytes, default: []].append(try #require(document["id"].flatMap { DocumentID($0) }))
                        }
                    }
                    let found = try collection.duplicates(by: keys, where: filter)
                    let expected = groups.filter { $0.value.count > 1 }
                        .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
                    #expect(found.map(\.ids) == expected, "\(collection.name) \(keys); \(TestRun.repetition)")
                }
            }
            expectFailure(.invalidQuery) { try collection.duplicates(by: []) }
        }
    }

    @Test func `Without duplicates, an index answers and no document is read`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("indexed")
            for id in 0..<50 { try collection.put(["id": .int(Int64(id)), "camera": .int(Int64(id))]) }
            let options = Query.Options(refusesScan: true)
            #expect(try collection.duplicates(by: [.value("camera")], options: options).isEmpty)
            try collection.put(["id": 99, "camera": 7])
            let found = try collection.duplicates(by: [.value("camera")], options: options)
            #expect(found.map(\.ids) == [[7, 99]] && found.map(\.values) == [[7]])
        }
    }

    @Test func `Keys round-trip through their notation`() throws {
        for text in ["camera", "keywords[]", "year(taken)", "yearMonthDay(exif.taken)", "\"month(taken)\"", "a(b)"] {
            let key = try Aggregation.GroupKey(parsing: text)
            #expect(key.description == text)
            #expect(try Aggregation.GroupKey(parsing: key.description) == key)
        }
        #expect(try Aggregation.GroupKey(parsing: "MONTH(taken)") == .datePart("taken", .month))
        #expect(try Aggregation.GroupKey(parsing: "\"month(taken)\"") == .value(FieldPath(names: "month(taken)")))
        for text in ["", "year()", "year(a..b)", "a..b"] {
            expectFailure(.invalidQuery) { try Aggregation.GroupKey(parsing: text) }
        }
    }
}
