import ArgumentParser
import DocIndex

/// The options that select the members of documents to show.
struct RowShape: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "Show only these fields: paths, separated by commas; with - before each, omit them.")
    var fields: String?

    @Flag(name: .long, help: "Show only document IDs, one per line.")
    var ids = false

    /// The selection that the options describe.
    func selection() throws -> RowSelection {
        if ids { return .ids }
        guard let fields = try fields.map({ try ArgumentOrigin.current.text(of: ProtectedArgument.plain($0)) }) else {
            return .all
        }
        let names = fields.split(separator: ",")
        let left = names.filter { $0.hasPrefix("-") }
        guard left.isEmpty || left.count == names.count else {
            throw CommandError(
                .usage, "--fields \(fields) both selects and omits fields", hint: "put - before all fields, or none")
        }
        let paths = try names.map { try FieldPath(parsing: String($0.hasPrefix("-") ? $0.dropFirst() : $0)) }
        return left.isEmpty ? .only(paths) : .allBut(paths)
    }
}

/// The members of documents to show.
enum RowSelection {
    case all
    case ids
    case only([FieldPath])
    case allBut([FieldPath])

    /// A writer with the columns of the rows, if they are known.
    ///
    /// - Parameters:
    ///   - leading: Columns before those of documents.
    ///   - trailing: Columns after them.
    ///   - learnt: The members of all documents to come, if known.
    func writer(
        _ options: GlobalOptions, leading: [String] = [], trailing: [String] = [], learnt: [String]? = nil
    ) throws -> ResultWriter {
        switch self {
        case .ids: try options.writer(columns: ["id"])
        case .only(let paths): try options.writer(columns: leading + paths.map(\.description) + trailing)
        case .all, .allBut: try options.writer(columns: learnt)
        }
    }

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
        var row = leading
        switch self {
        case .ids: return ["id": document.id.value]
        case .all: for member in document.content { row[member.name] = member.value }
        case .allBut(let paths):
            var content = document.content
            for path in paths { content.removeValue(at: path.steps[...]) }
            for member in content { row[member.name] = member.value }
        case .only(let paths):
            for path in paths {
                if path.hasArrayStep {
                    var elements: [DocumentValue] = []
                    path.forEachElement(in: document.content) { elements.append($0) }
                    row[path.description] = .array(elements)
                } else if let value = document[path] {
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
