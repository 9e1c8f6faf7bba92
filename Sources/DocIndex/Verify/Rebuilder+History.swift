internal import LevelKit

extension Rebuilder {
    /// Makes the lists of changes in the history agree with the documents.
    ///
    /// A record that is missing or damaged is replaced with a mark, so that the newer changes stay readable. Records
    /// that no list leads to any more are set aside. Memory for the keys of the history.
    mutating func rebuildHistory() throws {
        let oldest = try HistoryTraversal.oldestCommits(in: database, of: catalog)
        var reached: Set<StoreChange.Key> = []
        var damaged: [(place: StoreChange.Key, key: [UInt8], isMissing: Bool)] = []
        for collection in catalog.collections {
            guard let traversal = HistoryTraversal(of: collection, oldest: oldest, in: database) else { continue }
            try traversal.run { link, _, finding in
                let place = StoreChange.Key(
                    sequence: link.sequence, collection: collection.number, row: link.row)
                reached.insert(place)
                switch finding {
                case .sound: break
                case .missing: damaged.append((place, link.key(collection.number), true))
                case .unreadable, .outOfOrder, .otherDocument:
                    damaged.append((place, link.key(collection.number), false))
                }
            }
        }
        for (place, key, isMissing) in damaged where place.sequence <= WriterState.lastSequence {
            if !isMissing, let value = try database.value(forKey: key) { try setAside(key, value) }
            try batch.put(HistoryRecord.head(time: StoreClock.now, changeCount: 1), forKey: key)
            report.repairCount += 1
            try write()
        }
        var cursor = try database.cursor(in: .prefix([StoreKey.history.rawValue]), cache: .bypass)
        while try cursor.advance() {
            let place = StoreChange.Key(cursor.key, kind: .history)
            if let place, reached.contains(place), place.sequence <= WriterState.lastSequence {
                sequence = max(sequence, place.sequence)
                continue
            }
            if let place, catalog.stored.isLeftOver(place) { continue }
            report.repairCount += 1
            try setAside(cursor.key.copied(), cursor.value.copied())
        }
        try write(always: true)
    }
}
