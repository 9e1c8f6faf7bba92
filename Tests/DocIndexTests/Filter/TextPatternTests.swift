import DocIndex
import Foundation
import TestSupport
import Testing

/// Patterns.
@Suite struct TextPatternTests {
    @Test(arguments: [
        ("", "", true), ("a", "bab", true), ("^a", "ba", false), ("a$", "ba", true), ("^a$", "a", true),
        ("^$", "", true), ("^$", "a", false), ("a.c", "abc", true), ("a.c", "a\nc", false), ("[a-c]+$", "xabc", true),
        ("^[^a-c]+$", "xyz", true), ("^[^a-c]+$", "xaz", false), ("[]a]", "]", true), ("[a-]", "-", true),
        ("\\d{3}", "ab123", true), ("^\\d{3}$", "1234", false), ("^\\d{2,3}$", "1234", false),
        ("^\\d{2,}$", "1234", true),
        ("^(ab|cd)*$", "abcdab", true), ("^(ab|cd)*$", "abcda", false), ("^(?:a|b|)c$", "c", true),
        ("colou?r", "color", true),
        ("\\bcat\\b", "a cat.", true), ("\\bcat\\b", "concat", false), ("\\Bcat", "concat", true),
        ("\\w+@\\w+", "a@b", true),
        ("\\.jpg$", "x.jpg", true), ("\\.jpg$", "xajpg", false), ("\\u{e9}", "caf\u{e9}", true),
        ("^.$", "\u{1f600}", true),
        ("a*?b", "aab", true), ("\\s\\S", " x", true), ("[\\d_]", "_", true), ("\\x41", "A", true),
        ("a|b|c", "c", true),
        ("(a*)*b", "aaaaab", true), ("^((a|b)c?)+$", "acbbc", true), ("\\/", "a/b", true),
    ])
    func `A pattern matches or does not match`(pattern: String, text: String, isFound: Bool) throws {
        #expect(try Filter.TextPattern(pattern).hasMatch(in: text) == isFound)
        #expect(
            try Filter(parsing: "x MATCHES \(Filter.TextPattern(pattern))")
                == .hasMatch("x", Filter.TextPattern(pattern)))
    }

    @Test func `Case is ignored on request`() throws {
        #expect(try Filter.TextPattern("stra[s\u{df}]e \u{c9}", ignoresCase: true).hasMatch(in: "STRASE \u{e9}"))
        #expect(try !Filter.TextPattern("abc").hasMatch(in: "ABC"))
    }

    @Test(arguments: [
        "(", ")", "a)", "[a", "*", "a{2,1}", "a{1001}", "\\", "(?=a)", "\\1", "\\p", "[z-a]", "[[:alpha:]]", "^*",
    ])
    func `An invalid pattern is rejected with its position`(pattern: String) throws {
        let error = #expect(throws: DocIndexError.self) { try Filter.TextPattern(pattern) }
        #expect(error?.code == .invalidQuery && error?.position != nil)
    }

    @Test func `The time of a match is at most proportional to text length times pattern length`() throws {
        // Backtracking would take 2 to the power of 200 steps.
        let text = String(repeating: "a", count: 200)
        #expect(try !Filter.TextPattern("^(a|a)*b$").hasMatch(in: text))
        #expect(try !Filter.TextPattern("^(a*)*b$").hasMatch(in: text))
        #expect(throws: DocIndexError.self) { try Filter.TextPattern("((a{100}){100}){100}") }
    }

    @Test func `Patterns agree with Foundation's regular expressions`() throws {
        var random = TestRun.random(stream: 62)
        func expression(_ depth: Int) -> String {
            switch random.number(below: depth > 0 ? 9 : 4) {
            case 0: return random.pick(["a", "b", "c"])
            case 1: return random.pick(["[ab]", "[^a]", ".", "\\w", "\\d"])
            case 2: return "1"
            case 3: return random.pick(["^", "$", "\\b", ""])
            case 4: return "(\(expression(depth - 1)))" + random.pick(["*", "+", "?", "{2}", "{1,3}", "{0,2}"])
            case 5, 6: return "(\(expression(depth - 1))|\(expression(depth - 1)))"
            default: return expression(depth - 1) + expression(depth - 1)
            }
        }
        for _ in 0..<TestRun.rounds(400, long: 20_000) {
            let source = expression(3)
            let pattern = try Filter.TextPattern(source)
            // Foundation does not accept some of these.
            guard let reference = try? NSRegularExpression(pattern: source) else { continue }
            for _ in 0..<5 {
                let text = String(
                    (0..<random.number(below: 7)).map { _ in random.pick(["a", "b", "c", "1", " "] as [Character]) })
                let range = NSRange(location: 0, length: text.utf16.count)
                let expected = reference.firstMatch(in: text, range: range) != nil
                #expect(pattern.hasMatch(in: text) == expected, "\(source) in '\(text)', \(TestRun.repetition)")
            }
        }
    }
}
