public import LevelKit

extension DocumentStore {
    /// Runs the migrations that this store has not completed yet, in order.
    ///
    /// Documents are changed in slices. Each slice is one commit, which also records the progress of the migration. If
    /// the process is killed, the next call continues after the last slice, and no document is changed twice. Index
    /// entries are updated in the same commits. Documents that are inserted while a migration runs are not migrated.
    ///
    /// - Parameters:
    ///   - migrations: all migrations of the program, oldest first. A migration that any store has completed must not
    ///     be removed from the list.
    ///   - checkpoint: the directory for a checkpoint of the store before the migration; `nil` for none. It is created
    ///     once, before the first change, and reused when the migration continues. If it is first requested when the
    ///     migration is already in progress, it contains the state at that time. To go back, see ``restore(at:from:)``.
    ///   - progress: called between slices, and when a migration is complete; an error it throws suspends the work.
    /// - Throws: ``DocIndexError``: `storeTooNew` if the store has completed a migration that is not in the list;
    ///   `unknownCollection`; `migrationFailed` if the checkpoint directory contains another database, if a document
    ///   would lose data or a reference to an attachment that its migration does not declare as dropped, or if migrating the document again would
    ///   change it again. Nothing in that document's slice is changed then. Also throws what a migration throws.
    /// - Complexity: O(*n*) in the documents of the collections.
    @discardableResult
    public func migrate(
        _ migrations: [Migration], checkpoint: String? = nil, _ progress: (Migration.Progress) throws -> Void = { _ in }
    ) throws -> Migration.Report {
        try withMaintenance {
            try checkHistory(migrations)
            var report = Migration.Report()
            let pending = migrations.dropFirst(currentCatalog.migrations.count)
            guard !pending.isEmpty else { return report }
            for migration in pending { _ = try collection(migration.collection) }
            if let checkpoint, currentCatalog.runningMigration == nil, try Database.exists(at: checkpoint) {
                throw DocIndexError(
                    .migrationFailed,
                    "a database already exists at \(checkpoint); choose another directory")
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
                    "the store has run the migration \(name), which this program does not know; use a newer version")
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

    /// Runs a migration that has begun. The write that completes it also begins the next one.
    private func run(
        _ migration: Migration, before next: Migration?, _ report: inout Migration.Report,
        _ progress: (Migration.Progress) throws -> Void
    ) throws {
        while true {
            if Task.isCancelled { throw CancellationError() }
            var slice = MigrationSlice(migration: migration, database: database)
            let step = try withWriter { state in
                try noteOtherStemmers()
                let catalog = loadedCatalog
                guard let entry = catalog.collection(named: migration.collection) else {
                    return Migration.Progress?.none
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
                let extra = (StoreKey.migrationProgress(migration.name), slice.record)
                let changes = try commit.write(transaction.edits, durability: .buffered, with: [extra])
                if let change = changes.first { signal.commit(change.sequence) }
                return step
            }
            guard let step else { return }
            report.changedCount += slice.changes.count { $0.content != nil }
            report.deletedCount += slice.changes.count { $0.content == nil }
            let isDone = step.row >= step.lastRow
            if isDone {
                try requireAllReferences(of: migration)
                try finish(migration, before: next)
                report.names.append(migration.name)
            }
            try progress(step)
            if isDone { return }
        }
    }

    /// Throws if the documents that were processed have lost references to attachments, which the checks of each
    /// document should have prevented.
    private func requireAllReferences(of migration: Migration) throws {
        let position = try MigrationSlice.position(of: migration, in: database)
        guard position.before == position.after else {
            throw DocIndexError(
                .migrationFailed,
                "the migration \(migration.name) has lost references to attachments without declaring them, and "
                    + "is unfinished; restore the checkpoint, or a backup")
        }
    }

    private func finish(_ migration: Migration, before next: Migration?) throws {
        try withWriter { state in
            var catalog = currentCatalog
            catalog.migrations.append(migration.name)
            catalog.runningMigration = nil
            let batch = WriteBatch()
            try batch.delete(StoreKey.migrationProgress(migration.name))
            if let next { try note(next, in: &catalog, batch, state) }
            try save(catalog, with: batch)
        }
    }

    /// Records that a migration has begun, unless that is already recorded.
    private func begin(_ migration: Migration) throws {
        if currentCatalog.runningMigration != nil { return }
        try withWriter { state in
            var catalog = currentCatalog
            let batch = WriteBatch()
            try note(migration, in: &catalog, batch, state)
            try save(catalog, with: batch)
        }
    }

    /// Records that a migration begins, and the last row that it processes.
    private func note(
        _ migration: Migration, in catalog: inout Catalog, _ batch: WriteBatch, _ state: WriterState
    ) throws {
        guard let entry = catalog.collection(named: migration.collection) else { return }
        let lastRow = try state.counters(entry.number, in: database).nextRow - 1
        try batch.put(
            MigrationSlice.Position(row: 0, lastRow: lastRow).encoded,
            forKey: StoreKey.migrationProgress(migration.name))
        catalog.runningMigration = migration.name
    }

    // MARK: - Checkpoints

    /// Creates the checkpoint for a migration that has begun, unless it already exists.
    ///
    /// The beginning is recorded first, so that the checkpoint is recognized when the migration continues. A new
    /// checkpoint still has the epoch of this store. It then gets an epoch of its own, and a marker with the epoch of
    /// this store.
    private func takeCheckpoint(at path: String, before migration: Migration) throws {
        let isUnderWay = try MigrationSlice.position(of: migration, in: database).row > 0
        if try !Database.exists(at: path) { try database.checkpoint(to: path, tables: .linked) }
        let copy = try DocumentStore.open(at: path, schema: nil, options: Options(finishesSchemaChange: false))
        defer { try? copy.close() }
        let origin = Array(epoch.description.utf8)
        if try copy.marker(Self.checkpointMarker) == origin { return }
        guard copy.epoch == epoch else {
            throw DocIndexError(
                .migrationFailed,
                "the store at \(path) is not the checkpoint of a migration of this store; choose another directory "
                    + "for the checkpoint")
        }
        try copy.withWriter { state in
            var catalog = copy.currentCatalog
            catalog.epoch = .new()
            let batch = WriteBatch()
            try copy.showEverything(state, in: batch)
            try batch.put(origin, forKey: StoreKey.marker(Self.checkpointMarker))
            // If the migration was already in progress when the checkpoint was requested, the checkpoint keeps its
            // progress.
            if !isUnderWay {
                catalog.runningMigration = nil
                try batch.delete(StoreKey.migrationProgress(migration.name))
            }
            try copy.save(catalog, with: batch)
        }
    }

    /// The marker of a checkpoint taken before a migration. Its value is the epoch of the migrated store.
    private static let checkpointMarker = "checkpoint before migration"

    /// Creates a checkpoint of the store while it is in use. The checkpoint is a separate store that contains
    /// everything written before the call, and has its own epoch.
    ///
    /// - Parameters: those of `Database.checkpoint(to:tables:)`.
    /// - Throws: `LevelError`.
    @discardableResult
    public func checkpoint(to path: String, tables: Checkpoint.Tables = .linked) throws -> Checkpoint {
        let report = try database.checkpoint(to: path, tables: tables)
        let copy = try DocumentStore.open(at: path, schema: nil, options: Options(finishesSchemaChange: false))
        try copy.renewEpoch()
        try copy.close()
        return report
    }

    /// Gives the store a new epoch, so that followers notice that it is a copy.
    package func renewEpoch() throws {
        try withWriter { state in
            var catalog = currentCatalog
            catalog.epoch = .new()
            let batch = WriteBatch()
            try showEverything(state, in: batch)
            try save(catalog, with: batch)
        }
    }

    /// Replaces a store with a checkpoint, and keeps the old store under another name. Neither may be open.
    ///
    /// - Parameters:
    ///   - path: the directory of the store.
    ///   - checkpoint: the directory of the checkpoint, which is moved.
    /// - Returns: the path of the old store; `nil` if there was none.
    /// - Throws: `LevelError`: `locked` if one of them is open; `databaseNotFound`; `io`.
    @discardableResult
    public static func restore(at path: String, from checkpoint: String) throws -> String? {
        let store = try DocumentStore.open(at: checkpoint, options: Options(finishesSchemaChange: false))
        try store.renewEpoch()
        try store.close()
        return try Database.replace(at: path, with: checkpoint)
    }
}
