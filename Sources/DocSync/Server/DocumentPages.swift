internal import DocIndex

/// Produces the answer of `_bulk_get` a few documents at a time.
struct DocumentPages: Sendable {
    let database: ServedDatabase
    let wanted: [(id: String, revision: Revision?)]
    /// Whether to send later versions instead of the requested ones.
    let isLatest: Bool

    private static let pageCount = 50

    var stream: ByteStream { ByteStream(Pages(source: self)) }

    private struct Pages: AsyncSequence, Sendable {
        typealias Element = [UInt8]
        let source: DocumentPages

        func makeAsyncIterator() -> Iterator { Iterator(source: source) }

        struct Iterator: AsyncIteratorProtocol {
            let source: DocumentPages
            var position: Int? = 0

            mutating func next() async throws -> [UInt8]? {
                guard let start = position else { return nil }
                let end = Swift.min(start + DocumentPages.pageCount, source.wanted.count)
                var text = start == 0 ? Array(#"{"results":["#.utf8) : []
                let source = source
                let part = Array(source.wanted[start..<end])
                text += try await source.database.server.store.run { _ in
                    try source.text(of: part, isFirst: start == 0)
                }
                position = end < source.wanted.count ? end : nil
                if position == nil { text += Array("]}\n".utf8) }
                return text
            }
        }
    }

    private func text(of part: [(id: String, revision: Revision?)], isFirst: Bool) throws -> [UInt8] {
        let reader = try database.collection.revisionReader(isShown: true)
        let idField = database.idField
        var text: [UInt8] = []
        for (index, request) in part.enumerated() {
            if !isFirst || index > 0 { text.append(UInt8(ascii: ",")) }
            text += Array(#"{"id":"#.utf8)
            JSONWriter().write(.string(request.id), to: &text)
            text += Array(#","docs":["#.utf8)
            let versions = try database.versions(
                request.revision.map { [$0] }, of: .string(request.id), isLatest: isLatest, reader)
            for (index, version) in versions.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                text += Array(#"{"ok":"#.utf8)
                try database.listed(.string(request.id), version).write(to: &text, idField: idField)
                text.append(UInt8(ascii: "}"))
            }
            if versions.isEmpty {
                let error: DocumentValue = [
                    "error": [
                        "id": .string(request.id), "rev": .string(request.revision?.description ?? "undefined"),
                        "error": "not_found", "reason": "missing",
                    ]
                ]
                JSONWriter().write(error, to: &text)
            }
            text += Array("]}".utf8)
        }
        return text
    }
}
