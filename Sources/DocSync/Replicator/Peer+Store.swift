public import DocIndex

extension Peer {
    /// Creates a peer that is a collection of another store in this process.
    ///
    /// - Throws: `DocIndexError` with `unknownCollection`; `LevelError`.
    public init(_ store: DocumentStore, collection: String) throws {
        let server = try SyncServer(store, options: SyncServer.Options(collections: [collection]))
        self.init(InProcessTransport(server), database: [collection])
    }
}
