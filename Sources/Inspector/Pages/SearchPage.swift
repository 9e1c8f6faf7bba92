internal import DocIndex
internal import DocSync

/// The results of a search box, best first, with the words marked.
struct SearchPage: Sendable {
    let reading: StoreReading
    let store: ReadableStore
    let frame: PageFrame
    let target: Target

    func response(of name: String) async throws -> SyncResponse {
        let collection = try store.collection(name)
        let parameters = try Parameters(target, known: SearchRequest.names)
        let profile = try await reading.run { try CollectionProfile(of: collection) }
        let head = CollectionHead(name: collection.name, view: .search, profile: profile, target: target)
        do {
            let request = try SearchRequest(parameters)
            let result = request.words.isEmpty ? nil : try await reading.run { try request.run(on: collection) }
            return frame.page("Search " + collection.name) { page in
                head.append(count: nil, to: &page)
                head.appendForm(parameters, to: &page)
                page.element("div", .id("results"), .fixed("aria-live", "polite")) { results in
                    if let result { append(result, request, &results) }
                }
            }
        } catch {
            let problem = Problem(error)
            guard [.invalidCondition, .queryTooLarge, .tooSlow, .badRequest].contains(problem.kind) else {
                throw problem
            }
            return frame.page("Search " + collection.name, status: problem.kind.status) { page in
                head.append(count: nil, to: &page)
                head.appendForm(parameters, to: &page)
                ProblemPage.append(problem, text: problem.parameter.flatMap { parameters[$0] }, to: &page)
            }
        }
    }

    private func append(_ result: SearchRequest.Result, _ request: SearchRequest, _ page: inout Markup) {
        page.element("p", .class("quiet"), text: Self.summary(of: result))
        for note in result.notes { page.element("p", .class("note"), text: note) }
        corrections(result.corrections, &page)
        page.element("ol", .class("hits")) { list in
            for hit in result.hits { append(hit, &list) }
        }
        if result.hits.count == request.limit, request.limit < 200 {
            page.element("p") {
                let more = CollectionHead.link(target).with("limit", "\(min(200, request.limit * 5))")
                $0.element("a", .href(more), text: "More")
            }
        }
    }

    private static func summary(of result: SearchRequest.Result) -> String {
        let time = "in \((result.milliseconds * 10).rounded() / 10) ms"
        guard let total = result.total else { return "\(result.hits.count) shown \(time)" }
        let count = HumanNumber.grouped(total.count)
        return "\(total.isExact ? count : "more than \(count)") found \(time)"
    }

    private func corrections(_ corrections: [DocumentCollection.Correction], _ page: inout Markup) {
        for correction in corrections where !correction.suggestions.isEmpty {
            page.element("p") { line in
                line.text("\(CellText.cut(correction.word, 60)): did you mean ")
                for (position, word) in correction.suggestions.enumerated() {
                    if position > 0 { line.text(position == correction.suggestions.count - 1 ? " or " : ", ") }
                    let words = (target["q"] ?? "").replacing(correction.word, with: word.written)
                    line.element("a", .href(CollectionHead.link(target).with("q", words)), text: word.written)
                }
                line.text("?")
            }
        }
    }

    private func append(_ hit: SearchRequest.Result.Hit, _ list: inout Markup) {
        list.element("li") { item in
            let id = CellText.cut(hit.id.description, 80)
            item.element("h2") { heading in
                heading.element(
                    "a", .href(DocumentAddress.link(hit.id, in: frame.collection ?? "")),
                    text: hit.title.isEmpty ? id : hit.title)
            }
            item.element("p", .class("quiet"), text: "\(id), score \(hit.score)")
            for snippet in hit.snippets {
                item.element("p") { line in
                    line.element("span", .class("quiet"), text: CellText.cut(snippet.field, 60) + " ")
                    line.append(snippet.text)
                }
            }
        }
    }
}

extension Markup {
    /// Adds text with marked words.
    mutating func append(_ marked: MarkedText) {
        for part in marked.parts {
            if part.isMatch { element("mark", text: part.text) } else { text(part.text) }
        }
    }
}
