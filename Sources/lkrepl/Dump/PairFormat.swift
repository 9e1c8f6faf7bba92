/// The formats in which pairs of a plain database leave for other programs.
enum PairFormat: String, NamedChoice {
    /// The format of this program; see ``DumpRecord``.
    case jsonl
    /// What LMDB's `mdb_load` reads: Berkeley DB's format 3, every byte in hexadecimal.
    case mdb
    /// The same for Berkeley DB's `db_load`, which refuses LMDB's line `mapsize`.
    case bdb
    /// What RocksDB's `ldb load --hex` reads.
    case ldb
    /// Commands for `redis-cli --pipe`.
    case resp

    static let unknownName = "dump has no format"
    static let advice = "export writes documents as csv, tsv, json"
}
