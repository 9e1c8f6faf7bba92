/// The form in which commands print their results.
enum OutputMode: String, NamedChoice, Sendable {
    /// A box table that fits the terminal; for people, and subject to change.
    case table
    /// One `field: value` per line, with an empty line between records.
    case line
    /// One JSON object per line; its field names are stable, for programs.
    case jsonl
    /// One JSON array.
    case json
    /// One JSON array, indented.
    case jsonPretty = "json-pretty"
    /// RFC 4180 with a header row.
    case csv
    /// PostgreSQL's COPY text format: each record is one line, and bytes are preserved.
    case tsv
    /// Keys only, one per line, in byte notation.
    case keys
    /// Exact bytes, each value terminated by a zero byte.
    case raw0
    /// Offsets, hexadecimal bytes and characters.
    case hexdump
    /// The number of results only.
    case count

    static let unknownName = "unknown output mode"

    /// The default mode: a table on a terminal, JSON Lines for programs.
    static func standard(isTerminal: Bool) -> OutputMode {
        isTerminal ? .table : .jsonl
    }
}
