import DocIndex

/// Help that is not about one command. Examples use the collections and fields of the open store.
enum HelpTopic: String, CaseIterable, Sendable {
    case conditions, dates, search, sorting, output, importing, changes, scripts, bytes, keyboard

    /// The subject, for the list of topics.
    var abstract: String {
        switch self {
        case .conditions: "How to write a condition."
        case .dates: "How to compare dates and parts of dates."
        case .search: "How to search for words."
        case .sorting: "How to sort, limit and page through results."
        case .output: "Tables, JSON, CSV, files and pagers."
        case .importing: "How to get JSON, CSV and pictures into a store."
        case .changes: "Which commands change a store, ask first, or can only show their effect."
        case .scripts: "Exit codes, raw IDs, parameters and errors for programs."
        case .bytes: "How keys and values of bytes are written."
        case .keyboard: "Keyboard shortcuts of the shell."
        }
    }

    /// A line of a topic.
    private enum Line {
        /// A paragraph, which is wrapped.
        case text(String)
        /// A command that works on the store, and its meaning.
        case example(String, String)
        /// Words and their meaning.
        case row(String, String)
    }

    /// The topic as text.
    ///
    /// - Parameters:
    ///   - samples: The fields for the examples.
    ///   - width: The width of the text.
    func text(_ samples: FieldSamples, width: Int) -> String {
        var lines = [abstract, ""]
        for line in self.lines(samples) {
            switch line {
            case .text(let text): lines += WrappedText(width: width).lines(of: text)
            case .example(let command, let meaning):
                lines.append("  " + Self.shown(command, samples))
                if !meaning.isEmpty { lines += WrappedText(width: width - 6).lines(of: meaning).map { "      " + $0 } }
            case .row(let name, let meaning): lines += ShellHelp.rows("  " + name, meaning, column: 26, width: width)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The commands of all examples, as typed in the shell.
    func examples(_ samples: FieldSamples) -> [String] {
        lines(samples).compactMap { line in
            if case .example(let command, _) = line { Self.shown(command, samples) } else { nil }
        }
    }

    /// An example as typed in the shell, or in the system's shell if no store is open.
    private static func shown(_ command: String, _ samples: FieldSamples) -> String {
        guard !samples.store.isEmpty, let space = command.firstIndex(of: " ") else { return command }
        return "lkrepl \(command[..<space]) \(samples.store)\(command[space...])"
    }

    private func lines(_ samples: FieldSamples) -> [Line] {
        switch self {
        case .conditions: Self.conditions(samples)
        case .dates: Self.dates(samples)
        case .search: Self.search(samples)
        case .sorting: Self.sorting(samples)
        case .output: Self.output(samples)
        case .importing: Self.importing(samples)
        case .changes: Self.changes(samples)
        case .scripts: Self.scripts(samples)
        case .bytes: Self.byteNotation
        case .keyboard: Self.shortcuts
        }
    }

    // MARK: - Topics

    /// A command with a condition in quotes.
    private static func find(_ samples: FieldSamples, _ condition: String, _ rest: String = "") -> String {
        "find \(ShellWord.name(samples.collection)) \(ShellWord.typed(condition))" + (rest.isEmpty ? "" : " " + rest)
    }

    private static func name(_ path: FieldPath) -> String {
        String(Filter.exists(path).description.dropLast(" EXISTS".count))
    }

    private static func conditions(_ samples: FieldSamples) -> [Line] {
        let (number, text, list) = (name(samples.number.path), samples.text, samples.list)
        let element = Filter.compare(list.path, .equal, list.value).description.replacing(" = ", with: " HAS ")
        return [
            .example(find(samples, samples.number.condition(.greaterOrEqual)), "= != < <= > >= compare values."),
            .example(find(samples, text.condition()), "Text with spaces or special characters needs quotes."),
            .example(
                find(samples, "\(name(text.path)) *= a or \(name(text.path)) ^= A"), "*= contains, ^= begins with."),
            .example(find(samples, element), "The list contains this element."),
            .example(
                find(samples, "\(number) in (1, 2) or \(number) between 4 and 5"), "One of several values, or a range."),
            .example(
                find(samples, "\(name(text.path)) exists and \(number) missing"),
                "The field has a value, or is missing."),
            .example(
                find(samples, "\(name(text.path)) matches /^[a-m]/i"), "A regular expression; i ignores case."),
            .example(
                find(samples, "(\(samples.number.condition()) or not \(text.condition()))"),
                "and, or, not and parentheses join conditions."),
            .text(""),
            .row("a.b", "A member of an object."), .row("a[]", "Each element of a list."),
            .row("a any (b = 1 and c = 2)", "One element satisfies the whole condition."),
            .row("gps near 53.7,-1.8,5", "A place is within 5 km; within s,w,n,e: within a box."),
            .row("\"a\\n\\u{e9}\"", "Escapes: \\\" \\\\ \\n \\r \\t \\u{…}; 'single quotes' keep backslashes."),
            .row("a is number", "A value has this kind: number, string, boolean, date, array, object, attachment."),
            .text(""),
            .text(
                "A comparison matches only values of its own kind: \(number) = 4 does not match the text \"4\". "
                    + "describe lists the fields and their kinds. See also: help dates, help search."),
        ]
    }

    private static func dates(_ samples: FieldSamples) -> [Line] {
        let path = name(samples.date.path)
        let text: String =
            switch samples.date.value {
            case .date(let date): date.iso8601
            case .string(let text): text
            default: "2019-06-08"
            }
        let (year, month, day) = (text.prefix(4), text.prefix(7), text.prefix(10))
        return [
            .example(find(samples, "\(path) >= \(day)"), "From this day on. A date in a text field works too."),
            .example(find(samples, "\(path) = date \(year)"), "Within this year; date before a year or a month."),
            .example(find(samples, "\(path) between date \(month) and date \(month)"), "Within this month."),
            .example(find(samples, "month(\(path)) = 7 and hour(\(path)) >= 18"), "July evenings of any year."),
            .example(
                "facets \(ShellWord.name(samples.collection)) \(ShellWord.typed(path)) --top 5",
                "The most frequent values."),
            .text(""),
            .row("2019-06-08", "A day."), .row("2019-06-08T18:02:11", "A second; add Z or +02:00 for a time zone."),
            .row("date 2019, date 2019-06", "A year, a month."),
            .row("year() month() day()", "Parts of a date, as numbers; also hour, minute, second and weekday."),
            .text(""),
            .text("Dates are written as year-month-day. 08.06.2019, 6/8/2019 and words such as yesterday are text."),
        ]
    }

    private static func search(_ samples: FieldSamples) -> [Line] {
        let collection = ShellWord.name(samples.collection)
        let word = samples.text.value.stringValue?.split { !$0.isLetter }.first.map(String.init) ?? "fog"
        let number = samples.number.condition(.greaterOrEqual)
        return [
            .text("search finds words in the fields of a text index, best matches first; indexes lists them."),
            .example("search \(collection) \(word)", "All words must occur."),
            .example("search \(collection) \(ShellWord.typed("\(word) OR other"))", "Alternatives; OR is upper case."),
            .example(
                "search \(collection) \(ShellWord.typed("\"\(word)\"")) --score --highlight",
                "A phrase in double quotes; scores and excerpts."),
            .example("search \(collection) \(ShellWord.typed("\(word) -other"))", "Without a word: - or NOT."),
            .example("search \(collection) \(word)* --limit 5", "Words that begin like this."),
            .example("search \(collection) \(word)~ --count", "Words with one typo."),
            .example(
                "search \(collection) \(word) --where \(ShellWord.typed(number))", "A condition besides the words."),
            .text(""),
            .row("field:word", "A word in one field of the index."),
            .row("(a OR b) c", "Parentheses group."),
            .text(""),
            .text("Other ways to search:"), .text(""),
            .example(
                "search \(collection) \(ShellWord.typed("\(word) other")) --box",
                "As in a search box: documents with all words come first, then those with any."),
            .row("suggest \(collection) WORDS", "Corrections of misspelled words, from the index."),
            .row("complete \(collection) LETTERS", "Words of the index that begin like this."),
            .row("similar \(collection) ID", "Documents with the words of another one."),
            .row("nearest \(collection) --id ID", "Documents with a similar vector."),
        ]
    }

    private static func sorting(_ samples: FieldSamples) -> [Line] {
        let collection = ShellWord.name(samples.collection)
        let (number, text) = (name(samples.number.path), name(samples.text.path))
        return [
            .example(
                "find \(collection) --sort \(ShellWord.name("\(number),-\(text)"))",
                "- before a field sorts in descending order."),
            .example(
                "find \(collection) --sort \(ShellWord.typed("natural(\(text))")) --limit 10",
                "IMG_2 before IMG_10; ci(…) ignores case."),
            .example("find \(collection) --sort \(ShellWord.name(number)) --limit 10 --skip 10", "The second ten."),
            .example(
                "explain \(collection) \(ShellWord.typed(samples.number.condition())) --plan",
                "Which index answers, and whether results are sorted in memory."),
            .text(""),
            .text("Without --sort, documents come in the order in which they were first stored."),
        ]
    }

    private static func output(_ samples: FieldSamples) -> [Line] {
        let collection = ShellWord.name(samples.collection)
        return [
            .example(
                "find \(collection) --limit 5 --wide",
                "All fields. Otherwise a table shows the ID and the fields that fit."),
            .example(
                "find \(collection) --limit 5 --fields \(ShellWord.name("\(samples.idField),\(name(samples.text.path))"))",
                "These fields."),
            .example("find \(collection) --limit 5 --mode line", "One field per line, whole values."),
            .example("find \(collection) --mode csv", "Also tsv, jsonl, json, json-pretty, keys, raw0, count."),
            .text(""),
            .row(".last, .last --wide", "The last result again, with all rows, with all fields."),
            .row(".once FILE, .once '| CMD'", "Send the next result to a file or a program."),
            .row(".mode MODE, .pager off", "For all later commands."),
            .text(""),
            .text(
                "On a terminal the result is a table, elsewhere JSON Lines. Data goes to standard output, everything "
                    + "else to standard error."),
        ]
    }

    private static func importing(_ samples: FieldSamples) -> [Line] {
        let collection = samples.collection
        return [
            .row("import \(collection) photos.jsonl", "JSON Lines, or one JSON array; UTF-16 too."),
            .row("… table.csv --format csv", "CSV with a header row; --separator ';', --types for iso.int."),
            .row("… --key NAME", "The ID is in another field than \(samples.idField)."),
            .row("… --id generate", "Documents without an ID get one that sorts by time."),
            .row("… --mode merge", "Keep fields that the input lacks; also insert, skip, replace."),
            .row("… --on-error skip", "Continue after bad records; --rejects FILE keeps them."),
            .row("… -n", "Say what would happen, and store nothing."),
            .row("import \(collection) --photos DIR", "Import the metadata of the pictures in DIR, read by exiftool."),
            .row("… --attach original", "The pictures too: attach list, get and verify work with them."),
            .text(""),
            .text(
                "import needs --write. init STORE --infer FILE makes a store for a file, with indexes that fit its "
                    + "data. dump and load move whole databases and check every byte."),
        ]
    }

    private static func changes(_ samples: FieldSamples) -> [Line] {
        [
            .text(
                "Commands change nothing without --write, or .write on in the shell. At a terminal, commands that "
                    + "remove or replace many things ask for confirmation. In scripts, update, delete, undo, "
                    + "--mode replace and album drop of an album with documents need --yes; destroy and repair need "
                    + "--confirm NAME. With --yes, update and delete refuse a condition or an assignment that looks like "
                    + "a mistake, unless --despite-warnings is given. -n (--dry-run) shows what a command would do."
            ),
            .text(""),
        ]
            + CommandCatalog.current.leaves.filter { $0.arguments.contains { $0.names.contains("--dry-run") } }
            .map { .row($0.name, ShellHelp.firstSentence(of: $0.abstract)) }
    }

    private static func scripts(_ samples: FieldSamples) -> [Line] {
        let collection = ShellWord.name(samples.collection)
        let number = samples.number
        return [
            .example(
                "find \(collection) \(ShellWord.typed(number.condition())) --ids", "IDs as they are, one per line."),
            .example("find \(collection) \(ShellWord.typed(number.condition())) --ids -0", "For xargs -0."),
            .example("count \(collection) \(ShellWord.typed(number.condition()))", "One number."),
            .example(
                "find \(collection) \(ShellWord.typed("\(name(number.path)) >= :least")) --param least=4 --strict",
                "A value that is never read as notation; --strict fails for unknown fields."),
            .text(""),
            .text("lkrepl DB -c 'COMMAND' -c … and -f FILE stop at the first failure; --keep-going continues."),
            .text("--error-format json reports failures as JSON. Exit codes:"), .text(""),
        ]
            + ExitCode.allCases.map { .row("\($0.rawValue)", $0.meaning) }
    }

    private static let byteNotation: [Line] = [
        .text("Whatever is printed can be typed back, and means the same bytes."), .text(""),
        .row("user/1", "Plain text without spaces or special characters."),
        .row("\"a\\n\\x00\\u{e9}\"", "With escapes: \\\\ \\\" \\n \\r \\t \\0 \\e, bytes \\xNN, characters \\u{…}."),
        .row("'as it is'", "Without escapes; '' is one quote."), .row("0x68656c", "Hexadecimal."),
        .row("b64:aGVs", "Base64."), .row("@FILE, -", "For values: the contents of a file, standard input."),
        .text(""), .text("keyfmt declares a format for the keys of a database; --bytes hex|base64|text forces one."),
    ]

    /// The key bindings of the line editor.
    private static let shortcuts: [Line] = [
        ("Tab, Shift-Tab", "Complete; repeat for the next or previous candidate."),
        ("Enter, Alt-Enter", "Run the command; insert a line break."),
        ("Up, Down, ^P, ^N", "Previous and next command in the history; Alt-< and Alt-> first and last."),
        ("^R, ^S", "Search the history backward or forward; ^G cancels."),
        ("Alt-.", "Insert the last word of the previous command; repeat for earlier ones."),
        ("^A, ^E, Alt-B, Alt-F", "Move to the start or end, or a word back or forward."),
        ("^W, Alt-Bksp, Alt-D", "Cut the argument or word before the cursor, or the word after it."),
        ("^U, ^K, ^Y, Alt-Y", "Cut to the line start or end; paste; replace by an earlier cut."),
        ("^T, Alt-U, Alt-L, Alt-C", "Swap two characters; make a word uppercase, lowercase, capitalized."),
        ("^_, ^X ^U", "Undo."), ("^X ^E", "Edit in $VISUAL or $EDITOR."), ("Alt-#", "Turn it into a comment."),
        ("^L, ^Z", "Clear the screen; suspend the shell (fg resumes it)."),
        ("^C, ^D", "Discard the line or stop the command; on an empty line, exit."),
    ].map { .row($0.0, $0.1) }
}

extension ShellWord {
    /// An expression as one argument that both the system's shell and lkrepl's read alike; in double quotes if it
    /// contains a single quote.
    static func typed(_ expression: String) -> String {
        guard expression.contains("'") else { return "'\(expression)'" }
        return "\"" + expression.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// A name as an argument, quoted if necessary.
    static func name(_ name: String) -> String { quoted(name) == name ? name : typed(name) }
}
