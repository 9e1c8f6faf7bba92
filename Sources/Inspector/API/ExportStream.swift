internal import DocIndex
internal import DocSync

/// The whole result of a query as a stream: JSON Lines or CSV. A client that reads slowly slows down the query, and one
/// that leaves ends it.
struct ExportStream: Sendable {
    enum Format: String, CaseIterable, Sendable {
        case ndjson, csv

        var mediaType: String {
            switch self {
            case .ndjson: "application/x-ndjson"
            case .csv: "text/csv; charset=utf-8"
            }
        }
    }

    /// The number of documents that are read at once.
    private static let pageCount = 500

    let format: Format
    let collection: ReadableCollection
    let query: Query
    /// The wanted fields; `nil` for whole documents.
    let fields: [FieldPath]?
    let reading: StoreReading

    /// The response. It reads one state of the store, although others write.
    func response() async throws -> SyncResponse {
        // A condition that cannot be answered is a problem before anything is sent.
        let plan = try await reading.run { [collection, query] in try collection.plan(query) }
        let columns = format == .csv ? try await columns() : []
        // A plan that finds the documents in their order continues where a page ended. Otherwise they are sorted once.
        let rows: [UInt64]? =
            plan.ordering == .found
            ? nil : try await reading.run { [collection, query] in try collection.orderedRows(query) }
        let name = PercentCoding.encoded("\(CellText.cut(collection.name, 60)).\(format.rawValue)")
        return SyncResponse(
            status: 200,
            fields: [
                "Content-Type": format.mediaType, "Content-Disposition": "attachment; filename*=UTF-8''\(name)",
            ], body: .stream(ByteStream(Chunks(export: self, columns: columns, rows: rows))))
    }

    /// The names of the columns. Those of whole documents are known after all have been read.
    private func columns() async throws -> [String] {
        if let fields { return fields.map(\.description) }
        var names: [String] = []
        var known: Set<[UInt8]> = []
        var position: DocumentCollection.Page.Token?
        repeat {
            let page = try await self.page(after: position, sorts: false)
            for document in page.documents {
                for member in document.content where known.insert(Array(member.name.utf8)).inserted {
                    names.append(member.name)
                }
            }
            position = page.next
        } while position != nil
        return names
    }

    private func page(
        after position: DocumentCollection.Page.Token?, sorts: Bool = true
    ) async throws -> DocumentCollection.Page {
        var query = query
        query.limit = Self.pageCount
        if !sorts { query.sort = [] }
        return try await reading.run { [collection, query] in try collection.page(query, after: position) }
    }

    /// The records of some documents.
    private func append(_ documents: [Document], _ columns: [String], to text: inout [UInt8]) {
        for document in documents {
            let row = fields.map { ExportStream.row(document.content, $0) } ?? document.content
            switch format {
            case .ndjson:
                JSONResponse.writer.write(.object(row), to: &text)
                text.append(UInt8(ascii: "\n"))
            case .csv: CSVWriter().append(columns.map { row[$0].map(DelimitedField.init) ?? .null }, to: &text)
            }
        }
    }

    private static func row(_ content: DocumentObject, _ fields: [FieldPath]) -> DocumentObject {
        var row = DocumentObject()
        for path in fields {
            if path.hasArrayStep {
                var elements: [DocumentValue] = []
                path.forEachElement(in: content) { elements.append($0) }
                row[path.description] = .array(elements)
            } else if let value = path.value(in: content) {
                row[path.description] = value
            }
        }
        return row
    }

    private struct Chunks: AsyncSequence, Sendable {
        typealias Element = [UInt8]
        let export: ExportStream
        let columns: [String]
        /// The rows of the result in its order; `nil` if each page continues the query.
        let rows: [UInt64]?

        func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

        struct Iterator: AsyncIteratorProtocol {
            enum Step {
                case head, records(DocumentCollection.Page.Token?), rows(ArraySlice<UInt64>), failure(any Error), end
            }

            let chunks: Chunks
            var step = Step.head

            mutating func next() async throws -> [UInt8]? {
                let chunks = chunks
                switch step {
                case .head:
                    step = chunks.rows.map { .rows($0[...]) } ?? .records(nil)
                    return chunks.head.isEmpty ? try await next() : chunks.head
                case .records(let position):
                    return try await text {
                        let page = try await chunks.export.page(after: position)
                        return (page.documents, page.next.map { .records($0) } ?? .end)
                    }
                case .rows([]): return nil
                case .rows(let rows):
                    let (first, rest) = (rows.prefix(ExportStream.pageCount), rows.dropFirst(ExportStream.pageCount))
                    return try await text {
                        let collection = chunks.export.collection
                        return (
                            try await chunks.export.reading.run { try collection.documents(inRows: first) },
                            .rows(rest)
                        )
                    }
                // The body stays without its end, so that a cut is not taken for the end.
                case .failure(let error): throw error
                case .end: return nil
                }
            }

            /// Returns the next documents as text; for a failure, the last line.
            private mutating func text(
                _ read: () async throws -> (documents: [Document], next: Step)
            ) async throws -> [UInt8] {
                var text: [UInt8] = []
                do {
                    let (documents, next) = try await read()
                    chunks.export.append(documents, chunks.columns, to: &text)
                    step = next
                } catch let error as CancellationError {
                    throw error
                } catch {
                    step = .failure(error)
                    text = chunks.last(Problem(error))
                }
                return text
            }
        }

        private var head: [UInt8] {
            var text: [UInt8] = []
            if export.format == .csv { CSVWriter().append(columns.map { .text($0) }, to: &text) }
            return text
        }

        /// The last line of a stream that fails.
        private func last(_ problem: Problem) -> [UInt8] {
            Array(DocumentValue.object(["error": .object(problem.json)]).json.utf8) + [UInt8(ascii: "\n")]
        }
    }
}
