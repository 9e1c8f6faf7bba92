import DocIndex
import TestSupport
import Testing

@testable import StorePackages

@Suite struct `The gallery` {
    private static func page(_ documents: [DocumentObject], title: String = "photos") -> String {
        let picture = GalleryPage.Picture(small: "renditions/a/b.jpg", size: (4, 3), large: "pictures/0001 ä'.jpg")
        let items = documents.map { (item: GalleryItem("x", $0), picture: $0["bare"] == nil ? picture : nil) }
        let page = GalleryPage(title: title, condition: "a < \"b\"", documentCount: documents.count + 2, items: items)
        return String(decoding: page.html, as: UTF8.self)
    }

    @Test func `Texts of documents cannot become markup, and invisible characters are left out`() {
        let text = "<script>alert('x')</script> & \"quoted\" \u{202e}\u{0}gnp"
        let page = Self.page([["title": .string(text), "caption": .string(text + "!")]], title: text)
        #expect(!page.contains("<script"))
        #expect(!page.contains("\u{202e}") && !page.contains("\0"))
        #expect(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;quoted&quot; gnp"))
        #expect(page.contains("a &lt; &quot;b&quot;"))
    }

    @Test func `Each picture is a link with an alternative text, and the policy allows no script`() {
        let page = Self.page([
            ["title": "Old bridge", "caption": "Fog", "taken": "2024-05-01T10:20:30", "rating": 4], ["bare": 1],
        ])
        #expect(page.contains(#"<a href="pictures/0001%20%C3%A4%27.jpg"><img src="renditions/a/b.jpg" alt="Fog""#))
        #expect(page.contains(#"width="4" height="3""#))
        #expect(page.contains("<small>2024-05-01 · ★★★★</small>"))
        #expect(page.contains("default-src 'none'"))
        #expect(!page.contains("unsafe-inline"))
        #expect(page.contains("<h2>Without a picture</h2>"))
        #expect(page.contains("2 more documents"))
    }

    @Test func `A document without texts is shown by the name of its file or its ID`() {
        #expect(GalleryItem("IMG_1", ["id": "IMG_1"]).title == "IMG_1")
        #expect(GalleryItem(7, ["id": 7, "title": " "]).title == "7")
        let item = GalleryItem("a", ["caption": "Only a caption"])
        #expect(item.title == "Only a caption" && item.caption == nil)
    }
}
