internal import LevelKit

extension Catalog {
    /// Returns the ranges of keys that belong to no collection and no index, in order.
    func unknownRanges() -> [KeyRange] {
        var unknown: [KeyRange] = []
        // The lower bound of the gap before the next known range.
        var lower = KeyBound<[UInt8]>.unbounded
        for range in knownRanges() {
            unknown.append(KeyRange(lower: lower, upper: .excluded(range.lower.key ?? [])))
            switch range.upper {
            case .included(let key): lower = .excluded(key)
            case .excluded(let key): lower = .included(key)
            case .unbounded: return unknown
            }
        }
        return unknown + [KeyRange(lower: lower, upper: .unbounded)]
    }

    /// Returns the ranges of known keys and key prefixes, in order.
    private func knownRanges() -> [KeyRange] {
        var known = [
            .prefix([StoreKey.copies.rawValue]), KeyRange.only(StoreKey.catalogKey), .only(StoreKey.stateKey),
            .prefix([StoreKey.changes.rawValue]), .prefix([StoreKey.markers.rawValue]),
            .prefix([StoreKey.setAside.rawValue]),
        ]
        if hasAttachments {
            known += [.prefix([StoreKey.attachments.rawValue]), .prefix([StoreKey.contents.rawValue])]
        }
        if keepsHistory { known.append(.prefix([StoreKey.history.rawValue])) }
        for name in migrations + [runningMigration].compactMap({ $0 }) {
            known.append(.only(StoreKey.migrationProgress(name)))
        }
        for index in dropped {
            for space in [StoreKey.values, .valueCounts, .text, .progress] {
                known.append(.prefix(space.prefix(index.number)))
            }
        }
        for collection in collections {
            known.append(.only(CollectionCounters.key(collection.number)))
            var spaces = [StoreKey.ids, .documents, .names]
            if collection.isReplicated { spaces += [.revisions, .revisionBodies, .replication] }
            for space in spaces { known.append(.prefix(space.prefix(collection.number))) }
            for entry in collection.indexes {
                if entry.definition.kind == .text {
                    for kind in TextIndexKey.allCases {
                        let prefix = kind.prefix(entry.number)
                        known.append(kind == .structure ? .only(prefix) : .prefix(prefix))
                    }
                } else {
                    known.append(.prefix(entry.index.entryPrefix))
                }
                if !entry.isReady { known.append(.only(StoreKey.progress.prefix(entry.number))) }
                if entry.definition.countsValues {
                    known.append(.prefix(StoreKey.valueCounts.prefix(entry.number)))
                }
            }
        }
        return known.sorted { ($0.lower.key ?? []).lexicographicallyPrecedes($1.lower.key ?? []) }
    }
}
