/// Values are read from the newest state, unless a view is older and the key has changed since.
extension DatabaseCore {
    /// Calls `body` with the newest value of a key, after the LevelDB call has ended, so `body` may close the database.
    ///
    /// - Returns: whether the key exists.
    func readValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool {
        guard let value = try value(forKey: key) else { return false }
        try body(value.bytes)
        return true
    }

    /// Calls `body` with the value of a key in a view; see ``readValue(forKey:_:)``.
    func readValue(
        forKey key: Span<UInt8>, in view: ReadView, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool {
        guard let value = try value(forKey: key, in: view) else { return false }
        try body(value.bytes)
        return true
    }

    @inline(__always)
    private func value(forKey key: Span<UInt8>) throws(LevelError) -> EngineValue? {
        try enter()
        defer { leave() }
        return try newestValue(forKey: key)
    }

    private func value(forKey key: Span<UInt8>, in view: ReadView) throws(LevelError) -> EngineValue? {
        try enter()
        defer { leave() }
        if views.isNewest(view) || view.stamps != nil {
            let value = try newestValue(forKey: key)
            if views.isNewest(view) || view.isUnchanged(key) { return value }
        }
        return try heldValue(forKey: key, in: view)
    }

    /// Returns the value of a key in a view that an iterator holds.
    private func heldValue(forKey key: Span<UInt8>, in view: ReadView) throws(LevelError) -> EngineValue? {
        var value: EngineValue?
        var error: String?
        let isOpen = views.withIterator(of: view, for: 0) { iterator, _ in
            iterator.seek(key)
            let isValid = iterator.isValid
            error = iterator.error
            if error == nil, isValid, unsafe order.compare(Span(_unsafeElements: iterator.key), key) == 0 {
                value = unsafe EngineValue(copying: iterator.value)
            }
            return false
        }
        guard isOpen else { throw closedError }
        if let error {
            throw .engine(error, action: "read a key of \(path)").located(
                near: key.copied(), order: order, in: enginePath)
        }
        return value
    }

    /// Returns an iterator over the newest state. The caller must destroy it before the database is closed.
    func makeIterator(fillsCache: Bool) -> EngineIterator {
        unsafe engine.makeIterator(reading: fillsCache ? engine.reading : engine.options.scanning)
    }

    @inline(__always)
    private func newestValue(forKey key: Span<UInt8>) throws(LevelError) -> EngineValue? {
        do throws(LevelError) {
            if let value = try unsafe engine.get(key, reading: engine.reading) { return value }
        } catch {
            throw error.located(near: key.copied(), order: order, in: enginePath)
        }
        // `leveldb_get` reports a missing table file as "not found", like a missing key. An iterator reports an error
        // instead, so it confirms the result where a table file may be missing. See `TableCacheWitness` for the sequence.
        if held.isTrusted { return nil }
        held.look(list: { engine.property("leveldb.sstables") }, open: openAllTables)
        if tables.isUnchanged { return nil }
        return try findValue(forKey: key)
    }

    /// Makes LevelDB open every table file.
    ///
    /// - Returns: whether it succeeded.
    private func openAllTables() -> Bool {
        guard let manifest = try? Manifest(ofDatabaseAt: path) else { return false }
        let iterator = makeIterator(fillsCache: false)
        defer { iterator.destroy() }
        // Creating an iterator opens the tables of level 0. On other levels, a seek opens the table that contains the
        // key.
        for table in manifest.tables where table.level > 0 {
            iterator.seek(table.smallestKey.span)
            if iterator.hasFailed { return false }
        }
        return !iterator.hasFailed
    }

    private func findValue(forKey key: Span<UInt8>) throws(LevelError) -> EngineValue? {
        tables.look { engine.property("leveldb.sstables") }
        let iterator = makeIterator(fillsCache: true)
        defer { iterator.destroy() }
        iterator.seek(key)
        let isValid = iterator.isValid
        if let error = iterator.error {
            throw .engine(error, action: "read a key of \(path)").located(
                near: key.copied(), order: order, in: enginePath)
        }
        guard isValid, unsafe order.compare(Span(_unsafeElements: iterator.key), key) == 0 else { return nil }
        return unsafe EngineValue(copying: iterator.value)
    }
}
