/// The record formats that `load` accepts, detected by the first bytes unless specified.
enum InputFormat: String, NamedChoice {
    /// A dump of this program, or its records without the header.
    case jsonl
    /// One array of such records.
    case json
    case mdb, bdb
    case ldb

    static let unknownName = "unknown load format"
    static let advice = "use import for csv, tsv and plain documents"

    /// Detects the format of a file.
    ///
    /// - Throws: ``CommandError`` with advice for files of other kinds.
    init(detecting input: borrowing InputFile) throws {
        try input.refuseForeign("load")
        let line = input.firstLine
        switch line.first {
        case UInt8(ascii: "["): self = .json
        case UInt8(ascii: "{"), nil: self = .jsonl
        case _ where BerkeleySource.isBeginning(line): self = .mdb
        case _ where LDBTextSource.isBeginning(line): self = .ldb
        case _ where line.firstRange(of: Array(" ==> ".utf8)) != nil:
            throw CommandError(
                .badData, "\(input.name):1: the file looks like the output of ldb dump without --hex, which loses data",
                hint: "dump again with ldb dump --hex")
        case _ where line.contains(UInt8(ascii: ",")) || line.contains(0x09):
            throw CommandError(
                .badData, "\(input.name):1: the file is not a dump; it looks like CSV or TSV",
                hint: "use lkrepl import with --format csv or --format tsv")
        default: self = .jsonl
        }
    }

    /// Whether a JSON Lines file begins with a dump header.
    static func isFramed(_ input: borrowing InputFile) -> Bool {
        input.firstLine.firstRange(of: Array(#""lkdump""#.utf8)) != nil
    }
}
