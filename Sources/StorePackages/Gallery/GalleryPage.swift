internal import DocIndex

/// The page `index.html` of a package: pictures with their texts, without script. It works from a file after unzipping.
struct GalleryPage {
    /// A picture with its place in the package.
    struct Picture {
        /// The path of the picture in the grid.
        let small: String
        /// The size of the small picture in pixels; `nil` if it is unknown.
        let size: (width: Int, height: Int)?
        /// The path of the picture that a click shows.
        let large: String
    }

    /// The maximum number of documents on the page.
    static let maximumItemCount = 10_000

    let title: String
    /// The condition of the documents; `nil` for none.
    let condition: String?
    let documentCount: Int
    let items: [(item: GalleryItem, picture: Picture?)]

    /// The page in HTML.
    var html: [UInt8] {
        var page = head
        let shown = items.filter { $0.picture != nil }
        if !shown.isEmpty {
            page += "<ul class=\"grid\">\n"
            for (item, picture) in shown { if let picture { append(item, picture, to: &page) } }
            page += "</ul>\n"
        }
        let others = items.filter { $0.picture == nil }
        if !others.isEmpty {
            page += "<h2>\(shown.isEmpty ? "Documents" : "Without a picture")</h2>\n<ul>\n"
            for (item, _) in others { page += "<li>\(texts(of: item, isHeading: false))</li>\n" }
            page += "</ul>\n"
        }
        if documentCount > items.count {
            page += "<p>\(documentCount - items.count) more documents are in documents.lkd.jsonl.</p>\n"
        }
        page += "</main>\n</body>\n</html>\n"
        return Array(page.utf8)
    }

    private var head: String {
        let style = SHA256Hash.base64(of: Self.style)
        let count = documentCount == 1 ? "1 document" : "\(documentCount) documents"
        let condition = condition.map { " · \(GalleryText.escaped($0))" } ?? ""
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' file:; style-src \
            'sha256-\(style)'; base-uri 'none'; form-action 'none'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <title>\(GalleryText.escaped(title))</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <main>
            <h1 dir="auto">\(GalleryText.escaped(title))</h1>
            <p class="about">\(count)\(condition)</p>

            """
    }

    private func append(_ item: GalleryItem, _ picture: Picture, to page: inout String) {
        let alternative = GalleryText.escaped(item.caption ?? item.title)
        let size = picture.size.map { " width=\"\($0.width)\" height=\"\($0.height)\"" } ?? ""
        page += "<li><figure><a href=\"\(GalleryText.address(picture.large))\">"
        page += "<img src=\"\(GalleryText.address(picture.small))\" alt=\"\(alternative)\"\(size) loading=\"lazy\"></a>"
        page += "<figcaption>\(texts(of: item, isHeading: true))</figcaption></figure></li>\n"
    }

    private func texts(of item: GalleryItem, isHeading: Bool) -> String {
        var text = "<strong dir=\"auto\">\(GalleryText.escaped(item.title))</strong>"
        if let caption = item.caption { text += " <span dir=\"auto\">\(GalleryText.escaped(caption))</span>" }
        if !item.details.isEmpty { text += " <small>\(GalleryText.escaped(item.details))</small>" }
        return text
    }

    private static let style = """
        :root{color-scheme:light dark}
        *{box-sizing:border-box}
        body{margin:0;font:1rem/1.45 system-ui,sans-serif;background:Canvas;color:CanvasText}
        main{max-width:90rem;margin:0 auto;padding:1rem}
        h1{margin:0;font-size:1.5rem;overflow-wrap:anywhere}
        h2{font-size:1.15rem}
        .about{margin:.25rem 0 1rem;overflow-wrap:anywhere}
        .grid{list-style:none;margin:0;padding:0;display:grid;gap:1rem;\
        grid-template-columns:repeat(auto-fill,minmax(min(100%,9.5rem),1fr))}
        figure{margin:0}
        figure a{display:block;border-radius:.25rem}
        a:focus-visible{outline:.2rem solid Highlight;outline-offset:.2rem}
        img{display:block;width:100%;height:auto;aspect-ratio:1;object-fit:contain;border-radius:.25rem;\
        background:color-mix(in srgb,CanvasText 8%,Canvas)}
        figcaption{margin-top:.35rem;overflow-wrap:anywhere}
        figcaption strong,figcaption span,figcaption small{display:block}
        figcaption strong{font-weight:600}
        """
}

extension SHA256Hash {
    /// Returns the SHA-256 of a string in base64, for a content security policy.
    fileprivate static func base64(of text: String) -> String {
        var hash = SHA256Hash()
        let bytes = Array(text.utf8)
        unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        return Base64.text(of: hash.digest)
    }
}
