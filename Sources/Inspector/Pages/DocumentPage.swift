internal import DocIndex
internal import DocSync

/// One document: its members as a tree and as text, its attachments, its former versions, documents like it, and how it is
/// stored.
struct DocumentPage: Sendable {
    /// The largest number of characters of a value in the tree. The text below has all of it, up to ``textLimit``.
    private static let valueLimit = 2000
    private static let textLimit = 100_000
    private static let memberLimit = 500
    private static let openDepth = 2
    private static let depthLimit = 32

    static let parameters = ["kind", "versions", "confirm"]

    private let collection: String
    let document: Document
    /// The name of the version, for forms.
    let tag: String
    private let text: String
    private let isTextCut: Bool
    private let attachments: [Attachment]
    private let similar: [Document]
    private let versions: [DocumentCollection.Version]
    private let stored: StoredForm?

    /// Reads the document; `nil` if there is none with one of the IDs.
    ///
    /// - Parameter files: returns the versions of a key in the files; `nil` to show none.
    init?(
        _ ids: [DocumentID], in collection: ReadableCollection, of store: ReadableStore,
        files: (@Sendable ([UInt8]) throws -> [StoredVersion])? = nil
    ) throws {
        var stored: Document?
        for id in ids where stored == nil { stored = try collection.document(id) }
        guard let found = stored else { return nil }
        self.collection = collection.name
        document = found
        tag = WritePrecondition.tag(store.epoch, found.sequence)
        let json = DocumentValue.object(found.content).json(JSONWriter(layout: .pretty, notation: .dump))
        text = CellText.cut(json, Self.textLimit)
        isTextCut = text.utf8.count < json.utf8.count
        attachments = Self.attachments(of: found.content)
        let hasText = collection.definition.indexes.contains { $0.kind == .text }
        similar = hasText ? try collection.similar(to: found.id, limit: 5).map(\.document) : []
        versions = collection.definition.history == nil ? [] : try collection.history(of: found.id, limit: 20)
        self.stored = try StoredForm(of: found.id, in: collection, of: store, files: files)
    }

    /// The attachments of a document, wherever they are.
    static func attachments(of content: DocumentObject) -> [Attachment] {
        var found: [Attachment] = []
        var rest: [DocumentValue] = [.object(content)]
        while let value = rest.popLast(), found.count < 100 {
            switch value {
            case .attachment(let attachment): found.append(attachment)
            case .array(let elements): rest += elements.reversed()
            case .object(let object): rest += object.reversed().map(\.value)
            default: break
            }
        }
        return found
    }

    /// The page.
    ///
    /// - Parameters:
    ///   - form: the forms that change the document; `nil` for none.
    ///   - link: the address of the page with the versions in the files; `nil` if they cannot be read here.
    func response(in frame: PageFrame, form: EditForm?, versions link: Link?) -> SyncResponse {
        let title = CellText.cut(document.id.description, CellText.limit)
        return frame.page(title) { page in
            page.element("h1", text: title.isEmpty ? "(empty ID)" : title)
            page.element("p", .class("quiet")) { line in
                line.text("In ")
                line.element("a", .href(Link("c", collection)), text: CellText.cut(collection, CellText.limit))
                line.text(", last written by commit \(HumanNumber.grouped(Int(clamping: document.sequence))).")
            }
            page.element("div", .class("tree"), .id("live")) { tree in
                members(document.content, depth: 0, &tree)
            }
            if let form { form.append(document, tag: tag, to: &page) }
            if !attachments.isEmpty { list(attachments, &page) }
            if !similar.isEmpty { list(similar, &page) }
            if !versions.isEmpty { list(versions, &page) }
            page.element("h2", text: "Text")
            page.element("pre", .fixed("tabindex", "0"), text: text)
            if isTextCut {
                page.element("p") {
                    $0.text("The text is truncated. ")
                    $0.element(
                        "a",
                        .href(
                            DocumentAddress.link(
                                document.id, below: ["api", "v1", "collections", collection, "documents"])),
                        text: "Show all of it")
                }
            }
            stored?.append(to: &page, versions: link)
        }
    }

    /// The page that asks before the document is deleted.
    func question(in frame: PageFrame, form: EditForm) -> SyncResponse {
        frame.page("Delete") { page in
            page.element("h1", text: "Delete " + CellText.cut(document.id.description, CellText.limit))
            form.appendQuestion(document, tag: tag, to: &page)
        }
    }

    /// Returns the page that follows a refused change. It contains the text that the browser sent.
    func refusal(_ problem: Problem, text: String, in frame: PageFrame, form: EditForm) -> SyncResponse {
        frame.page(problem.kind.title, status: problem.kind.status) { page in
            page.element("h1", text: "Edit " + CellText.cut(document.id.description, CellText.limit))
            ProblemPage.append(problem, text: nil, to: &page)
            form.append(document, tag: tag, text: text.isEmpty ? nil : text, to: &page)
        }
    }

    // MARK: - Tree

    private func members(_ object: DocumentObject, depth: Int, _ tree: inout Markup) {
        tree.element("ul") { list in
            for member in object.prefix(Self.memberLimit) { item(member.name, member.value, depth: depth, &list) }
            rest(object.count, &list)
        }
    }

    private func rest(_ count: Int, _ list: inout Markup) {
        guard count > Self.memberLimit else { return }
        list.element(
            "li", .class("quiet"), text: "and \(HumanNumber.grouped(count - Self.memberLimit)) more; see the text")
    }

    private func item(_ name: String, _ value: DocumentValue, depth: Int, _ list: inout Markup) {
        let name = CellText.cut(name, CellText.limit)
        list.element("li") { item in
            switch value {
            case .object(let object) where !object.isEmpty && depth < Self.depthLimit:
                item.fold(name, HumanNumber.counted(object.count, "member"), depth < Self.openDepth) {
                    members(object, depth: depth + 1, &$0)
                }
            case .array(let elements) where isNested(elements) && depth < Self.depthLimit:
                item.fold(
                    name, HumanNumber.counted(elements.count, "element"), depth < Self.openDepth
                ) {
                    $0.element("ul") { list in
                        for (position, element) in elements.prefix(Self.memberLimit).enumerated() {
                            self.item("\(position)", element, depth: depth + 1, &list)
                        }
                        rest(elements.count, &list)
                    }
                }
            default:
                item.element("span", .class("name"), text: name)
                item.text(": " + Self.text(of: value))
            }
        }
    }

    /// Whether the elements need lines of their own.
    private func isNested(_ elements: [DocumentValue]) -> Bool {
        elements.count > 20
            || elements.contains {
                switch $0 {
                case .object, .array, .attachment: true
                case .string(let text): text.utf8.count > 80
                default: false
                }
            }
    }

    private static func text(of value: DocumentValue) -> String {
        switch value {
        case .null: "null"
        case .object(let object) where object.isEmpty: "{}"
        case .array(let elements) where elements.isEmpty: "[]"
        default: CellText(value, limit: valueLimit).text
        }
    }

    // MARK: - Lists

    private func list(_ attachments: [Attachment], _ page: inout Markup) {
        page.element("h2", text: "Attachments")
        page.element("ul", .class("pictures")) { list in
            for attachment in attachments {
                var link = Link("attachments", attachment.digest.description)
                link["name"] = attachment.name.map { CellText.cut($0, 100) }
                let text = CellText(.attachment(attachment)).text
                list.element("li") { item in
                    item.element("a", .href(link), text: text)
                    // Large pictures are shown on request.
                    guard PictureKind.isRaster(attachment.type), attachment.byteCount < 20_000_000 else { return }
                    item.element("p") {
                        $0.void(
                            "img", .source(Link(attachment, as: .preview)), .alt(text), .fixed("loading", "lazy"))
                    }
                }
            }
        }
    }

    private func list(_ documents: [Document], _ page: inout Markup) {
        page.element("h2", text: "Similar documents")
        page.element("ul") { list in
            for document in documents {
                let id = CellText.cut(document.id.description, CellText.limit)
                list.item(DocumentAddress.link(document.id, in: collection), id.isEmpty ? "(empty)" : id)
            }
        }
    }

    private func list(_ versions: [DocumentCollection.Version], _ page: inout Markup) {
        page.element("h2", text: "Versions")
        page.element("ul") { list in
            for version in versions {
                let state = version.document == nil ? "deleted" : "stored"
                list.element(
                    "li", text: "commit \(HumanNumber.grouped(Int(clamping: version.sequence))): \(state)")
            }
        }
    }
}

extension Markup {
    /// Adds a part that folds.
    fileprivate mutating func fold(
        _ name: String, _ size: String, _ isOpen: Bool, content: (inout Markup) -> Void
    ) {
        element("details", isOpen ? .flag("open") : nil) { details in
            details.element("summary") { summary in
                summary.element("span", .class("name"), text: name)
                summary.text(" " + size)
            }
            content(&details)
        }
    }
}
