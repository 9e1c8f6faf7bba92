import Foundation
import TestSupport
import Testing

@testable import DocIndex

/// Which strings are dates, and which instants they denote.
@Suite struct DateTextTests {
    /// A string with the milliseconds and offset minutes that it denotes.
    static let dates: [(String, DocumentDate.Format, Int64, Int?)] = [
        ("1970-01-01", .iso8601, 0, nil), ("1970-01-01T00:00Z", .iso8601, 0, 0),
        ("1969-12-31", .iso8601, -86_400_000, nil),
        ("2012:06:08 18:02:11", .exif, 1_339_178_531_000, nil), ("2012:06:08 18:02:11Z", .exif, 1_339_178_531_000, 0),
        ("2012:06:08 18:02:11.25+02:00", .exif, 1_339_171_331_250, 120), ("2012:06:08", .exif, 1_339_113_600_000, nil),
        ("2012-06-08T18:02:11-0330", .iso8601, 1_339_191_131_000, -210),
        ("2012-06-08 18:02:11,1239Z", .iso8601, 1_339_178_531_123, 0),
        ("2012-06-08t18:02:11z", .iso8601, 1_339_178_531_000, 0),
        ("2012-06-08T18:02:11+14", .iso8601, 1_339_128_131_000, 840),
        ("0000-02-29", .iso8601, -62_162_121_600_000, nil),
        ("9999-12-31T23:59:59.999Z", .iso8601, 253_402_300_799_999, 0),
    ]

    @Test(arguments: dates) func `A string in a declared date format is an instant`(
        text: String, format: DocumentDate.Format, milliseconds: Int64, offset: Int?
    ) {
        let expected = IndexedDate(milliseconds: milliseconds, offsetMinutes: offset)
        #expect(DateText.date(in: text, formats: [format]) == expected)
        #expect(DateText.date(in: text, formats: DocumentDate.Format.allCases) == expected)
        #expect(DateText.date(in: text, formats: DocumentDate.Format.allCases.filter { $0 != format }) == nil)
        #expect(DateText.date(in: text, formats: []) == nil)
    }

    static let noDates: [String] = [
        "", "2012", "2012-06", "2012-6-8", "12-06-08", "2012-06-08T", "2012-06-08T18", "2012-06-08T18:02:11 ",
        " 2012-06-08",
        "2012-13-01", "2012-00-01", "2012-06-31", "2012-06-00", "2011-02-29", "1900-02-29", "2012-06-08T24:00",
        "2012-06-08T18:60", "2012-06-08T18:02:60", "2012-06-08T18:02:11.", "2012-06-08T18:02:11+2",
        "2012-06-08T18:02+24:00",
        "2012-06-08T18:02+02:60", "2012-06-08T18:02+02:", "2012-06-08Z", "2012-06:08", "0000:00:00 00:00:00",
        "    :  :     :  :  ", "2012:06:08T18:02:11", "２０１２-06-08", "+2012-06-08", "2012-06-08T18:02:11Zulu",
    ]

    @Test(arguments: noDates) func `A string in another format is not a date`(text: String) {
        #expect(DateText.date(in: text, formats: DocumentDate.Format.allCases) == nil)
        // It remains a string, and can be found as one.
        let component = IndexDefinition.Component("a", dates: DocumentDate.Format.allCases)
        #expect(component.encoded(.string(text)) == OrderedValue.encoded(.string(text)))
    }

    @Test func `Instants and date parts agree with Foundation's calendar`() throws {
        var random = TestRun.random(stream: 42)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for _ in 0..<TestRun.rounds(500, long: 20_000) {
            // Foundation's calendar is Julian before 1582.
            let seconds = Int64.random(in: -11_600_000_000...250_000_000_000, using: &random)
            let date = Date(timeIntervalSince1970: Double(seconds))
            let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
            let year = Int64(parts.year ?? 0)
            let month = Int64(parts.month ?? 0)
            let day = Int64(parts.day ?? 0)
            func two(_ number: Int?) -> String { String(100 + (number ?? 0)).suffix(2).description }
            let time = "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
            let digits = String(10_000 + year).suffix(4)
            let offset = Int64(random.number(below: 2879) - 1439)
            let zone = "\(offset < 0 ? "-" : "+")\(two(Int(abs(offset) / 60))):\(two(Int(abs(offset) % 60)))"
            let text = "\(digits)-\(two(parts.month))-\(two(parts.day))T\(time)"
            let local = IndexedDate(milliseconds: seconds * 1000)
            let zoned = IndexedDate(milliseconds: (seconds - offset * 60) * 1000, offsetMinutes: Int(offset))
            #expect(DateText.date(in: text, formats: [.iso8601]) == local, "\(text)")
            #expect(DateText.date(in: text + zone, formats: [.iso8601]) == zoned, "\(text)\(zone)")
            for date in [local, zoned] {
                #expect(date.value(of: .year) == year, "\(text)")
                #expect(date.value(of: .month) == month)
                #expect(date.value(of: .day) == day)
                #expect(date.value(of: .yearMonth) == year * 100 + month)
                #expect(date.value(of: .monthDay) == month * 100 + day)
                #expect(date.value(of: .hour) == Int64(parts.hour ?? 0))
                #expect(date.value(of: .minute) == Int64(parts.minute ?? 0))
                // Foundation counts from Sunday as 1.
                #expect(date.value(of: .weekday) == Int64(((parts.weekday ?? 0) + 5) % 7 + 1), "\(text)")
            }
        }
    }

    @Test(arguments: DocumentDate.Part.allCases)
    func `Every part of a date is within its range for every instant`(part: DocumentDate.Part) {
        for milliseconds in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
            for offset in [nil, -1439, 0, 1439] {
                let value = IndexedDate(milliseconds: milliseconds, offsetMinutes: offset).value(of: part)
                switch part {
                case .year, .yearMonth, .yearMonthDay: continue
                case .month: #expect((1...12).contains(value))
                case .day: #expect((1...31).contains(value))
                case .monthDay: #expect((101...1231).contains(value))
                case .weekday: #expect((1...7).contains(value))
                case .hour: #expect((0...23).contains(value))
                case .minute: #expect((0...59).contains(value))
                }
            }
        }
    }

    @Test func `Dates are ordered by instant, those without a time zone by local time`() {
        let component = IndexDefinition.Component("a", dates: [.iso8601])
        let texts = [
            "0001-01-01", "1969-12-31T23:59:59.999", "1970-01-01", "1970-01-01T00:00Z", "1970-01-01T01:00+01:00",
            "1970-01-01T00:00:00.001", "2012-06-08", "9999-12-31",
        ]
        let keys = texts.map { component.encoded(.string($0)) }
        for (a, b) in zip(keys, keys.dropFirst()) { #expect(a.lexicographicallyPrecedes(b)) }
        for key in keys { #expect(key.count == 11 && key[0] == 0x0e) }
        #expect(keys[2] == [0x0e, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(keys[4] == [0x0e, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80, 60])
    }

    @Test func `Date parts are in local time, even at the limits of the range`() {
        let late = IndexedDate(milliseconds: .max, offsetMinutes: 120)
        #expect(late.value(of: .hour) == 9 && late.value(of: .minute) == 12 && late.value(of: .year) == 292_278_994)
        let early = IndexedDate(milliseconds: .min, offsetMinutes: -90)
        #expect(early.value(of: .hour) == 15 && early.value(of: .minute) == 17 && early.value(of: .day) == 16)
        #expect(IndexedDate(milliseconds: -1, offsetMinutes: 1439).value(of: .monthDay) == 101)
        #expect(IndexedDate(milliseconds: 0, offsetMinutes: -1).value(of: .monthDay) == 1231)
    }
}
