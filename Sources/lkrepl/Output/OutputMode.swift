/// The form in which commands print their results.
enum OutputMode: String, NamedChoice, Sendable {
    /// A box table that fits the terminal; for people, may change.
    case table
    /// One `field: value` a line, an empty line between records.
    case line
    /// One JSON object a line; its field names are the contract with programs.
    case jsonl
    /// One JSON array.
    case json
    /// One JSON array, indented.
    case jsonPretty = "json-pretty"
    /// RFC 4180 with a header row.
    case csv
    /// PostgreSQL COPY text: one record is always one line, and bytes survive.
    case tsv
    /// Keys alone, one a line, in byte notation.
    case keys
    /// Exact bytes, each value ended by a zero byte.
    case raw0
    /// Offsets, hexadecimal bytes and characters.
    case hexdump
    /// The number of results alone.
    case count

    static let unknownName = "there is no output mode"

    /// What a command prints without being told: a table for a person, JSON lines for a program.
    static func standard(isTerminal: Bool) -> OutputMode {
        isTerminal ? .table : .jsonl
    }
}
