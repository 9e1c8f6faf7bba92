import DocIndex
import DocSync
import TestSupport
import Testing

@testable import Inspector

@Suite struct `Random requests` {
    /// Makes requests from a grammar of the routes, with parts that are right, nearly right and wrong.
    private struct Grammar {
        var random: SplitMix64

        mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        mutating func one(of choices: [String]) -> String { choices[below(choices.count)] }

        mutating func path() -> String {
            let names = ["photos", "empty", "odd/names & <b>", "nowhere", "", ".."]
            let name = PercentCoding.encoded(one(of: names))
            let id = PercentCoding.encoded(one(of: ["p1", "p59", "5", "", ".", "\u{0}", "<b>", "p1/x"]))
            return one(of: [
                "/", "/c/\(name)", "/c/\(name)", "/c/\(name)/search", "/c/\(name)/doc/\(id)", "/c/\(name)/doc",
                "/console", "/help", "/problems/\(one(of: ["busy", "x"]))", "/assets/\(id)", "/attachments/\(id)",
                "/api/v1",
                "/api/v1/collections", "/api/v1/collections/\(name)", "/api/v1/collections/\(name)/documents",
                "/api/v1/collections/\(name)/documents/\(id)",
                "/api/v1/collections/\(name)/"
                    + one(of: ["facets", "distinct", "explain", "search", "near", "histogram", "completions", "x"]),
                "/api/v1/attachments/\(id)", "/\(id)/\(name)",
            ])
        }

        private static let values: [String: [String]] = [
            "where": [
                "rating = 3", "rating >", "keywords has sea", "(((", "taken = date 2012", "gps near 48,11,5", "\u{0}",
                "title matches /(a*)*b/", "not (rating in (1,2) or id ^= p)", "search(\"fog\")", "gps within 1,2,3,4",
            ],
            "sort": ["rating", "-taken,rating", "natural(title)", ",", "-", "@score", "exif.iso", "a..b"],
            "fields": ["rating", "exif.model,keywords[]", "", "a..b", "\"", "title,title"],
            "limit": ["1", "10", "0", "-1", "1000", "99999999999999999999", "x"],
            "after": ["", "x", "AQ", "AAAAAAAAAAAAAAAAAAAAAAAAAAAA"], "view": ["table", "grid", "time", "map", "x"],
            "facets": ["rating", "year(taken)", "keywords[]", "x(", ","], "explain": ["1", "0"],
            "q": ["fog", "\"", "(a OR", "*"],
            "field": ["rating", "taken", "", "a..b"], "by": ["year", "month", "day", "x"],
            "kind": ["int", "string", "x"],
            "id": ["p1", ".", ""], "point": ["48,11", "x", "999,0", "48,11,1"], "within": ["5", "-1", "nan", "inf"],
            "command": ["find photos rating = 3", "\u{0}", "put a b", ""], "versions": ["1", "x"],
            "confirm": ["delete", "x"], "count": ["1", "x"], "missing": ["1"],
            "rendition": ["embedded", "thumbnail", "preview", "x"], "name": ["a\"\r\n"], "token": ["x"],
        ]

        mutating func target() -> String {
            var target = path()
            var separator = "?"
            for _ in 0..<below(5) {
                let names = Self.values.keys.sorted()
                let name = one(of: names)
                guard name != "token" || below(10) == 0 else { continue }
                target += separator + name + "=" + PercentCoding.encoded(one(of: Self.values[name] ?? [""]))
                separator = "&"
            }
            return target
        }

        /// The target with some bytes replaced.
        mutating func damaged(_ target: String) -> String {
            var bytes = Array(target.utf8)
            for _ in 0...below(4) where !bytes.isEmpty {
                bytes[below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test func `No request traps, is answered with 500, or has a page with mistakes`() async throws {
        try await withInspectedStore { inspected in
            var grammar = Grammar(random: TestRun.random(stream: 81))
            let statuses: Set<Int> = [200, 206, 303, 304, 400, 401, 404, 405, 410, 413, 414, 416, 421, 422, 503]
            var counts: [Int: Int] = [:]
            for number in 0..<10_000 {
                var target = grammar.target()
                if number % 4 == 0 { target = grammar.damaged(target) }
                let method = SyncRequest.Method(rawValue: number % 50 == 0 ? "POST" : number % 20 == 0 ? "HEAD" : "GET")
                let answer = try await inspected.send(inspected.request(target, method: method))
                #expect(statuses.contains(answer.status), "\(target): \(answer); \(TestRun.repetition)")
                counts[answer.status, default: 0] += 1
            }
            // The grammar is not only wrong.
            #expect(counts[200, default: 0] > 300 && counts[400, default: 0] > 1000, "\(counts)")
        }
    }
}
