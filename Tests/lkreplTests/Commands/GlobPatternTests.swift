import TestSupport
import Testing

@testable import lkrepl

@Suite struct `Glob patterns` {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("*", "anything/at all", true), ("a*", "a", true),
        ("a*", "b", false), ("*.jpg", "a.jpg", true), ("*.jpg", "a.jpg2", false), ("a?c", "abc", true),
        ("a?c", "aéc", true), ("a?c", "ac", false), ("[a-c]x", "bx", true), ("[a-c]x", "dx", false),
        ("[!a-c]x", "dx", true), ("[]]", "]", true), ("[a-]", "-", true), ("\\*", "*", true), ("\\*", "a", false),
        ("*a*b*", "xxaxxbxx", true), ("*a*b*", "xxbxxaxx", false), ("**", "x", true), ("é", "e\u{301}", false),
        ("a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
    ])
    func `A glob pattern matches only whole keys`(pattern: String, key: String, expected: Bool) throws {
        let bytes = Array(key.utf8)
        let pattern = try GlobPattern(pattern)
        let matches = pattern.matches(bytes.span)
        #expect(matches == expected)
    }

    @Test func `A glob pattern treats bytes that are not UTF-8 as single characters`() throws {
        let bytes: [UInt8] = [0x61, 0xff, 0xfe]
        let (two, one) = (try GlobPattern("a??"), try GlobPattern("a?"))
        let (hasTwo, hasOne) = (two.matches(bytes.span), one.matches(bytes.span))
        #expect(hasTwo && !hasOne)
    }

    @Test(arguments: ["[a", "[", "a\\", "[!"])
    func `An incomplete glob pattern is rejected`(pattern: String) {
        let failure = #expect(throws: CommandError.self) { try GlobPattern(pattern) }
        #expect(failure?.exitCode == .usage)
    }

    /// Compared with a simple recursion, on an alphabet small enough that most pairs nearly match.
    @Test func `A glob pattern matches according to its definition`() throws {
        func matches(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" { return (0...text.count).contains { matches(pattern.dropFirst(), text.dropFirst($0)) } }
            guard let next = text.first, first == "?" || first == next else { return false }
            return matches(pattern.dropFirst(), text.dropFirst())
        }
        var random = SplitMix64(seed: 5)
        for _ in 0..<20_000 {
            let pattern = String(
                (0..<Int.random(in: 0..<7, using: &random)).map { _ in "ab*?".randomElement(using: &random)! })
            let text = String(
                (0..<Int.random(in: 0..<8, using: &random)).map { _ in "ab".randomElement(using: &random)! })
            let glob = try GlobPattern(pattern)
            let found = glob.matches(Array(text.utf8).span)
            #expect(found == matches(Array(pattern)[...], Array(text)[...]), "\(pattern) \(text)")
        }
    }
}
