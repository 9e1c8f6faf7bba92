import Foundation
import TestSupport
import Testing

@testable import TextIndexing

/// Word boundaries, compared with the files that Unicode publishes, if the system has them (Debian package
/// unicode-data).
@Suite struct WordBreakTests {
    private static let folder = "/usr/share/unicode/auxiliary/"
    static let hasFiles = FileManager.default.fileExists(atPath: folder + "WordBreakTest.txt")

    private static func lines(_ file: String) throws -> [Substring] {
        let text = try String(contentsOfFile: folder + file, encoding: .utf8)
        return text.split(separator: "\n").map { $0.prefix { $0 != "#" } }.filter { !$0.allSatisfy(\.isWhitespace) }
    }

    private static func parts(_ scalars: [Unicode.Scalar]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        WordBreaks.forEachPart(of: scalars, scalars.map(WordBreakClass.init)) { parts.append($0) }
        return parts
    }

    @Test(.enabled(if: hasFiles, "unicode-data is not installed; run script/bootstrap"))
    func `Strings are segmented as in every line of Unicode's WordBreakTest`() throws {
        var count = 0
        for line in try Self.lines("WordBreakTest.txt") {
            var scalars: [Unicode.Scalar] = []
            var expected: [Int] = []
            for piece in line.split(separator: " ") {
                switch piece.trimmingCharacters(in: .whitespaces) {
                case "÷": expected.append(scalars.count)
                case "×", "": break
                case let digits:
                    scalars.append(try #require(UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)))
                }
            }
            #expect([0] + Self.parts(scalars).map(\.upperBound) == expected, "\(line)")
            count += 1
        }
        #expect(count > 1500)
    }

    @Test(.enabled(if: hasFiles, "unicode-data is not installed; run script/bootstrap"))
    func `Every character in Unicode's file has its word break class`() throws {
        let names: [String: WordBreakClass] = [
            "CR": .carriageReturn, "LF": .lineFeed, "Newline": .newline, "Extend": .extend, "ZWJ": .joiner,
            "Format": .format, "Katakana": .katakana, "Hebrew_Letter": .hebrewLetter, "ALetter": .letter,
            "Single_Quote": .singleQuote, "Double_Quote": .doubleQuote, "MidNumLet": .midNumLet,
            "MidLetter": .midLetter, "MidNum": .midNum, "Numeric": .numeric, "ExtendNumLet": .extendNumLet,
            "Regional_Indicator": .regionalIndicator, "WSegSpace": .space,
        ]
        var classes: [UInt32: WordBreakClass] = [:]
        for line in try Self.lines("WordBreakProperty.txt") {
            let columns = line.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            let ends = columns[0].components(separatedBy: "..").compactMap { UInt32($0, radix: 16) }
            let name = try #require(names[columns[1]])
            for value in ends[0]...(ends.last ?? ends[0]) { classes[value] = name }
        }
        var wrong: [String] = []
        for value in UInt32(0)...0x10ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let expected = classes[value] ?? .other
            // Characters that are unassigned in the file's or the library's version of Unicode cannot be compared.
            if scalar.properties.generalCategory == .unassigned { continue }
            if expected == .other,
                scalar.properties.age.map({ $0.major > 15 || $0.major == 15 && $0.minor > 0 }) == true
            {
                continue
            }
            let found = WordBreakClass(scalar)
            if found != expected { wrong.append("\(String(value, radix: 16)): \(found), not \(expected)") }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(40))")
        #expect(classes.count > 30_000)
    }

    @Test func `Word segments are adjacent and cover the string`() {
        var random = TestRun.random(stream: 90)
        let pieces: [UInt32] = [
            0x61, 0x31, 0x27, 0x22, 0x2e, 0x3a, 0x2c, 0x5f, 0x20, 0x0a, 0x0d, 0x308, 0xad, 0x200d, 0x5d0, 0x30a2,
            0x6771, 0x1f1e6, 0x1f468, 0x1f3fd, 0x3000, 0xe01,
        ]
        for _ in 0..<TestRun.rounds(2000, long: 200_000) {
            let scalars = (0..<random.number(below: 12)).compactMap { _ in Unicode.Scalar(random.pick(pieces)) }
            let parts = Self.parts(scalars)
            #expect(parts.map(\.lowerBound) == (scalars.isEmpty ? [] : [0] + parts.dropLast().map(\.upperBound)))
            #expect(parts.last?.upperBound ?? 0 == scalars.count)
            #expect(parts.allSatisfy { !$0.isEmpty })
        }
    }
}
