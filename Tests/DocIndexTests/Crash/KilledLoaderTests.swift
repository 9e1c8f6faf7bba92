import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// A process is repeatedly killed while it writes documents, builds indexes and migrates.
@Suite struct KilledLoaderTests {
    private static let options = DocumentStore.Options(finishesSchemaChange: false)

    @Test func `After a kill, acknowledged commits are present, and builds and migrations resume`() throws {
        var random = TestRun.random(stream: 61)
        var (midBuildCount, midMigrationCount) = (0, 0)
        // The number of kills after which there were segments not yet in effect, and after which merges were.
        var (midSegmentCount, mergedCount) = (0, 0)
        var expected = LoaderHistory.State()
        var migrationCount = 0
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            for round in 0..<TestRun.rounds(12, long: 300) {
                let delay = random.number(below: 300_000)
                let description = "round \(round), after \(delay) microseconds; \(TestRun.repetition)"
                let process = try LoaderProcess([path, "\(migrationCount)"], printingTo: directory + "/printed")
                // A third of the delays count from the start of the process, a third from its first line, and a third
                // from the start of a migration, after which the next indexes are built.
                let awaited = [nil, "", "migration"][round % 3]
                let deadline = ContinuousClock.now + .seconds(30)
                while let awaited, try !process.hasPrinted(awaited), ContinuousClock.now < deadline { usleep(1000) }
                usleep(UInt32(delay))
                process.kill()
                let end = process.wait()
                let printed = try process.printed()
                // Any other reason means that the process did not end by the test's signal.
                #expect(end.reason == .uncaughtSignal && end.status == SIGKILL, "\(description): \(printed.rest)")
                #expect(printed.failures.isEmpty && printed.rest.isEmpty, "\(description): \(printed)")
                migrationCount = max(migrationCount, printed.migrationCount)
                guard let store = try Self.openUnlessUnmade(path) else { continue }
                try expectSound(store)
                let segments = try Self.segments(of: store)
                if segments.isUnfinished { midSegmentCount += 1 }
                if segments.hasGaps { mergedCount += 1 }
                let state = try LoaderHistory.State(of: store)
                let least = max(printed.lastCommit, expected.commitCount)
                // One commit may have been written but not acknowledged.
                #expect((least...least + 1).contains(state.commitCount), "\(description)")
                while expected.commitCount < state.commitCount { expected.advance() }
                #expect(state == expected, "\(description)")
                if round % 4 == 3 {
                    let isBuilding = try Self.finish(store, migrationCount: migrationCount)
                    if isBuilding { midBuildCount += 1 }
                    #expect(try LoaderHistory.State(of: store) == expected, "\(description)")
                } else if try Self.isMigrating(store, migrationCount: migrationCount) {
                    midMigrationCount += 1
                }
                try store.close()
            }
        }
        print(
            "\(expected.commitCount) commits, \(migrationCount) migrations; of the kills, \(midBuildCount) of every "
                + "fourth fell into a build, \(midMigrationCount) of the others into a migration; "
                + "\(midSegmentCount) left a segment unfinished or undeleted, \(mergedCount) came after merges")
        #expect(expected.commitCount > 0)
        if TestRun.isLong { #expect(midBuildCount > 0 && midMigrationCount > 0) }
    }

    @Test func `After a kill during segment writes and merges, segments agree with the documents`() throws {
        var random = TestRun.random(stream: 94)
        var (unfinishedCount, mergedCount) = (0, 0)
        var expected = LoaderHistory.State()
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            for round in 0..<TestRun.rounds(8, long: 400) {
                let delay = random.number(below: 250_000)
                let process = try LoaderProcess([path, "texts"], printingTo: directory + "/printed")
                let deadline = ContinuousClock.now + .seconds(30)
                while try !process.hasPrinted(""), ContinuousClock.now < deadline { usleep(1000) }
                usleep(UInt32(delay))
                process.kill()
                _ = process.wait()
                let printed = try process.printed()
                let comment: Comment = "round \(round), \(TestRun.repetition): \(printed.failures) \(printed.rest)"
                #expect(printed.failures.isEmpty && printed.rest.isEmpty, comment)
                let store = try DocumentStore.open(at: path)
                try expectSound(store)
                let segments = try Self.segments(of: store)
                if segments.isUnfinished { unfinishedCount += 1 }
                if segments.hasGaps { mergedCount += 1 }
                let state = try LoaderHistory.State(of: store)
                let least = max(printed.lastCommit, expected.commitCount)
                #expect((least...least + 1).contains(state.commitCount), comment)
                while expected.commitCount < state.commitCount { expected.advance() }
                #expect(state == expected, comment)
                // The index finds what the documents contain.
                let photos = try store.collection("photos")
                for word in ["fog", "bridge"] {
                    let ids = Set(try photos.search(word, limit: nil).map(\.document.id))
                    let wanted = state.photos.filter { photo in
                        ["caption", "title"].contains { name in
                            photo.value[name]?.stringValue?.split(separator: " ").contains(Substring(word)) == true
                        }
                    }
                    #expect(ids == Set(wanted.keys), comment)
                }
                try store.close()
            }
        }
        print(
            "\(expected.commitCount) commits; \(unfinishedCount) kills left a segment unfinished or undeleted, "
                + "\(mergedCount) came after merges")
        #expect(mergedCount > 0)
    }

    /// Returns whether there are segment keys that the structure of a text index does not name, and whether segments
    /// were merged, which leaves gaps in the segment numbers.
    private static func segments(of store: DocumentStore) throws -> (isUnfinished: Bool, hasGaps: Bool) {
        var result = (isUnfinished: false, hasGaps: false)
        for entry in store.currentCatalog.collections.flatMap(\.indexes) where entry.definition.kind == .text {
            let structure = try TextStructure.read(entry.number, name: "text", in: store.database)
            let numbers = Set(structure.segments.map(\.number))
            if numbers.count + 1 < Int(structure.nextSegment) { result.hasGaps = true }
            for number in 1..<structure.nextSegment + 8 where !numbers.contains(number) {
                let prefix = TextIndexKey.terms.segment(entry.number, number)
                var cursor = try store.database.cursor(in: .prefix(prefix), cache: .bypass)
                if try cursor.advance() { result.isUnfinished = true }
            }
        }
        return result
    }

    /// Opens a store; returns `nil` if the process was killed before it had created one.
    private static func openUnlessUnmade(_ path: String) throws -> DocumentStore? {
        do {
            return try DocumentStore.open(at: path, options: options)
        } catch let error as DocIndexError where error.code == .notADocumentStore {
            return nil
        } catch let error as LevelError where error.code == .databaseNotFound {
            return nil
        }
    }

    /// Returns whether a migration was started and not finished, in which case another one is rejected.
    private static func isMigrating(_ store: DocumentStore, migrationCount: Int) throws -> Bool {
        guard migrationCount > 0 else { return false }
        do {
            try store.migrate(LoaderHistory.migrations(migrationCount - 1))
            return false
        } catch let error as DocIndexError where error.code == .migrationFailed {
            return true
        } catch let error as DocIndexError where error.code == .storeTooNew {
            return false
        }
    }

    /// Finishes what the process started.
    ///
    /// - Returns: Whether indexes were being built.
    private static func finish(_ store: DocumentStore, migrationCount: Int) throws -> Bool {
        var isBuilding = false
        try store.finishSchemaChange { _ in isBuilding = true }
        try expectSound(store)
        let migrations = LoaderHistory.migrations(migrationCount)
        try store.migrate(migrations)
        try expectSound(store)
        #expect(try store.migrate(migrations).names.isEmpty)
        return isBuilding
    }
}
