import DocIndex
import LevelKit

/// Completes commands, options, collections, albums, fields, indexes, files, and keys of the database.
///
/// Reads from the database are limited in number and in time, so that Tab responds at once on any store. Errors yield
/// no completions.
struct Completer {
    /// The maximum number of keys, IDs or documents to read.
    static let readLimit = 50

    let session: Session
    let commandNames: Set<String>
    /// The time limit for reading.
    var timeLimit = Duration.milliseconds(15)

    /// The word to complete, and the words before it.
    struct Place {
        var words: [String]
        var word: String
        /// The offset of the word in the text, in characters.
        var start: Int
    }

    /// The completions at the end of a string.
    func completion(of text: String) -> Completion {
        guard let place = place(text) else { return Completion(start: text.count, candidates: []) }
        guard let first = place.words.first else { return commands(place) }
        let name = first.hasPrefix(".") ? String(first.dropFirst()) : first
        if let meta = MetaCommand(word: first, commands: commandNames) { return arguments(of: meta, place) }
        guard let (command, words) = command([name] + place.words.dropFirst()) else {
            return Completion(start: place.start, candidates: [])
        }
        if !command.subcommands.isEmpty {
            return Self.filtered(
                place, command.subcommands.map { .init(text: $0.words.last ?? "", note: $0.abstract) })
        }
        return arguments(of: command, words, place)
    }

    /// A short hint of the expected input after a string; empty if there is none.
    func hint(for text: String) -> String {
        guard !text.contains("\n"), let place = place(text) else { return "" }
        guard let first = place.words.first else {
            guard place.word.count > 1 else { return "" }
            let names = commandNames.filter { $0.hasPrefix(place.word) }
            guard names.count == 1, let name = names.first, let (command, _) = command([name]) else { return "" }
            return name.dropFirst(place.word.count) + " " + Self.synopsis(command, after: 0)
        }
        let name = first.hasPrefix(".") ? String(first.dropFirst()) : first
        if let meta = MetaCommand(word: first, commands: commandNames) {
            return place.words.count == 1 && place.word.isEmpty ? meta.arguments : ""
        }
        guard place.word.isEmpty, let (command, words) = command([name] + place.words.dropFirst()) else { return "" }
        if !command.subcommands.isEmpty {
            return command.subcommands.map { $0.words.last ?? "" }.joined(separator: "|")
        }
        return Self.synopsis(command, after: Self.positionalCount(words, of: command))
    }

    // MARK: - Position

    private func place(_ text: String) -> Place? {
        guard !text.contains("\n"), let point = ShellScanner.completionPoint(atEndOf: text) else { return nil }
        let word = point.word?.raw ?? ""
        return Place(words: point.tokens.map(\.raw), word: word, start: text.count - word.count)
    }

    /// The command that the words begin with, and the words after its name.
    private func command(_ words: [String]) -> (CommandCatalog.Command, [String])? {
        guard let first = words.first else { return nil }
        let name = Invocation.aliases[first] ?? first
        guard commandNames.contains(name), let command = CommandCatalog.command([name]) else { return nil }
        if let second = words.dropFirst().first, let below = CommandCatalog.command([name, second]) {
            return (below, Array(words.dropFirst(2)))
        }
        return (command, Array(words.dropFirst()))
    }

    private static func positionalCount(_ words: [String], of command: CommandCatalog.Command) -> Int {
        var count = 0
        var takesValue = false
        for word in words {
            if takesValue {
                takesValue = false
            } else if word.hasPrefix("-"), word.count > 1, word.dropFirst().first?.isNumber == false {
                takesValue = command.takesValue(word)
            } else {
                count += 1
            }
        }
        return count
    }

    private static func synopsis(_ command: CommandCatalog.Command, after count: Int) -> String {
        let positional = command.shellArguments.filter { $0.kind == .positional }
        var rest = positional.dropFirst(count).map(\.synopsis)
        if rest.isEmpty, count > positional.count || positional.last.map({ !$0.isRepeating }) ?? true {
            rest = command.shellArguments.filter {
                $0.kind != .positional && $0.isShown && !CommandCatalog.isShared($0)
            }.map { $0.names[0] }
        }
        return rest.joined(separator: " ")
    }

    // MARK: - Candidates

    static func filtered(
        _ place: Place, _ candidates: [Completion.Candidate], from start: Int? = nil
    ) -> Completion {
        let typed = start.map { String(place.word.dropFirst($0 - place.start)) } ?? place.word
        return Completion(start: start ?? place.start, candidates: candidates.filter { $0.text.hasPrefix(typed) })
    }

    private func commands(_ place: Place) -> Completion {
        if place.word.hasPrefix(".") {
            return Self.filtered(place, MetaCommand.allCases.map { .init(text: "." + $0.rawValue, note: $0.abstract) })
        }
        let commands = CommandCatalog.current.commands.filter { commandNames.contains($0.words[0]) }
        let metas = MetaCommand.allCases.filter { !commandNames.contains($0.rawValue) }
        return Self.filtered(
            place,
            (commands.map { .init(text: $0.words[0], note: $0.abstract) }
                + metas.map { .init(text: $0.rawValue, note: $0.abstract) }).sorted { $0.text < $1.text })
    }

    static func words(_ words: [String]) -> [Completion.Candidate] { words.map { .init(text: $0) } }

    private func arguments(of meta: MetaCommand, _ place: Place) -> Completion {
        switch meta {
        case .mode: Self.filtered(place, Self.words(OutputMode.allCases.map(\.rawValue)))
        case .pager: Self.filtered(place, Self.words(PagerGate.Paging.allCases.map(\.rawValue)))
        case .timer, .write: Self.filtered(place, Self.words(["on", "off"]))
        case .help:
            Self.filtered(place, Self.words((commandNames + MetaCommand.allCases.map { "." + $0.rawValue }).sorted()))
        case .once, .output, .read, .open: files(place)
        default: Completion(start: place.start, candidates: [])
        }
    }

    private func arguments(
        of command: CommandCatalog.Command, _ words: [String], _ place: Place
    ) -> Completion {
        if let option = words.last, let argument = command.arguments.first(where: { $0.names.contains(option) }),
            argument.kind == .option
        {
            return values(of: argument.names[0], command, words, place)
        }
        if place.word.hasPrefix("-") {
            let options = command.arguments.filter {
                $0.kind != .positional && $0.isShown && !words.contains($0.names[0])
            }
            return Self.filtered(place, options.map { .init(text: $0.names[0], note: $0.abstract) })
        }
        let positional = command.shellArguments.filter { $0.kind == .positional }
        let count = Self.positionalCount(words, of: command)
        guard let argument = count < positional.count ? positional[count] : positional.last(where: \.isRepeating) else {
            return Completion(start: place.start, candidates: [])
        }
        switch argument.valueName {
        case "collection": return source(of: command, place)
        case "file", "files", "directory", "dir", "output", "schema": return files(place)
        case "key", "keys": return keys(place)
        case "id", "ids":
            switch command.words {
            case ["conflicts"], ["resolve"]: return conflicts(of: words.first, place)
            case ["album", "add"]:
                // The album may be new, and the store may have a single collection.
                let album = words.first.flatMap { selection(DocumentSelection.albumMark + $0)?.collection.name }
                return ids(of: album, place)
            case _ where command.words[0] == "album":
                return ids(of: words.first.map { DocumentSelection.albumMark + $0 }, place)
            default: return ids(of: words.first, place)
            }
        case "field", "fields", "path": return Self.filtered(place, fields(of: words.first))
        case "condition": return condition(of: words.first, after: Array(words.dropFirst()), command, place)
        case "clause": return clause(of: command, words, place)
        case "name" where command.words[0] == "album": return album(place)
        case "name": return Self.filtered(place, Self.words(indexNames(of: words.first)))
        default: return Completion(start: place.start, candidates: [])
        }
    }

    private func values(
        of option: String, _ command: CommandCatalog.Command, _ words: [String], _ place: Place
    ) -> Completion {
        switch option {
        case "--mode": return Self.filtered(place, Self.words(OutputMode.allCases.map(\.rawValue)))
        case "--progress": return Self.filtered(place, Self.words(ProgressMeter.Style.allCases.map(\.rawValue)))
        case "--color": return Self.filtered(place, Self.words(Terminal.ColorChoice.allCases.map(\.rawValue)))
        case "--error-format": return Self.filtered(place, Self.words(ErrorReport.Format.allCases.map(\.rawValue)))
        case "--keep": return revisions(of: words, place)
        case "--fields", "--sort", "--sets":
            // The last of several comma-separated fields, after its sign.
            let last = place.word.split(separator: ",", omittingEmptySubsequences: false).last ?? ""
            let signs = option == "--sort" && last.hasPrefix("-") ? 1 : 0
            let start = place.start + place.word.count - last.count + signs
            let candidates = fields(of: words.first).map {
                Completion.Candidate(text: $0.text, note: $0.note, isFinal: false)
            }
            return Self.filtered(place, candidates, from: start)
        case "--where":
            return condition(of: words.first, after: [], command, place)
        case "--set":
            return Self.filtered(place, fields(of: words.first), from: assignmentStart(place))
        case "--prefix", "--from", "--to", "--after", "--upto": return keys(place)
        case "--schema", "--output", "--rejects", "--into-new", "--with": return files(place)
        default: return Completion(start: place.start, candidates: [])
        }
    }

    /// Completes the clauses of `update` and `delete`: WHERE or SET first; then conditions or fields, and the other
    /// keyword.
    private func clause(of command: CommandCatalog.Command, _ words: [String], _ place: Place) -> Completion {
        let keywords = command.words == ["update"] ? ["WHERE", "SET"] : ["WHERE"]
        let clauses = words.dropFirst()
        let left = Self.words(keywords.filter { keyword in !clauses.contains { $0.uppercased() == keyword } })
        guard let last = clauses.lastIndex(where: { keywords.contains($0.uppercased()) }) else {
            return Self.filtered(place, left)
        }
        let typed = Array(clauses[(last + 1)...])
        guard clauses[last].uppercased() == "WHERE" else {
            return Self.filtered(place, fields(of: words.first) + left, from: assignmentStart(place))
        }
        var completion = condition(of: words.first, after: typed, command, place)
        if completion.start == place.start, !typed.isEmpty {
            completion.candidates += Self.filtered(place, left).candidates
        }
        return completion
    }

    /// The start of the word in an assignment: after the opening quote and the last space or parenthesis.
    private func assignmentStart(_ place: Place) -> Int {
        guard place.word.hasPrefix("'") || place.word.hasPrefix("\"") else { return place.start }
        let last = place.word.lastIndex { " '\"(".contains($0) }.map {
            place.word.distance(from: place.word.startIndex, to: $0) + 1
        }
        return place.start + (last ?? 0)
    }

    // MARK: - The database

    /// The collection, or that of the album, which a name denotes.
    func collection(_ word: String?) -> DocumentCollection? { selection(word)?.collection }

    private func indexNames(of word: String?) -> [String] { collection(word)?.definition.indexes.map(\.name) ?? [] }

    /// The paths of fields in the first documents, with the kinds of their values, and of indexed fields.
    func fields(of word: String?) -> [Completion.Candidate] {
        guard let collection = collection(word) else { return [] }
        var inventory = FieldInventory()
        let deadline = ContinuousClock.now + timeLimit
        _ = try? collection.forEach(matching: Query(limit: Self.readLimit)) { document in
            inventory.add(document.content)
            return ContinuousClock.now < deadline
        }
        var names = inventory.leaves
        for path in collection.definition.indexes.flatMap(\.fields).map(\.description) where !names.contains(path) {
            names.append(path)
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { .init(text: $0, note: inventory.kinds(of: $0)) }
    }

    private func ids(of word: String?, _ place: Place) -> Completion {
        guard let selection = selection(word), let query = try? selection.query(Query()) else {
            return Completion(start: place.start, candidates: [])
        }
        var found: [Completion.Candidate] = []
        let deadline = ContinuousClock.now + timeLimit
        _ = try? selection.collection.forEach(matching: query) { document in
            let text = ByteNotation.print(Array("\(document.id.value.stringValue ?? document.id.value.json)".utf8))
            if text.hasPrefix(place.word) { found.append(.init(text: text)) }
            return found.count < Self.readLimit && ContinuousClock.now < deadline
        }
        return Completion(start: place.start, candidates: found)
    }

    /// The documents with a conflict.
    private func conflicts(of word: String?, _ place: Place) -> Completion {
        let ids = (try? collection(word)?.conflicted(limit: Self.readLimit)) ?? []
        return Self.filtered(
            place, Self.words(ids.map { ByteNotation.print(Array("\($0.value.stringValue ?? $0.value.json)".utf8)) }))
    }

    /// The revisions in the conflict of the document that the words name.
    private func revisions(of words: [String], _ place: Place) -> Completion {
        guard words.count > 1, let collection = collection(words[0]),
            let conflict = DocumentID.candidates(of: words[1]).lazy.compactMap({ try? collection.conflict(of: $0) }
            )
            .first
        else { return Completion(start: place.start, candidates: []) }
        return Self.filtered(place, Self.words(conflict.versions.map(\.revision.description)))
    }

    /// The keys that begin with the typed text, in the notation in which they are printed.
    private func keys(_ place: Place) -> Completion {
        var typed = place.word
        let quote = typed.first.map { $0 == "\"" || $0 == "'" ? String($0) : "" } ?? ""
        if !quote.isEmpty, typed.count == 1 || !typed.hasSuffix(quote) { typed += quote }
        guard let prefix = place.word.isEmpty ? [] : try? ByteNotation.parse(typed),
            var cursor = try? session.reader.cursor(in: .prefix(prefix), cache: .bypass)
        else { return Completion(start: place.start, candidates: []) }
        var found: [Completion.Candidate] = []
        let deadline = ContinuousClock.now + timeLimit
        while found.count < Self.readLimit, ContinuousClock.now < deadline, (try? cursor.advance()) == true {
            found.append(.init(text: ByteNotation.print(cursor.key.copied())))
        }
        // Adding the last key makes the common prefix correct: all keys between the first and the last one share it.
        if (try? cursor.advance()) == true,
            var last = try? session.reader.cursor(in: .prefix(prefix), direction: .descending, cache: .bypass),
            (try? last.advance()) == true
        {
            found.append(.init(text: ByteNotation.print(last.key.copied()), note: "last of more"))
        }
        return Completion(start: place.start, candidates: found, replacesSpelling: true)
    }

    // MARK: - Files

    private func files(_ place: Place) -> Completion {
        let quote = place.word.first.map { $0 == "\"" || $0 == "'" } ?? false
        let typed = quote ? String(place.word.dropFirst()) : place.word
        let directory = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
        let beginning = String(typed.dropFirst(directory.count))
        let base = directory.isEmpty ? "." : directory
        let names = FileDescriptor.names(in: base).filter {
            $0.hasPrefix(beginning) && ($0.hasPrefix(".") == beginning.hasPrefix("."))
        }.sorted()
        let candidates = names.map { name in
            let isDirectory = FileDescriptor.isDirectory(base + "/" + name)
            let path = directory + name
            let text = Self.isPlain(path) ? path : ByteNotation.print(Array(path.utf8), form: .text)
            return Completion.Candidate(
                text: isDirectory && Self.isPlain(path) ? text + "/" : text, isFinal: !isDirectory)
        }
        return Completion(start: place.start, candidates: candidates, replacesSpelling: quote)
    }

    private static func isPlain(_ path: String) -> Bool {
        path.allSatisfy { !$0.isWhitespace && !"'\"\\;#|{[".contains($0) }
    }
}
