import DocIndex

/// The members of documents to show.
enum RowSelection {
    case all
    case ids
    case only([FieldPath])
    case allBut([FieldPath])

    /// The selected or omitted fields.
    var paths: [FieldPath] {
        switch self {
        case .all, .ids: []
        case .only(let paths), .allBut(let paths): paths
        }
    }

    /// Whether the columns are known only after reading all documents.
    var hasOpenColumns: Bool {
        switch self {
        case .all, .allBut: true
        case .ids, .only: false
        }
    }

    /// A document as a row.
    func row(_ document: Document, leading: DocumentObject = [:]) -> DocumentObject {
        if case .ids = self { return ["id": document.id.value] }
        return row(of: document.content, leading: leading)
    }

    /// The content of a document as a row.
    func row(of content: DocumentObject, leading: DocumentObject = [:]) -> DocumentObject {
        var row = leading
        switch self {
        case .ids, .all: for member in content { row[member.name] = member.value }
        case .allBut(let paths):
            var content = content
            for path in paths { content.removeValue(at: path.steps[...]) }
            for member in content { row[member.name] = member.value }
        case .only(let paths):
            for path in paths {
                if path.hasArrayStep {
                    var elements: [DocumentValue] = []
                    path.forEachElement(in: content) { elements.append($0) }
                    row[path.description] = .array(elements)
                } else if let value = path.value(in: content) {
                    row[path.description] = value
                }
            }
        }
        return row
    }
}

extension DocumentObject {
    /// Removes the value at a path; has no effect if the path does not exist. `[]` means each element; at the end
    /// of the path, all elements.
    mutating func removeValue(at steps: ArraySlice<FieldPath.Step>) {
        guard case .name(let name) = steps.first, let value = self[name] else { return }
        let rest = steps.dropFirst()
        if rest.isEmpty {
            removeValue(forName: name)
        } else {
            self[name] = value.removingValue(at: rest)
        }
    }
}

extension DocumentValue {
    fileprivate func removingValue(at steps: ArraySlice<FieldPath.Step>) -> DocumentValue {
        switch (self, steps.first) {
        case (.object(var object), .name):
            object.removeValue(at: steps)
            return .object(object)
        case (.array(let elements), .eachElement):
            let rest = steps.dropFirst()
            return .array(rest.isEmpty ? [] : elements.map { $0.removingValue(at: rest) })
        default: return self
        }
    }
}
