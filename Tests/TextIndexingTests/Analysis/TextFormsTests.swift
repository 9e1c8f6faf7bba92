import Foundation
import TestSupport
import Testing

@testable import TextIndexing

/// Normalization and case folding of characters are compared with those of Foundation, and normalization of strings with
/// the equality of Swift's strings: other libraries compute both.
@Suite struct TextFormsTests {
    private typealias Form = @Sendable (String) -> String

    private static let forms: [(name: String, ours: Form, theirs: Form)] = [
        ("composed", { TextForms.composed($0) }, { $0.precomposedStringWithCanonicalMapping }),
        ("decomposed", { TextForms.decomposed($0) }, { $0.decomposedStringWithCanonicalMapping }),
        ("compatible", { TextForms.compatible($0) }, { $0.decomposedStringWithCompatibilityMapping }),
        ("case folded", { TextForms.caseFolded($0) }, { $0.folding(options: .caseInsensitive, locale: nil) }),
    ]

    /// Cherokee, which folds to upper case, and old forms of Cyrillic letters. Foundation does not fold them like Unicode.
    private static func isFoldedOtherwise(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x13a0...0x13fd, 0x1c80...0x1c88, 0xab70...0xabbf: true
        default: false
        }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.unicodeScalars.elementsEqual(right.unicodeScalars)
    }

    @Test func `The forms of every character up to Unicode 14 are those of Foundation`() {
        var count = 0
        for start in stride(from: UInt32(1), to: 0x11_0000, by: 256) {
            let scalars = (start..<start + 256).compactMap(Unicode.Scalar.init).filter { scalar in
                scalar.properties.age.map { $0.major <= 14 } ?? false
            }
            if scalars.isEmpty { continue }
            count += scalars.count
            // Line feeds prevent characters from combining.
            let text = scalars.map(String.init).joined(separator: "\n")
            for (name, ours, theirs) in Self.forms where !Self.isSame(ours(text), theirs(text)) {
                for scalar in scalars where name != "case folded" || !Self.isFoldedOtherwise(scalar) {
                    let (own, other) = (ours(String(scalar)), theirs(String(scalar)))
                    #expect(Self.isSame(own, other), "\(name) U+\(String(scalar.value, radix: 16)): \(own), \(other)")
                }
            }
        }
        #expect(count > 140_000)
        #expect(TextForms.caseFolded("\u{ab70}\u{13a0}\u{1c80}") == "\u{13a0}\u{13a0}\u{432}")
    }

    @Test func `The composed and the decomposed form are equal to the string, and equal strings have the same forms`() {
        var random = TestRun.random(stream: 98)
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7f, 0xc0...0x24f, 0x300...0x36f, 0x370...0x5ff, 0x900...0xdff, 0x1100...0x11ff, 0x1e00...0x1fff,
            0x3040...0x30ff, 0xac00...0xd7a3, 0xfb00...0xfb4f, 0xff00...0xffef, 0x1d100...0x1d1ff,
        ]
        for _ in 0..<TestRun.rounds(5000, long: 500_000) {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<random.number(below: 10) {
                Unicode.Scalar(UInt32.random(in: random.pick(ranges), using: &random)).map { scalars.append($0) }
            }
            let text = String(scalars)
            let comment: Comment = "\(scalars.map { String($0.value, radix: 16) }), \(TestRun.repetition)"
            let (composed, decomposed) = (TextForms.composed(text), TextForms.decomposed(text))
            #expect(composed == text && decomposed == text, comment)
            #expect(composed.unicodeScalars.count <= decomposed.unicodeScalars.count, comment)
            for other in [composed, decomposed] {
                #expect(Self.isSame(TextForms.composed(other), composed), comment)
                #expect(Self.isSame(TextForms.decomposed(other), decomposed), comment)
                #expect(Self.isSame(TextForms.compatible(other), TextForms.compatible(text)), comment)
            }
        }
    }

    @Test(arguments: ["\u{301}\u{323}", "\u{f73}\u{301}\u{f81}\u{f75}", "\u{ff9e}\u{301}", "\u{344}\u{5b0}"])
    func `Any number of marks is sorted in time in proportion to it`(marks: String) {
        // Swift and Foundation do not sort the vowels of Tibetan, so the marks are sorted here.
        func sorted(_ text: String, _ form: (String) -> String) -> String {
            let marks = text.unicodeScalars.dropFirst().flatMap { Array(form(String($0)).unicodeScalars) }
            let ordered = marks.enumerated().sorted {
                let orders = [$0, $1].map(\.element.properties.canonicalCombiningClass.rawValue)
                return (orders[0], $0.offset) < (orders[1], $1.offset)
            }
            return "a" + String(String.UnicodeScalarView(ordered.map(\.element)))
        }
        for count in 1...70 {
            let text = "a" + String(repeating: marks, count: count)
            let decomposed = sorted(text) { TextForms.decomposed($0) }
            let comment: Comment = "\(count)"
            if !marks.unicodeScalars.contains("\u{ff9e}") {
                #expect(Self.isSame(TextForms.decomposed(text), decomposed), comment)
                #expect(Self.isSame(TextForms.composed(text), TextForms.composed(decomposed)), comment)
            }
            #expect(Self.isSame(TextForms.compatible(text), sorted(text) { TextForms.compatible($0) }), comment)
        }
        // By swapping neighbors it would take minutes.
        let long = "a" + String(repeating: marks, count: 150_000)
        #expect(TextForms.compatible(long).unicodeScalars.count > 300_000)
        #expect(TextForms.composed(long).unicodeScalars.count > 100_000)
    }

    @Test func `Final consonants of Korean compose, and the code points around them do not`() {
        for (text, composed) in [
            ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"), ("\u{ac00}\u{11c2}", "\u{ac1b}"),
            ("\u{ac00}\u{11a7}", "\u{ac00}\u{11a7}"),
            ("\u{ac00}\u{11c3}", "\u{ac00}\u{11c3}"),
            ("\u{11a7}\u{ac00}\u{11a7}\u{11a7}", "\u{11a7}\u{ac00}\u{11a7}\u{11a7}"),
            ("a\u{0}\u{301}", "a\u{0}\u{301}"), ("", ""),
        ] { #expect(Self.isSame(TextForms.composed(text), composed), "\(text.unicodeScalars.map(\.value))") }
    }
}
