import TestSupport
import Testing

@testable import DocIndex

/// The limits of patterns: on their syntax, and on the time spent on a string.
@Suite struct PatternLimitTests {
    private static let schema = Schema(collections: [
        CollectionDefinition("c", indexes: [.value("note", on: "note", "n"), .value("n", on: "n", "code")])
    ])

    @Test(arguments: [
        "(", "(?:", "(a|", "((a)*", "[", "[^", "a*", "a+", "a?", "a{2}", "(a{3}", "\\", "|", "(|", "x{", "()",
    ])
    func `No nesting in a pattern overflows a small stack`(piece: String) throws {
        for count in [20, 60, 64, 100, 20_000] {
            for end in ["", ")", "]", ")*", "){2}", ")?"] {
                let text = String(repeating: piece, count: count) + "b" + String(repeating: end, count: count)
                let isRead = withSmallStack {
                    guard let pattern = try? Filter.TextPattern(text) else { return true }
                    return pattern.hasMatch(in: "aaab") || true
                }
                #expect(isRead == true)
            }
        }
    }

    @Test func `Groups may be nested 64 levels, and three repetitions may follow each other`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(try Filter.TextPattern(nested(63)).hasMatch(in: "a"))
        expectFailure(.invalidQuery, containing: "64 deep") { try Filter.TextPattern(nested(64)) }
        #expect(try Filter.TextPattern("^a{2}{2}{2}$").hasMatch(in: "aaaaaaaa"))
        expectFailure(.invalidQuery, containing: "3 repetitions") { try Filter.TextPattern("a****") }
    }

    @Test func `Repetitions of an empty match take no time`() throws {
        let repeated = String(repeating: "(", count: 40) + String(repeating: "){1000}", count: 40)
        #expect(try Filter.TextPattern(repeated).hasMatch(in: "a"))
        #expect(try Filter.TextPattern("(^){1000}a").hasMatch(in: "a"))
    }

    @Test func `A class with many characters is looked up, not searched`() throws {
        let members = (0..<20_000).map { "\\u{\(String(0x4e00 + $0 * 2, radix: 16))}" }.joined()
        let pattern = try Filter.TextPattern("^[\(members)]+$")
        #expect(pattern.hasMatch(in: "\u{4e00}\u{4e02}"))
        #expect(!pattern.hasMatch(in: "\u{4e00}\u{4e01}"))
        let text = String(repeating: "\u{4e00}", count: 100_000)
        #expect(processorTime { _ = pattern.hasMatch(in: text) } < .seconds(5))
    }

    @Test func `A pattern that takes too long on one string is rejected with the limit`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            let long = String(repeating: "a", count: 20_000)
            try collection.put([
                "id": "1", "note": .string(long), "list": [.string(long)], "n": 1, "code": .string(long),
            ])
            let conditions = [
                "note MATCHES /(a?){900}b/", "list[] MATCHES /(a?){900}b/", "list ANY (@ MATCHES /(a?){900}b/)",
                "n = 1 and code MATCHES /(a?){900}b/", "not note MATCHES /(a?){900}b/",
            ]
            PatternProgram.$stepLimit.withValue(100_000) {
                for condition in conditions {
                    expectFailure(.queryTooLarge, containing: "pattern", "steps", "20000 bytes") {
                        try collection.find(condition)
                    }
                }
            }
        }
    }

    /// Each character takes some 2,700 steps, so that the whole string would take twice the limit. With a higher limit,
    /// the match ends without an error.
    @Test(.enabled(if: !Sanitizer.isPresent, "a sanitizer makes each step several times as slow"))
    func `The usual limit ends a match on one string after a bounded amount of work`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try collection.put(["id": "1", "note": .string(String(repeating: "a", count: 80_000))])
            expectFailure(.queryTooLarge, containing: "pattern", "steps", "80000 bytes") {
                try collection.find("note MATCHES /(a?){900}b/")
            }
        }
    }

    @Test func `An ordinary pattern is matched in a string of a megabyte`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            let long =
                String(repeating: "The harbour lay in fog, 1923-07-14; nobody wrote. ", count: 20_000) + "the end 42"
            try collection.put(["id": "1", "text": .string(long)])
            for pattern in [
                "\\d{4}-\\d{2}-\\d{2}", "(?:end|finish) \\d+$", "fog.{0,40}wrote",
            ] {
                #expect(try collection.count(where: .hasMatch("text", Filter.TextPattern(pattern))) == 1, "\(pattern)")
            }
            #expect(try collection.count(where: .hasMatch("text", Filter.TextPattern("\\w+@\\w+\\.(com|org)"))) == 0)
        }
    }

    @Test func `Cancelling a task ends a match within a single string`() async throws {
        try await withTemporaryPath { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            let collection = try store.collection("c")
            try collection.put(["id": "1", "note": .string(String(repeating: "a", count: 4_000_000))])
            try await within {
                // Without a limit of its own, the match would take many minutes.
                let task = Task(executorPreference: OwnThreads.shared) {
                    try PatternProgram.$stepLimit.withValue(.max / 2) {
                        try collection.find("note MATCHES /(a?){90}(a|b)?{90}b/")
                    }
                }
                await pause(for: .milliseconds(100))
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
            }
            try store.close()
        }
    }
}
