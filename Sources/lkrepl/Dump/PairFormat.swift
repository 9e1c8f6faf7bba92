/// The formats in which pairs of a plain database can be written.
enum PairFormat: String, NamedChoice {
    /// The format of this program; see ``DumpRecord``.
    case jsonl
    /// The format of LMDB's `mdb_load`: Berkeley DB's format 3, every byte in hexadecimal.
    case mdb
    /// The same for Berkeley DB's `db_load`, which rejects LMDB's `mapsize` line.
    case bdb
    /// The format of RocksDB's `ldb load --hex`.
    case ldb
    /// Commands for `redis-cli --pipe`.
    case resp

    static let unknownName = "unknown dump format"
    static let advice = "use export for documents as csv, tsv or json"
}
