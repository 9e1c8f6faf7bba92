internal import LevelFiles

/// Compares a repaired database with the readable content of its files before the repair.
struct RepairSurvey {
    private let scope: RepairScope
    private let backup: String
    private let order: KeyOrder

    init(_ scope: RepairScope, backup: String, order: KeyOrder) {
        self.scope = scope
        self.backup = backup
        self.order = order
    }

    /// Returns the losses.
    ///
    /// - Parameter database: the repaired database, or `nil` if it is unreadable and keys cannot be compared.
    /// - Complexity: reads all files of the backup and all keys of the database.
    func losses(in database: Database?) throws(LevelError) -> Database.RepairReport.Losses {
        var losses = Database.RepairReport.Losses()
        var (merge, missing) = scope.merge(in: backup, order: order)
        if let database { try compare(&merge, database, &losses) } else { while merge.next() != nil {} }
        for place in missing + merge.damage { losses.add(Database.RepairReport.Losses.Place(place)) }
        return losses
    }

    /// Iterates over both in key order.
    private func compare(
        _ merge: inout VersionMerge, _ database: Database, _ losses: inout Database.RepairReport.Losses
    ) throws(LevelError) {
        var cursor = try database.cursor(in: .all, cache: .bypass)
        var isThere = try cursor.advance()
        var last: [UInt8]?
        while let version = merge.next() {
            let key = version.entry.key.userKey
            if let last, order.compare(last.span, key.span) == 0 { continue }
            last = key
            while isThere, order.compare(cursor.key, key.span) < 0 {
                losses.returnedKeyCount += 1
                isThere = try cursor.advance()
            }
            let isHere = isThere && order.compare(cursor.key, key.span) == 0
            switch version.entry.key.kind {
            case .put where !isHere: losses.missingKeyCount += 1
            case .put: if !Self.areEqual(cursor.value, version.entry.value) { losses.changedKeyCount += 1 }
            case .deletion where isHere: losses.returnedKeyCount += 1
            case .deletion: break
            }
            if isHere { isThere = try cursor.advance() }
        }
        while isThere {
            losses.returnedKeyCount += 1
            isThere = try cursor.advance()
        }
    }

    private static func areEqual(_ left: Span<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        unsafe left.withUnsafeBufferPointer { unsafe $0.elementsEqual(right) }
    }
}

extension Database.RepairReport.Losses.Place {
    fileprivate init(_ place: DamagedPlace) {
        kind =
            switch place.kind {
            case .table: .table
            case .block: .block
            case .tableEnd: .tableEnd
            case .log: .log
            case .unfinishedWrite: .unfinishedWrite
            case .manifest: .manifest
            }
        file = place.file
        offset = place.offset
        byteCount = place.byteCount
        keys = place.keys.map { KeyRange(lower: .included($0.lower), upper: .included($0.upper)) }
        entryCount = place.entryCount
        estimatedEntryCount = place.estimatedEntryCount
        reason = place.reason
    }
}
