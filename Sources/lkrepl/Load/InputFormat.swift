/// The formats of records that `load` takes, each told by its first bytes unless it is named.
enum InputFormat: String, NamedChoice {
    /// A dump of this program, or its lines without the frame.
    case jsonl
    /// One array of such records.
    case json
    case mdb, bdb
    case ldb

    static let unknownName = "load has no format"
    static let advice = "import takes csv, tsv and plain documents"

    /// The format of a file.
    ///
    /// - Throws: ``CommandFailure`` with what to do about a file that is of another kind.
    init(detecting input: borrowing InputFile) throws {
        try input.refuseCompression("load")
        let line = input.firstLine
        switch line.first {
        case UInt8(ascii: "["): self = .json
        case UInt8(ascii: "{"), nil: self = .jsonl
        case _ where BerkeleySource.isBeginning(line): self = .mdb
        case _ where LDBTextSource.isBeginning(line): self = .ldb
        case _ where line.firstRange(of: Array(" ==> ".utf8)) != nil:
            throw CommandFailure(
                .badData, "\(input.name):1: this looks like the output of ldb dump, in a form that loses data",
                hint: "dump again with ldb dump --hex")
        case _ where line.contains(UInt8(ascii: ",")) || line.contains(0x09):
            throw CommandFailure(
                .badData, "\(input.name):1: this is no dump, and looks like CSV or TSV",
                hint: "lkrepl import takes both, with --format csv or --format tsv")
        default: self = .jsonl
        }
    }

    /// Whether a file of JSON Lines begins with the header of a dump.
    static func isFramed(_ input: borrowing InputFile) -> Bool {
        input.firstLine.firstRange(of: Array(#""lkdump""#.utf8)) != nil
    }
}
