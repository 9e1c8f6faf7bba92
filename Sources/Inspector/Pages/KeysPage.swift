internal import DocIndex
internal import DocSync

/// The keys of the store as a tree, one level a page, and what they mean.
struct KeysPage: Sendable {
    let level: KeyLevel

    func response(in frame: PageFrame) -> SyncResponse {
        frame.page("Keys") { page in
            page.element("h1", text: "Keys")
            trail(&page)
            page.element("form", .class("find"), .action(Link("keys"))) { form in
                form.field("Key or prefix in hexadecimal", "prefix", HexBytes.text(level.prefix), isWide: true)
                form.element("button", text: "Show")
            }
            if let meaning = level.meaning { page.element("p", text: meaning) }
            if let value = level.value { show(value, &page) }
            if level.nodes.isEmpty { return page.element("p", text: "No key begins with these bytes.") }
            table(&page)
            if let next = level.next {
                page.element("nav", .class("pages"), .label("Pages")) { nav in
                    nav.element(
                        "a", .href(Self.link(level.prefix).with("from", HexBytes.text(next))), .fixed("rel", "next"),
                        text: "Next page")
                }
            }
        }
    }

    private static func link(_ prefix: [UInt8]) -> Link {
        var link = Link("keys")
        if !prefix.isEmpty { link["prefix"] = HexBytes.text(prefix) }
        return link
    }

    /// The levels above.
    private func trail(_ page: inout Markup) {
        page.element("nav", .label("Levels")) { nav in
            nav.element("ul") { list in
                list.item(Self.link([]), "All keys", isCurrent: level.prefix.isEmpty)
                var depth = 0
                let parts = StoreKeyParts(level.prefix)
                while let end = parts?.levelEnd(behind: depth), end <= level.prefix.count, end > depth {
                    depth = end
                    let prefix = Array(level.prefix[..<end])
                    list.item(Self.link(prefix), HexBytes.text(prefix), isCurrent: end == level.prefix.count)
                }
            }
        }
    }

    private func show(_ value: [UInt8], _ page: inout Markup) {
        page.element("h2", text: "Value, \(HumanNumber.byteCount(value.count))")
        var lines = ""
        let shown = value.prefix(KeyLevel.valueLimit)
        for start in stride(from: 0, to: shown.count, by: 16) {
            let line = shown[start..<min(start + 16, shown.count)]
            let digits = line.map { HexBytes.text([$0]) }.joined(separator: " ")
            let padding = String(repeating: " ", count: 47 - digits.count)
            let text = String(decoding: line.map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
            let offset = String(start, radix: 16)
            lines +=
                String(repeating: "0", count: max(0, 4 - offset.count)) + offset + "  \(digits)\(padding)  \(text)\n"
        }
        page.element("pre", .fixed("tabindex", "0"), text: lines)
        if value.count > shown.count {
            page.element("p", .class("quiet"), text: "The first \(HumanNumber.grouped(shown.count)) bytes.")
        }
    }

    private func table(_ page: inout Markup) {
        page.scroll("Keys", isDocuments: true) { table in
            table.element("thead") {
                $0.element("tr") { row in
                    row.columnHead("Key")
                    row.columnHead("Meaning")
                    row.columnHead("Size in tables", isNumber: true)
                }
            }
            table.element("tbody") { body in
                for node in level.nodes {
                    body.element("tr") { row in
                        row.element("th", .fixed("scope", "row"), .class("code")) {
                            let text = CellText.cut(HexBytes.text(node.prefix), 60)
                            $0.element("a", .href(Self.link(node.prefix)), text: node.isBranch ? text + " …" : text)
                        }
                        row.cell(CellText.cut(node.meaning ?? "", CellText.limit))
                        row.cell(
                            node.byteCount == 0 ? "" : HumanNumber.byteCount(Int(clamping: node.byteCount)),
                            isNumber: true)
                    }
                }
            }
        }
    }
}
