import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// What a store records about its migrations, and its state before them.
@Suite struct MigrationHistoryTests {
    private static let first = MigrationTests.starsBecomeRating
    private static let second = MigrationTests.titlesGrow

    private static func message(_ code: DocIndexError.Code, _ body: () throws -> Void) -> String? {
        expectFailure(code) { try body() }?.message
    }

    // MARK: - The list

    @Test func `A store with a migration unknown to the program is too new`() throws {
        try withTemporaryStore(schema: MigrationTests.schema) { store in
            try store.migrate([Self.first, Self.second])
            #expect(
                Self.message(.storeTooNew) { try store.migrate([Self.first]) }
                    == "the store has run the migration titles grow, which this program does not know; use a newer "
                    + "version")
        }
    }

    @Test func `Completed migrations keep their order`() throws {
        try withTemporaryStore(schema: MigrationTests.schema) { store in
            try store.migrate([Self.first, Self.second])
            for list in [[Self.second, Self.first], [MigrationTests.unratedGo, Self.second]] {
                #expect(
                    Self.message(.migrationFailed) { try store.migrate(list) }
                        == "migration 1 of the store is stars become rating, and the program has \(list[0].name) "
                        + "there; list all migrations in the order in which they were made")
            }
            // New migrations may follow them.
            #expect(try store.migrate(MigrationTests.all).names == ["unrated go"])
        }
    }

    @Test func `Migration names are unique, and each migration's collection exists`() throws {
        try withTemporaryStore(schema: MigrationTests.schema) { store in
            #expect(
                Self.message(.migrationFailed) { try store.migrate([Self.first, Self.first]) }
                    == "two migrations have the same name; give each a name of its own")
            // Nothing starts if a later migration is invalid.
            expectFailure(.unknownCollection, containing: "films") {
                try store.migrate([Self.first, Migration("films", of: "films") { $0 }])
            }
            let report = try store.migrate([Self.second])
            #expect(report.names == ["titles grow"])
        }
    }

    @Test func `No other migration starts before an unfinished one is finished`() throws {
        try withTemporaryStore(schema: MigrationTests.schema) { store in
            try MigrationTests.fill(store)
            try MigrationTests.begin([Self.first], of: store, slices: 2)
            for list in [[], [Self.second], [Self.second, Self.first]] {
                #expect(
                    Self.message(.migrationFailed) { try store.migrate(list) }
                        == "the store is in the middle of the migration stars become rating; finish it first")
            }
            #expect(try store.migrate([Self.first, Self.second]).names.count == 2)
        }
    }

    // MARK: - Checkpoints

    @Test func `A checkpoint contains the state before migration, is reused, and restores everything`() throws {
        try withTemporaryDirectory { directory in
            let (path, checkpoint) = (directory + "/s", directory + "/before")
            let store = try DocumentStore.open(at: path, schema: MigrationTests.schema)
            try MigrationTests.fill(store)
            let before = try StoreContent(of: store)
            let (epoch, sequence) = (store.epoch, try store.sequence())
            for slices in [1, 3] {
                // The second time, it fails in the second migration and is also found there.
                try MigrationTests.begin([Self.first, Self.second], of: store, slices: slices, checkpoint: checkpoint)
            }
            let report = try store.migrate([Self.first, Self.second], checkpoint: checkpoint)
            #expect(report.checkpointPath == checkpoint)
            #expect(store.epoch == epoch)
            let after = try StoreContent(of: store)
            try store.close()

            let kept = try #require(try DocumentStore.restore(at: path, from: checkpoint))
            let restored = try DocumentStore.open(at: path)
            try expectSound(restored)
            #expect(try StoreContent(of: restored) == before)
            #expect(try restored.sequence() == sequence)
            #expect(restored.epoch != epoch)
            expectFailure(.epochChanged) { try restored.changes(since: sequence, epoch: epoch) }
            // It contains no migration.
            try restored.migrate([Self.first, Self.second])
            #expect(
                try StoreContent(of: restored).documents.map { $0.map(\.content) }
                    == after.documents.map { $0.map(\.content) })
            try expectSound(restored)
            try restored.close()
            let old = try DocumentStore.open(at: kept)
            #expect(try StoreContent(of: old) == after)
            try old.close()
        }
    }

    @Test func `A checkpoint taken by an interrupted call is reused by the next call`() throws {
        try withTemporaryDirectory { directory in
            let checkpoint = directory + "/before"
            let store = try DocumentStore.open(at: directory + "/s", schema: MigrationTests.schema)
            try MigrationTests.fill(store)
            let before = try StoreContent(of: store)
            // The state after a process was killed when the copy existed and no document had changed.
            var catalog = store.currentCatalog
            catalog.runningMigration = Self.first.name
            let batch = WriteBatch()
            try batch.put(
                MigrationSlice.Position(row: 0, lastRow: 1000).encoded,
                forKey: StoreKey.migrationProgress(Self.first.name))
            try store.save(catalog, with: batch)
            try store.database.checkpoint(to: checkpoint)
            try store.migrate([Self.first], checkpoint: checkpoint)
            try expectSound(store)
            let copy = try DocumentStore.open(at: checkpoint)
            #expect(copy.epoch != store.epoch)
            #expect(try StoreContent(of: copy) == before)
            #expect(copy.currentCatalog.runningMigration == nil)
            try expectSound(copy)
            try copy.close()
            try store.close()
        }
    }

    @Test func `A store that is not a checkpoint of this one is never used as one, even on resume`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: MigrationTests.schema)
            try MigrationTests.fill(store)
            try DocumentStore.open(at: directory + "/other", schema: MigrationTests.schema).close()
            try store.checkpoint(to: directory + "/older")
            try MigrationTests.begin([Self.first], of: store, slices: 1)
            for other in ["other", "older"] {
                expectFailure(.migrationFailed, containing: "is not the checkpoint", "choose another directory") {
                    try store.migrate([Self.first], checkpoint: directory + "/" + other)
                }
            }
            // A checkpoint requested halfway shows that state, and is found again.
            for slices in [1, 2] {
                try MigrationTests.begin([Self.first], of: store, slices: slices, checkpoint: directory + "/middle")
            }
            try store.migrate([Self.first], checkpoint: directory + "/middle")
            try expectSound(store)
            let middle = try DocumentStore.open(at: directory + "/middle")
            #expect(middle.currentCatalog.runningMigration == Self.first.name)
            try middle.migrate([Self.first])
            #expect(try StoreContent(of: middle).documents == StoreContent(of: store).documents)
            try middle.close()
            try store.close()
        }
    }

    @Test func `A database at the checkpoint's path is never treated as the checkpoint`() throws {
        try withTemporaryStore(schema: MigrationTests.schema) { store in
            try MigrationTests.fill(store)
            try withTemporaryDirectory { directory in
                try store.checkpoint(to: directory + "/older")
                #expect(
                    Self.message(.migrationFailed) {
                        try store.migrate([Self.first], checkpoint: directory + "/older")
                    }
                        == "a database already exists at \(directory)/older; choose another directory"
                )
                #expect(try store.collection("photos").find("rating exists").isEmpty)
                // If there is nothing to migrate, no checkpoint is taken.
                try store.migrate([Self.first], checkpoint: directory + "/newer")
                let report = try store.migrate([Self.first], checkpoint: directory + "/newest")
                #expect(report.checkpointPath == nil)
                #expect(try TestFiles.names(in: directory) == ["newer", "older"])
            }
        }
    }
}
