import DocIndex
import DocSync
import TestSupport
import Testing

@testable import Inspector

@Suite struct `Hostile content` {
    /// Texts that would do harm if they were taken for markup, or as they are.
    static let texts = [
        "<script>alert(1)</script>", "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)", "javascript:alert(1)", "&lt;b&gt;", "<!--", "]]>", "a\u{0}b", "\u{202e}gpj.exe",
        "\u{2066}x\u{2069}\u{200f}", "\u{feff}", "\r\nSet-Cookie: a=b", "{{7*7}}", "\u{1b}[31m",
        "a" + String(repeating: "\u{301}", count: 20_000), String(repeating: "<&\"'>", count: 200_000),
        String(repeating: "字", count: 300_000),
    ]

    private static func nested(_ depth: Int, _ text: String) -> DocumentValue {
        (0..<depth).reduce(DocumentValue.string(text)) { value, level in
            level % 2 == 0 ? .array([value]) : ["<b>": value]
        }
    }

    @Test func `No content of a document becomes markup or changes the order of text`() async throws {
        try await withInspectedStore(photoCount: 0) { inspected in
            let photos = try inspected.store.collection("photos")
            for (number, text) in Self.texts.enumerated() {
                let name = text.utf8.count > 200 ? "long\(number)" : text
                try photos.put([
                    "id": .string("\(number)" + name), "title": .string(text),
                    "rating": .string(String(text.prefix(40))),
                    "keywords": .array([.string(name), .string(name)]), name: .string(text),
                    "deep": Self.nested(400, name), "bytes": .bytes(Array(text.utf8.prefix(100))),
                ])
            }
            let list = try await inspected.get("/c/photos")
            #expect(list.status == 200 && list.bytes.count < 400_000)
            for document in try photos.find(Query()) {
                let link = DocumentAddress.link(document.id, in: "photos").text
                let page = try await inspected.get(link)
                #expect(page.status == 200, "\(link.prefix(100)): \(page)")
                for scalar in ["\u{202e}", "\u{2066}", "\u{0}", "\u{1b}", "\u{feff}"] {
                    #expect(!page.text.unicodeScalars.contains { "\($0)" == scalar }, "\(link.prefix(100))")
                }
            }
            for text in Self.texts {
                let target = "/c/photos?where=" + PercentCoding.encoded(String(text.prefix(500)))
                #expect([200, 400, 414].contains(try await inspected.get(target).status))
                let narrowed = Filter.compare("title", .equal, .string(String(text.prefix(300)))).description
                let found = try await inspected.get("/c/photos?where=" + PercentCoding.encoded(narrowed))
                #expect([200, 414].contains(found.status), "\(narrowed)")
            }
        }
    }

    @Test func `Names of the store and of collections are shown as text, never as markup`() async throws {
        try await withInspectedStore { inspected in
            var options = Inspector.Options()
            options.name = "</title><script>alert(1)</script>"
            options.note = "<b>process</b>"
            let inspector = Inspector(inspected.store, options: options)
            inspector.setPort(8101)
            for target in ["/", "/c/odd%2Fnames%20%26%20%3Cb%3E", "/nothing"] {
                var request = inspected.request(target)
                request.fields["Cookie"] = "lk-inspector-8101=\(inspector.token)"
                let response = await inspector.respond(to: request)
                let page = Answer(
                    status: response.status, fields: response.fields,
                    text: try await response.body.collected(limit: 1 << 20))
                page.check(request, sourceLocation: #_sourceLocation)
                #expect(!page.text.contains("<script>") && !page.text.contains("<b>"))
            }
        }
    }

    @Test func `Text in markup reads the same, and hidden characters become visible`() {
        func html(_ text: String) -> String {
            String(decoding: Markup { $0.element("p", .title(text), text: text) }.bytes, as: UTF8.self)
        }
        #expect(html("a<b>&\"'") == "<p title=\"a&lt;b&gt;&amp;&quot;&#39;\">a&lt;b&gt;&amp;&quot;&#39;</p>")
        #expect(html("\u{202e}x\u{0}") == "<p title=\"\\u{202e}x\\u{0}\">\\u{202e}x\\u{0}</p>")
        #expect(html("Zürich 字 👩‍👩‍👧\n\t") == "<p title=\"Zürich 字 👩‍👩‍👧\n\t\">Zürich 字 👩‍👩‍👧\n\t</p>")
        #expect(HTMLCheck.mistakes(in: "<!doctype html>\n<h1 onclick=\"x\">a</h1><p>").count == 2)
        #expect(HTMLCheck.mistakes(in: "<!doctype html>\n<h1>a</h1><a href=\"javascript:x\">b</a>").count == 1)
        #expect(HTMLCheck.mistakes(in: "<!doctype html>\n<h1>a</h1><h3>b</h3>").count == 1)
    }

    @Test func `A cell is cut without regard to how its characters are made`() {
        #expect(CellText.cut("abc", 3) == "abc" && CellText.cut("abcd", 3) == "abc…")
        #expect(CellText.cut("字字字字", 3) == "字字字…" && CellText.cut("字字字", 3) == "字字字")
        let marks = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(CellText.cut(marks, 200).utf8.count < 500)
        let wide = DocumentValue.array((0..<100_000).map { .int($0) })
        #expect(CellText(wide).text.unicodeScalars.count == 201)
    }
}
