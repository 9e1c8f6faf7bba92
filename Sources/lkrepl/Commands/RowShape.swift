import ArgumentParser
import DocIndex

/// The options that select the members of documents to show.
struct RowShape: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "Show only these fields: paths, separated by commas; with - before each, omit them.")
    var fields: String?

    @Flag(
        name: .long,
        help: "Print only document IDs as they are, one per line; with --mode, as rows with the column id.")
    var ids = false

    @Flag(
        name: [.customShort("0"), .customLong("null")],
        help: "With --ids: Put a zero byte after each ID, as xargs -0 reads, instead of a line end.")
    var endsWithZero = false

    @Flag(name: .long, help: "Show all fields in a table, even if it is wider than the terminal.")
    var wide = false

    func validate() throws {
        guard !endsWithZero || ids else { throw ValidationError("-0 needs --ids") }
        guard !ids || fields == nil else { throw ValidationError("--ids and --fields cannot be combined") }
    }

    /// Whether IDs are printed as they are.
    ///
    /// - Throws: ``CommandError`` if `-0` is combined with another output mode.
    func printsRawIDs(_ options: GlobalOptions) throws -> Bool {
        guard ids else { return false }
        let isRaw = options.mode == nil && !options.json
        guard isRaw || !endsWithZero else {
            throw CommandError(.usage, "-0 and --mode cannot be combined", hint: "omit --mode; --ids -0 prints raw IDs")
        }
        return isRaw
    }

    /// The selection that the options describe.
    func selection() throws -> RowSelection {
        if ids { return .ids }
        guard let fields = try fields.map({ try ArgumentOrigin.current.text(of: ProtectedArgument.plain($0)) }) else {
            return .all
        }
        let names = fields.split(separator: ",")
        guard !names.isEmpty else {
            throw CommandError(.usage, "--fields names no field", hint: "omit it to show all fields")
        }
        let left = names.filter { $0.hasPrefix("-") }
        guard left.isEmpty || left.count == names.count else {
            throw CommandError(
                .usage, "--fields \(fields) both selects and omits fields", hint: "put - before all fields, or none")
        }
        let paths = try names.map { try FieldPath.argument(String($0.hasPrefix("-") ? $0.dropFirst() : $0)) }
        return left.isEmpty ? .only(paths) : .allBut(paths)
    }
}

extension RowSelection {
    /// A writer with the columns of the rows, if they are known.
    ///
    /// - Parameters:
    ///   - collection: The collection of the documents.
    ///   - isWide: Whether a table shows all fields.
    ///   - leading: Columns before the document's columns.
    ///   - trailing: Columns after them.
    ///   - learnt: The members of all documents to come, if known.
    func writer(
        _ options: GlobalOptions, of collection: DocumentCollection, isWide: Bool = false, leading: [String] = [],
        trailing: [String] = [], learnt: [String]? = nil
    ) throws -> ResultWriter {
        var style = TableStyle.documents(of: collection.definition, pinned: leading + trailing)
        style.isWide = isWide
        return switch self {
        case .ids: try options.writer(columns: ["id"])
        case .only(let paths): try options.writer(columns: leading + paths.map(\.description) + trailing, style: style)
        case .all, .allBut: try options.writer(columns: learnt, style: style)
        }
    }
}
