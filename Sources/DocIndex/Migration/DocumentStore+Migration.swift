public import LevelKit

extension DocumentStore {
    /// Carries out the migrations that this store has not seen, in their order.
    ///
    /// Documents are changed in slices, each one commit that also holds how far the migration has come: killed in
    /// between, the next call goes on there, and no document is changed twice. Indexes follow in the same commits.
    /// Documents that are stored while a migration runs are left alone if they are new.
    ///
    /// - Parameters:
    ///   - migrations: all migrations of the program, the oldest first. None may be left out that a store has seen.
    ///   - checkpoint: the directory for a checkpoint of the store as it was before; `nil` for none. It is taken once,
    ///     before the first change, and found again when a migration goes on. Asked for only then, it is of that moment.
    ///     To go back, see ``restore(at:from:)``.
    ///   - progress: called between slices, and when a migration is done; what it throws ends the work for now.
    /// - Throws: ``DocIndexError``: `storeTooNew` if the store has seen a migration that is not in the list;
    ///   `unknownCollection`; `migrationFailed` if there is another database in the place of the checkpoint, or if a
    ///   document would lose something that its migration does not declare, or would change again if it were migrated
    ///   again; nothing of that document's slice is changed then. What a migration throws.
    /// - Complexity: O(*n*) in the documents of the collections.
    @discardableResult
    public func migrate(
        _ migrations: [Migration], checkpoint: String? = nil, _ progress: (MigrationProgress) throws -> Void = { _ in }
    ) throws -> MigrationReport {
        try withMaintenance {
            try checkHistory(migrations)
            var report = MigrationReport()
            let pending = migrations.dropFirst(currentCatalog.migrations.count)
            guard !pending.isEmpty else { return report }
            for migration in pending { _ = try collection(migration.collection) }
            if let checkpoint, currentCatalog.runningMigration == nil, try Database.exists(at: checkpoint) {
                throw DocIndexError(
                    .migrationFailed,
                    "there is a database at \(checkpoint) already; name another directory for the checkpoint")
            }
            try begin(pending[pending.startIndex])
            if let checkpoint {
                try takeCheckpoint(at: checkpoint, before: pending[pending.startIndex])
                report.checkpointPath = checkpoint
            }
            for position in pending.indices {
                let next = position + 1 < pending.endIndex ? pending[position + 1] : nil
                try run(pending[position], before: next, &report, progress)
            }
            return report
        }
    }

    private func checkHistory(_ migrations: [Migration]) throws {
        guard Set(migrations.map(\.name)).count == migrations.count else {
            throw DocIndexError(.migrationFailed, "two migrations have the same name; give each a name of its own")
        }
        let done = currentCatalog.migrations
        for (position, name) in done.enumerated() {
            guard position < migrations.count else {
                throw DocIndexError(
                    .storeTooNew,
                    "the store has seen the migration \(name), which this program does not know; use a newer version")
            }
            guard migrations[position].name.hasSameBytes(as: name) else {
                throw DocIndexError(
                    .migrationFailed,
                    "migration \(position + 1) of the store is \(name), and the program has "
                        + "\(migrations[position].name) there; list all migrations in the order in which they were made"
                )
            }
        }
        if let running = currentCatalog.runningMigration,
            migrations.count <= done.count
                || !migrations[done.count].name.hasSameBytes(as: running)
        {
            throw DocIndexError(
                .migrationFailed, "the store is in the middle of the migration \(running); finish it first")
        }
    }

    /// Carries out a migration that has begun, and begins the next one with the same write that finishes it.
    private func run(
        _ migration: Migration, before next: Migration?, _ report: inout MigrationReport,
        _ progress: (MigrationProgress) throws -> Void
    ) throws {
        while true {
            if Task.isCancelled { throw CancellationError() }
            var slice = MigrationSlice(migration: migration, database: database)
            let step = try withWriter { state in
                try noteOtherStemmers()
                let catalog = currentCatalog
                guard let entry = catalog.collection(named: migration.collection) else {
                    return MigrationProgress?.none
                }
                let step = try slice.run(in: entry)
                let transaction = Transaction(database: database, catalog: catalog)
                defer { transaction.end() }
                for (id, content) in slice.changes {
                    if let content {
                        try transaction.put(content, in: entry.name)
                    } else {
                        try transaction.delete(id, in: entry.name)
                    }
                }
                var commit = Commit(database: database, catalog: catalog, state: state)
                let extra = (StoreKeyspace.migrationProgress(migration.name), slice.record)
                let changes = try commit.write(transaction.edits, durability: .buffered, with: [extra])
                if let change = changes.first { signal.commit(change.sequence) }
                return step
            }
            guard let step else { return }
            report.changedCount += slice.changes.count { $0.content != nil }
            report.deletedCount += slice.changes.count { $0.content == nil }
            let isDone = step.row >= step.lastRow
            if isDone {
                try finish(migration, before: next)
                report.names.append(migration.name)
            }
            try progress(step)
            if isDone { return }
        }
    }

    private func finish(_ migration: Migration, before next: Migration?) throws {
        try withWriter { state in
            var catalog = currentCatalog
            catalog.migrations.append(migration.name)
            catalog.runningMigration = nil
            let batch = WriteBatch()
            try batch.delete(StoreKeyspace.migrationProgress(migration.name))
            if let next { try note(next, in: &catalog, batch, state) }
            try save(catalog, with: batch)
        }
    }

    /// Notes that a migration has begun, unless it has before.
    private func begin(_ migration: Migration) throws {
        if currentCatalog.runningMigration != nil { return }
        try withWriter { state in
            var catalog = currentCatalog
            let batch = WriteBatch()
            try note(migration, in: &catalog, batch, state)
            try save(catalog, with: batch)
        }
    }

    /// Notes that a migration begins, and up to which document it goes.
    private func note(
        _ migration: Migration, in catalog: inout Catalog, _ batch: WriteBatch, _ state: WriterState
    ) throws {
        guard let entry = catalog.collection(named: migration.collection) else { return }
        let lastRow = try state.counters(entry.number, in: database).nextRow - 1
        try batch.put(
            MigrationSlice.record(row: 0, lastRow: lastRow), forKey: StoreKeyspace.migrationProgress(migration.name))
        catalog.runningMigration = migration.name
    }

    // MARK: - Checkpoints

    /// Takes the checkpoint of before a migration that has begun, unless it is there.
    ///
    /// The beginning is noted first, so that the checkpoint is found again when the migration goes on. Until it was told
    /// that it is one, it has the epoch of this store; afterwards it names that epoch as where it comes from.
    private func takeCheckpoint(at path: String, before migration: Migration) throws {
        let isUnderWay = try MigrationSlice.progress(of: migration, in: database).row > 0
        if try !Database.exists(at: path) { try database.checkpoint(to: path, tables: .linked) }
        let copy = try DocumentStore.open(at: path, schema: nil, options: Options(finishesSchemaChange: false))
        defer { try? copy.close() }
        let origin = Array(epoch.description.utf8)
        if try copy.marker(Self.checkpointMarker) == origin { return }
        guard copy.epoch == epoch else {
            throw DocIndexError(
                .migrationFailed,
                "the store at \(path) is no checkpoint that a migration of this store began with; name another directory "
                    + "for the checkpoint")
        }
        try copy.withWriter { _ in
            var catalog = copy.currentCatalog
            catalog.epoch = .new()
            let batch = WriteBatch()
            try batch.put(origin, forKey: StoreKeyspace.marker(Self.checkpointMarker))
            // Of a migration that was under way already when the checkpoint was asked for, it must know how far it was.
            if !isUnderWay {
                catalog.runningMigration = nil
                try batch.delete(StoreKeyspace.migrationProgress(migration.name))
            }
            try copy.save(catalog, with: batch)
        }
    }

    /// The marker of a checkpoint that was taken before a migration: the epoch of the store that is migrated.
    private static let checkpointMarker = "checkpoint before migration"

    /// Takes a checkpoint of the store, while it is read and written: a store of its own with everything that was
    /// written before the call, and with an epoch of its own.
    ///
    /// - Parameters: as of `Database.checkpoint(to:tables:)`.
    /// - Throws: `LevelError`.
    @discardableResult
    public func checkpoint(to path: String, tables: Checkpoint.Tables = .linked) throws -> CheckpointReport {
        let report = try database.checkpoint(to: path, tables: tables)
        let copy = try DocumentStore.open(at: path, schema: nil, options: Options(finishesSchemaChange: false))
        try copy.renewEpoch()
        try copy.close()
        return report
    }

    /// Gives the store a new epoch, so that followers of its copies notice.
    func renewEpoch() throws {
        try withWriter { _ in
            var catalog = currentCatalog
            catalog.epoch = .new()
            try save(catalog)
        }
    }

    /// Puts a checkpoint in the place of a store, which is kept beside it. Neither may be open.
    ///
    /// - Parameters:
    ///   - path: the directory of the store.
    ///   - checkpoint: the directory of the checkpoint; it is gone afterwards.
    /// - Returns: where the store that was there is kept now; `nil` if there was none.
    /// - Throws: `LevelError`: `locked` if one of them is open; `databaseNotFound`; `io`.
    @discardableResult
    public static func restore(at path: String, from checkpoint: String) throws -> String? {
        let store = try DocumentStore.open(at: checkpoint, options: Options(finishesSchemaChange: false))
        try store.renewEpoch()
        try store.close()
        return try Database.replace(at: path, with: checkpoint)
    }
}
