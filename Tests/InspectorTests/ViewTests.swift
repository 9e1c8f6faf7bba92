import DocIndex
import DocSync
import TestSupport
import Testing

@testable import Inspector

@Suite struct `Views of a collection` {
    private static let base = "/api/v1/collections/photos"

    /// The links of a page that a pattern matches, as targets.
    private static func links(_ pattern: Regex<(Substring, Substring)>, _ page: Answer) -> [String] {
        page.text.matches(of: pattern).map { String($0.output.1).replacing("&amp;", with: "&") }
    }

    private static func ids(_ page: Answer) -> [String] {
        page.text.matches(of: /<th scope="row"><a href="[^"]*">([^<]*)</).map { String($0.output.1) }
    }

    @Test func `A search shows the hits of the search box, with the words marked`() async throws {
        try await withInspectedStore { inspected in
            let photos = try inspected.store.collection("photos")
            let expected = try photos.search(photos.searchBox("fog harbour"), limit: 20)
            let answer = try await inspected.get(Self.base + "/search?q=fog%20harbour").json()
            guard case .array(let hits)? = answer["hits"] else { throw TestFailure(message: "no hits") }
            let ids = hits.compactMap { hit -> DocumentValue? in
                if case .object(let hit) = hit { hit["id"] } else { nil }
            }
            #expect(ids == expected.map(\.document.id.value) && answer["total"] == .int(20))
            let page = try await inspected.get("/c/photos/search?q=fog%20harbour&where=rating%20%3D%203")
            #expect(page.text.contains("<mark>Fog</mark> over the <mark>harbour</mark>"), "\(page)")
            let narrowed = try photos.search(
                photos.searchBox("fog harbour"), where: try Filter(parsing: "rating = 3"), limit: 20)
            #expect(page.text.matches(of: /<li><h2>/).count == narrowed.count)
        }
    }

    @Test func `A search names operators that it does not apply, and escapes them`() async throws {
        try await withInspectedStore { inspected in
            let answer = try await inspected.get(Self.base + "/search?q=har%3Fo%3Cb%3Er%20fog").json()
            guard case .array(let notes)? = answer["notes"] else { throw TestFailure(message: "no notes") }
            #expect(notes.contains { $0.stringValue?.contains("har?o<b>r") == true }, "\(answer)")
            let page = try await inspected.get("/c/photos/search?q=har%3Fo%3Cb%3Er%20fog")
            #expect(page.text.contains(#"<p class="note">har?o&lt;b&gt;r"#) && !page.text.contains("<b>"), "\(page)")
            let plain = try await inspected.get(Self.base + "/search?q=fog").json()
            #expect(plain["notes"] == .array([]))
            #expect(try await !inspected.get("/c/photos/search?q=fog").text.contains("class=\"note\""))
        }
    }

    @Test func `A search for a misspelled word offers the right one`() async throws {
        try await withInspectedStore { inspected in
            let page = try await inspected.get("/c/photos/search?q=markt")
            let link = try #require(Self.links(/<a href="([^"]*)">[Mm]arket</, page).first, "\(page)")
            #expect(try await inspected.get(link).text.contains("<mark>Market</mark>"))
            let answer = try await inspected.get(Self.base + "/suggestions?q=markt").json()
            #expect(answer.description.lowercased().contains("market"))
            let words = try await inspected.get(Self.base + "/completions?q=har").json()
            #expect(words.description.contains("harbour"))
        }
    }

    @Test func `Without words, the search page shows a form`() async throws {
        try await withInspectedStore { inspected in
            for target in ["/c/photos/search", "/c/photos/search?q=", "/c/photos/search?q=&where=rating%20%3D%201"] {
                let page = try await inspected.get(target)
                #expect(page.status == 200)
            }
            #expect(try await inspected.get("/c/photos/search?q=fog&where=%3D").status == 400)
            #expect(try await inspected.get("/c/empty/search?q=fog").status == 404)
            #expect(try await inspected.get(Self.base + "/search").status == 400)
            #expect(try await inspected.get("/api/v1/collections/empty/search?q=fog").status == 404)
        }
    }

    @Test(arguments: ["year", "month", "day"])
    func `The bars of a histogram lead to as many documents as they show`(unit: String) async throws {
        try await withInspectedStore { inspected in
            let page = try await inspected.get("/c/photos?view=time&by=\(unit)")
            #expect(page.status == 200)
            var sum = 0
            for match in page.text.matches(of: /<a href="([^"]*)" aria-label="[^:]*: ([0-9]+)">/) {
                let count = try #require(Int(match.output.2))
                sum += count
                let link = String(match.output.1).replacing("&amp;", with: "&")
                let condition = try #require(Target(link)?["where"])
                let found = try inspected.store.collection("photos").count(where: try Filter(parsing: condition))
                #expect(found == count, "\(link)")
                #expect(try await inspected.get(link).status == 200)
            }
            #expect(sum == 60)
            let answer = try await inspected.get(Self.base + "/histogram?by=\(unit)").json()
            guard case .array(let periods)? = answer["periods"] else { throw TestFailure(message: "no periods") }
            let counts = periods.map { period -> Int64 in
                if case .object(let period) = period { period["count"]?.intValue ?? 0 } else { 0 }
            }
            #expect(counts.reduce(0, +) == 60 && answer["by"] == .string(unit) && answer["field"] == "taken")
        }
    }

    @Test func `The time axis includes periods without documents`() async throws {
        try await withInspectedStore(photoCount: 0) { inspected in
            let photos = try inspected.store.collection("photos")
            for year in [2001, 2004, 2019] {
                try photos.put(["taken": .string("\(year)-05-01T10:00:00"), "id": .int(Int64(year))])
            }
            let answer = try await inspected.get(Self.base + "/histogram").json()
            guard case .array(let periods)? = answer["periods"] else { throw TestFailure(message: "no periods") }
            #expect(periods.count == 19 && answer["by"] == "year")
            let single = try await inspected.get("/c/photos?view=time&where=taken%20%3D%20date%202004")
            #expect(single.text.contains("by day of taken"))
        }
    }

    @Test func `The circles of a map lead to their documents, and no document is lost`() async throws {
        try await withInspectedStore { inspected in
            let photos = try inspected.store.collection("photos")
            try photos.put(["id": "null island", "gps": ["lat": 0, "lon": 0]])
            let page = try await inspected.get("/c/photos?view=map")
            #expect(page.status == 200 && page.text.contains(">1 outside</a>"), "\(page)")
            var sum = 0
            for match in page.text.matches(of: /<a href="([^"]*)" aria-label="Here: ([0-9]+)"><circle/) {
                let count = try #require(Int(match.output.2))
                sum += count
                let condition = try #require(Target(String(match.output.1).replacing("&amp;", with: "&"))?["where"])
                let found = try photos.count(where: try Filter(parsing: condition))
                #expect(found == count, "\(condition)")
            }
            #expect(sum == 60)
            let outside = try #require(Self.links(/<a href="([^"]*)">1 outside/, page).first)
            #expect(Self.ids(try await inspected.get(outside)) == ["null island"])
            #expect(try await inspected.get("/c/photos?view=map&where=rating%20%3D%2099").text.contains("No document"))
            #expect(try await inspected.get("/c/empty?view=map").status == 400)
        }
    }

    @Test func `Points of a map keep their order, and lines are at round degrees`() throws {
        func point(_ latitude: Double, _ longitude: Double) -> GeoPoint? {
            GeoPoint(latitude: latitude, longitude: longitude)
        }
        let points = [point(48, 11), point(49, 12), point(48.5, 11.2)].compactMap { $0 }
        let frame = try #require(MapFrame(of: points))
        let places = points.compactMap { frame.place(of: $0) }
        #expect(places.count == 3)
        #expect(places[0].x < places[2].x && places[2].x < places[1].x)
        #expect(places[0].y > places[2].y && places[2].y > places[1].y)
        #expect((300...900).contains(frame.height))
        #expect(MapFrame.lines(from: -1.2, to: 3.4).degrees == [-1, 0, 1, 2, 3])
        #expect(MapFrame(of: []) == nil)
        for poles in [[point(90, 180), point(-90, -180)], [point(0, 0)], [point(90, 0), point(90, 0)]] {
            let frame = try #require(MapFrame(of: poles.compactMap { $0 }))
            #expect(frame.height.isFinite && frame.height >= 100 && frame.box != nil)
            _ = MapCells(poles.compactMap { $0.map { ($0, nil) } }, in: frame)
        }
    }

    @Test func `A near query is that of the collection`() async throws {
        try await withInspectedStore { inspected in
            let answer = try await inspected.get(Self.base + "/near?point=48.2,11.3&limit=3&within=50").json()
            let point = try #require(GeoPoint(latitude: 48.2, longitude: 11.3))
            let expected = try inspected.store.collection("photos").nearest(
                .location("gps"), to: point, within: 50_000, limit: 3)
            #expect(
                answer["documents"]
                    == .array(
                        expected.map {
                            ["km": .double($0.meters.rounded() / 1000), "document": .object($0.document.content)]
                        }))
            for bad in ["?point=1", "?point=100,0", "?point=x,y", "", "?point=1,1&within=-1", "?point=1,1&within=nan"] {
                #expect(try await inspected.get(Self.base + "/near" + bad).status == 400, "\(bad)")
            }
        }
    }

    @Test(arguments: [
        ("/c/photos?view=none", 400), ("/c/photos?view=time&by=hour", 400), ("/c/photos?view=time&field=a..b", 400),
        ("/c/photos?view=map&where=%3D", 400), ("/c/photos?view=grid&limit=0", 400), ("/c/empty?view=time", 400),
        ("/api/v1/collections/photos/histogram?by=hour", 400), ("/api/v1/collections/empty/histogram", 400),
        ("/api/v1/collections/photos/completions", 400), ("/api/v1/collections/photos/search?q=a&limit=500", 400),
    ])
    func `A bad parameter of a view is refused`(target: String, status: Int) async throws {
        try await withInspectedStore { inspected in
            let answer = try await inspected.get(target)
            #expect(answer.status == status, "\(answer)")
        }
    }
}
