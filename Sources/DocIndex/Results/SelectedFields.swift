internal import Synchronization

/// The fields that results are reduced to.
final class SelectedFields {
    private struct Field {
        let name: String
        let path: ResolvedPath
    }

    private let names: FieldNames
    private let selection: Selection
    private let rows: RowReader

    init(_ paths: [FieldPath], _ rows: RowReader) {
        names = rows.collection.names.current
        selection = rows.collection.companion { Selections() }.selection(of: paths)
        self.rows = rows
    }

    /// The fields, resolved for documents that are not in memory with their selected fields.
    private lazy var fields: [Field] = {
        var fields: [Field] = []
        for path in selection.paths {
            let name = path.description
            if fields.contains(where: { $0.name.hasSameBytes(as: name) }) { continue }
            fields.append(Field(name: name, path: ResolvedPath(path, names: names)))
        }
        return fields
    }()

    /// Returns the fields of a document; `nil` if they are not in memory.
    func knownObject(_ row: UInt64) -> DocumentObject? {
        rows.documents?.object(row, of: rows.collection, selectedBy: selection)
    }

    /// Returns the fields of a document, and keeps them if the document is in memory.
    func object(_ record: borrowing RowRecord, row: UInt64) throws -> DocumentObject {
        guard let cached = record.cached else { return try newObject(record) }
        if let known = knownObject(row) { return known }
        let object = try newObject(record)
        rows.documents?.cache.keep(object, selectedBy: selection, of: cached)
        return object
    }

    private func newObject(_ record: borrowing RowRecord) throws -> DocumentObject {
        var members: [DocumentObject.Member] = []
        members.reserveCapacity(fields.count)
        if let content = record.cached?.document?.content {
            for field in fields {
                guard let value = value(at: field.path.path, in: content) else { continue }
                members.append(DocumentObject.Member(name: field.name, value: value))
            }
        } else {
            let reader = try BodyReader(record.body, names: names)
            for field in fields {
                guard let value = try value(at: field.path, in: reader) else { continue }
                members.append(DocumentObject.Member(name: field.name, value: value))
            }
        }
        return DocumentObject(distinctMembers: members)
    }

    private func value(at path: ResolvedPath, in reader: borrowing BodyReader) throws -> DocumentValue? {
        guard path.path.hasArrayStep else { return try reader.value(at: path) }
        var elements: [DocumentValue] = []
        try reader.forEachElement(at: path) { elements.append($0) }
        return .array(elements)
    }

    private func value(at path: FieldPath, in content: DocumentObject) -> DocumentValue? {
        guard path.hasArrayStep else { return path.value(in: content) }
        var elements: [DocumentValue] = []
        path.forEachElement(in: content) { elements.append($0) }
        return .array(elements)
    }
}

/// The last selections of a collection.
private final class Selections: Sendable {
    private let known = Mutex<[Selection]>([])

    /// Returns the selection of some paths, the same one each time if it is among the last eight.
    func selection(of paths: [FieldPath]) -> Selection {
        known.withLock { known in
            if let selection = known.first(where: { $0.paths == paths }) { return selection }
            let selection = Selection(paths)
            if known.count == 8 { known.removeFirst() }
            known.append(selection)
            return selection
        }
    }
}
