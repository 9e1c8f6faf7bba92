import DocumentModel
import TestSupport
import Testing

@Suite struct DocumentDateTests {
    static let texts: [(Int64, Int?, String)] = [
        (0, nil, "1970-01-01T00:00:00.000"), (0, 0, "1970-01-01T00:00:00.000Z"),
        (1_339_171_331_000, 120, "2012-06-08T18:02:11.000+02:00"), (-1, nil, "1969-12-31T23:59:59.999"),
        (951_782_400_000, 0, "2000-02-29T00:00:00.000Z"), (951_868_799_999, 0, "2000-02-29T23:59:59.999Z"),
        (-2_203_891_200_000, 0, "1900-03-01T00:00:00.000Z"), (-2_203_891_200_001, 0, "1900-02-28T23:59:59.999Z"),
        (0, -1439, "1969-12-31T00:01:00.000-23:59"), (0, 1439, "1970-01-01T23:59:00.000+23:59"),
        (0, -1, "1969-12-31T23:59:00.000-00:01"), (0, 345, "1970-01-01T05:45:00.000+05:45"),
        (-62_167_219_200_000, nil, "0000-01-01T00:00:00.000"),
        (-62_167_219_200_001, nil, "-000001-12-31T23:59:59.999"), (253_402_300_799_999, nil, "9999-12-31T23:59:59.999"),
        (253_402_300_800_000, nil, "+010000-01-01T00:00:00.000"),
        (253_402_300_800_000, -1, "9999-12-31T23:59:00.000-00:01"),
        (.max, nil, "+292278994-08-17T07:12:55.807"), (.min, nil, "-292275055-05-16T16:47:04.192"),
        (.max, 1439, "+292278994-08-18T07:11:55.807+23:59"), (.min, -1439, "-292275055-05-15T16:48:04.192-23:59"),
    ]

    @Test(arguments: texts) func `A date has exactly one ISO 8601 string, which parses back to the date`(
        milliseconds: Int64, offset: Int?, text: String
    ) throws {
        let date =
            try offset.map { try #require(DocumentDate(milliseconds: milliseconds, offsetMinutes: $0)) }
            ?? DocumentDate(milliseconds: milliseconds)
        #expect(date.iso8601 == text)
        #expect(date.description == text)
        let read = try #require(DocumentDate(iso8601: text))
        #expect(read == date)
        #expect(read.milliseconds == milliseconds)
        #expect(read.offsetMinutes == offset)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:01", 1000, nil), ("1970-01-01T00:00:00.5", 500, nil), ("1970-01-01T00:00:00.05Z", 50, 0),
            ("1970-01-01T00:00:00.123000000+00:00", 123, 0), ("1970-01-01T01:00:00+01:00", 0, 60),
        ] as [(String, Int64, Int?)])
    func `Fractional seconds of other lengths are parsed too`(text: String, milliseconds: Int64, offset: Int?) {
        let date = DocumentDate(iso8601: text)
        #expect(date?.milliseconds == milliseconds)
        #expect(date?.offsetMinutes == offset)
    }

    @Test(arguments: [
        "", "2012", "2012-06-08", "2012-06-08T18:02", "2012-06-08 18:02:11", "2012-06-08t18:02:11", "12-06-08T18:02:11",
        "2012-6-08T18:02:11", "2012-06-08T18:02:11z", "2012-06-08T18:02:11+2:00", "2012-06-08T18:02:11+0200",
        "2012-06-08T18:02:11+02", "2012-06-08T18:02:11-00:00", "2012-06-08T18:02:11+24:00", "2012-06-08T18:02:11+02:60",
        "2012-06-08T18:02:11.", "2012-06-08T18:02:11.Z", "2012-06-08T18:02:11.1234", "2012-06-08T18:02:11,5",
        "2012-06-08T18:02:11Z ", " 2012-06-08T18:02:11Z", "2012-00-08T18:02:11", "2012-13-08T18:02:11",
        "2012-06-00T18:02:11", "2012-06-31T18:02:11", "2011-02-29T18:02:11", "1900-02-29T18:02:11",
        "2012-06-08T24:00:00", "2012-06-08T18:60:11", "2012-06-08T18:02:60", "2012-06-0aT18:02:11",
        "+002012-06-08T18:02:11", "+12012-06-08T18:02:11", "-000000-06-08T18:02:11", "+1000000000-06-08T18:02:11",
        "+292278994-08-17T07:12:55.808", "-292275055-05-16T16:47:04.191", "+292278994-08-17T07:12:55-00:01",
        "+999999999-12-31T23:59:59", "-999999999-01-01T00:00:00", "2012-06-08T18:02:11\0", "２０12-06-08T18:02:11",
    ])
    func `Other strings are not dates`(text: String) {
        #expect(DocumentDate(iso8601: text) == nil)
    }

    @Test func `Every date round-trips through its string`() {
        var generator = DocumentGenerator()
        for _ in 0..<(DocumentGenerator.isLong ? 1_000_000 : 20_000) {
            let date = generator.date()
            #expect(DocumentDate(iso8601: date.iso8601) == date, "seed \(generator.seed): \(date)")
        }
    }

    @Test func `A time zone is less than a day from UTC`() {
        #expect(DocumentDate(milliseconds: 0, offsetMinutes: 1440) == nil)
        #expect(DocumentDate(milliseconds: 0, offsetMinutes: -1440) == nil)
        #expect(DocumentDate(milliseconds: 0, offsetMinutes: .max) == nil)
        #expect(DocumentDate(utcMilliseconds: 5).offsetMinutes == 0)
    }

    @Test func `Dates are ordered by milliseconds, then without a time zone first, then by offset`() {
        var ascending = [DocumentDate(milliseconds: -5), DocumentDate(milliseconds: 0)]
        ascending += [-60, 0, 60].compactMap { DocumentDate(milliseconds: 0, offsetMinutes: $0) }
        ascending.append(DocumentDate(milliseconds: 1))
        #expect(ascending.count == 6)
        #expect(ascending.shuffled().sorted() == ascending)
        #expect(Set(ascending).count == 6)
        for (left, right) in zip(ascending, ascending.dropFirst()) { #expect(left < right && !(right < left)) }
    }
}
