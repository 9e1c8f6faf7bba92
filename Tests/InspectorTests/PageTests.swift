import DocIndex
import DocSync
import TestSupport
import Testing

@testable import Inspector

@Suite struct `Pages of the inspector` {
    @Test func `The overview names every collection and index`() async throws {
        try await withInspectedStore { inspected in
            let page = try await inspected.get("/")
            #expect(page.status == 200)
            for text in ["photos.store", "60", "keywords[]", "geo", "odd/names &amp; &lt;b&gt;", "/c/odd%2Fnames"] {
                #expect(page.text.contains(text), "\(text)")
            }
            #expect(page.bytes.count < 20_000)
        }
    }

    @Test func `Pages of a table show every document once, in the order`() async throws {
        try await withInspectedStore { inspected in
            for sort in ["", "rating", "-taken", "exif.model"] {
                var link = "/c/photos?limit=7&sort=\(sort)"
                var found: [String] = []
                while true {
                    let page = try await inspected.get(link)
                    #expect(page.status == 200, "\(link)")
                    found += Self.rows(page.text)
                    guard let next = page.text.firstMatch(of: /href="([^"]*)" rel="next"/) else { break }
                    link = String(next.output.1).replacing("&amp;", with: "&")
                }
                let query = Query(sort: try sort.isEmpty ? [] : Query.SortKey.parse(sort))
                let expected = try inspected.store.collection("photos").find(query).map(\.id.description)
                #expect(found == expected, "\(sort)")
            }
        }
    }

    /// The IDs of the rows of a table.
    private static func rows(_ page: String) -> [String] {
        page.matches(of: /<th scope="row"><a href="[^"]*">([^<]*)</).map { String($0.output.1) }
    }

    @Test func `A value beside the table leads to exactly the counted documents`() async throws {
        try await withInspectedStore { inspected in
            let page = try await inspected.get("/c/photos?facets=rating,keywords%5B%5D,exif.model,year(taken)")
            let pattern = /<li><a href="([^"]*)"><span>[^<]*<\/span><span class="count">([0-9,]+)</
            let links = page.text.matches(of: pattern)
            #expect(links.count == 22)
            for link in links {
                let target = String(link.output.1).replacing("&amp;", with: "&") + "&limit=100"
                let narrowed = try await inspected.get(target)
                #expect(Self.rows(narrowed.text).count == Int(link.output.2), "\(target)")
            }
        }
    }

    @Test func `A heading sorts ascending, then descending, then not`() async throws {
        try await withInspectedStore { inspected in
            func next(_ page: Answer) -> String {
                page.text.firstMatch(of: /<a href="([^"]*)">rating/).map {
                    String($0.output.1).replacing("&amp;", with: "&")
                } ?? ""
            }
            let plain = try await inspected.get("/c/photos?fields=rating,title")
            let ascending = try await inspected.get(next(plain))
            #expect(ascending.text.contains(#"aria-sort="ascending""#))
            let descending = try await inspected.get(next(ascending))
            #expect(descending.text.contains(#"aria-sort="descending""#))
            #expect(next(descending) == "/c/photos?fields=rating%2Ctitle")
        }
    }

    @Test func `A mistake in a condition is shown with a caret at its place`() async throws {
        try await withInspectedStore { inspected in
            let page = try await inspected.get("/c/photos?where=rating%20%3E%3E%204")
            #expect(page.status == 400)
            #expect(page.text.contains("rating &gt;&gt; 4\n        ^"), "\(page)")
            // What was typed is still there.
            #expect(page.text.contains(#"value="rating &gt;&gt; 4""#))
            let long = String(repeating: "rating = 1 or ", count: 30) + "rating = = 2"
            let far = try await inspected.get("/c/photos?where=" + PercentCoding.encoded(long))
            #expect(far.status == 400 && far.text.contains("^"))
        }
    }

    @Test func `Columns, plan and explanation match the query`() async throws {
        try await withInspectedStore { inspected in
            let page = try await inspected.get(
                "/c/photos?where=rating%20%3D%203&explain=1&fields=exif.iso,keywords%5B%5D")
            #expect(page.text.contains(">exif.iso</a>") && page.text.contains("keywords[]"))
            #expect(page.text.contains("10 of 60") && page.text.contains("index rating"), "\(page)")
            #expect(page.text.contains("expected: ") && page.text.contains("not used: "))
            let usual = try await inspected.get("/c/photos")
            for name in ["rating", "title", "keywords", "taken"] { #expect(usual.text.contains(">\(name)")) }
        }
    }

    @Test func `Nothing is found without a mistake, and probable mistakes are named`() async throws {
        try await withInspectedStore { inspected in
            let typo = try await inspected.get("/c/photos?where=ratng%20%3D%203")
            #expect(typo.status == 200 && typo.text.contains("did you mean rating?"), "\(typo)")
            let empty = try await inspected.get("/c/empty")
            #expect(empty.status == 200 && empty.text.contains("No document matches"))
        }
    }

    @Test(arguments: [
        ("/c/nowhere", 404), ("/c/photos/doc/p999", 404), ("/c/nowhere/doc/p1", 404), ("/nothing", 404), ("/c", 404),
        ("/c/photos/more", 404), ("/c/photos/doc/p1/more", 404), ("/problems/none", 404), ("/assets/none.css", 404),
        ("/?a=1", 400), ("/c/photos?limit=0", 400), ("/c/photos?limit=1001", 400), ("/c/photos?limit=x", 400),
        ("/c/photos?sort=%22", 400), ("/c/photos?fields=a..b", 400), ("/c/photos?nonsense=1", 400),
        ("/c/photos?where=rating=1&where=rating=2", 400), ("/c/photos?facets=a..b", 400), ("/c/photos?explain=2", 400),
        ("/c/photos/doc", 400), ("/c/photos/doc/p1?kind=int", 400), ("/c/photos/doc/p1?kind=x", 400),
    ])
    func `A bad address is answered with its status`(target: String, status: Int) async throws {
        try await withInspectedStore { inspected in
            let page = try await inspected.get(target)
            #expect(page.status == status && page.isPage, "\(page)")
        }
    }

    @Test func `A position of another query is refused with 410, a damaged one too`() async throws {
        try await withInspectedStore { inspected in
            let first = try await inspected.get("/api/v1/collections/photos/documents?limit=5&sort=rating").json()
            let token = try #require(first["next"]?.stringValue)
            for target in [
                "/c/photos?after=\(token)", "/c/photos?sort=rating&where=rating%20%3E%201&after=\(token)",
                "/c/photos?sort=rating&after=nonsense",
            ] {
                #expect(try await inspected.get(target).status == 410, "\(target)")
                let program = target.replacing("/c/photos", with: "/api/v1/collections/photos/documents")
                #expect(try await inspected.get(program).status == 410, "\(program)")
            }
            #expect(try await inspected.get("/c/photos?sort=rating&after=\(token)").status == 200)
        }
    }

    @Test func `Documents are found by strings, integers and awkward IDs`() async throws {
        try await withInspectedStore { inspected in
            let ids: [DocumentID] = [
                .int(5), .string("5"), .int(-3), .string("a/b"), .string("."), .string(".."), .string("ü ?&#%"),
                .string("e\u{301}"), .string("\u{e9}"), .string(String(repeating: "x", count: 900)),
            ]
            let names = try inspected.store.collection("odd/names & <b>")
            for (number, id) in ids.enumerated() {
                try names.put(["id": id.value, "mark": .string("mark \(number)!")])
            }
            for (number, id) in ids.enumerated() {
                let link = DocumentAddress.link(id, in: names.name).text
                #expect(!link.split(separator: "?")[0].split(separator: "/").contains { $0 == "." || $0 == ".." })
                let page = try await inspected.get(link)
                #expect(page.status == 200 && page.text.contains("mark \(number)!"), "\(link)")
                let table = try await inspected.get("/c/odd%2Fnames%20%26%20%3Cb%3E")
                #expect(table.text.contains("href=\"\(link.replacing("&", with: "&amp;"))\""), "\(link)")
            }
        }
    }

    @Test func `Every kind of problem has a page that explains it`() async throws {
        try await withInspectedStore { inspected in
            for kind in Problem.Kind.allCases {
                let page = try await inspected.get("/problems/\(kind.rawValue)")
                #expect(page.status == 200 && page.text.contains(">\(kind.title)</h1>"), "\(kind)")
            }
        }
    }

    @Test func `Styles and script are kept by browsers under their names`() async throws {
        try await withInspectedStore { inspected in
            let page = try await inspected.get("/")
            for asset in Asset.all {
                #expect(page.text.contains("/assets/\(asset.name)"))
                let answer = try await inspected.get("/assets/\(asset.name)")
                #expect(answer.status == 200 && answer.fields["Content-Type"] == asset.type)
                #expect(answer.fields["Cache-Control"]?.contains("immutable") == true)
            }
        }
    }
}
