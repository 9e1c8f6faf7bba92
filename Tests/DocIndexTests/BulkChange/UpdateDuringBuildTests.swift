import Foundation
import TestSupport
import Testing

@testable import DocIndex

/// Updates of many documents while another thread builds indexes.
@Suite struct UpdateDuringBuildTests {
    /// Updates that decode a part of each document: members that indexes contain now, later, or never.
    private static let updates: [(condition: String, assignments: String)] = [
        ("place = Rome", "year += 1"), ("year < 1910", "place = Bath, title = rain"), ("tags has fog", "tags += sea"),
        ("", "rating = 5"), ("year >= 1915", "REMOVE caption"), ("place = Bath", "caption = sea"),
        ("title = sea", "REMOVE tags, year = 1907"), ("rating = 5", "place ?= Oslo, title = snow"),
    ]

    /// Options for several commits, some of them before the row that a build has reached, and some after it.
    private static func options(commitByteCount: Int) -> BulkChange.Options {
        var options = BulkChange.Options()
        options.commitByteCount = commitByteCount
        options.splitting = .always
        return options
    }

    /// Runs `body` on another thread and waits for it.
    private static func onAnotherThread(_ body: @escaping @Sendable () throws -> Void) {
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do { try body() } catch { Issue.record("the update failed: \(error)") }
            end.signal()
        }
        if end.wait(timeout: .now() + 600) == .timedOut { Issue.record("the update waits for the build") }
    }

    @Test func `An update of many documents during a build changes the entries of all indexes`() throws {
        try withTemporaryStore(schema: OnlineBuildTests.old) { store in
            try OnlineBuildTests.fill(store)
            let photos = try store.collection("photos")
            var (number, partialCount) = (0, 0)
            for schema in [OnlineBuildTests.new, OnlineBuildTests.other, OnlineBuildTests.old] {
                try store.apply(schema) { _ in
                    let (condition, assignments) = Self.updates[number % Self.updates.count]
                    number += 1
                    let filter = condition.isEmpty ? Filter.all : try Filter(parsing: condition)
                    let update = try DocumentUpdate(parsing: assignments)
                    let entry = try #require(store.loadedCatalog.collection(named: "photos"))
                    if PartialUpdate(update, in: entry) != nil, entry.indexes.contains(where: \.isBuilding) {
                        partialCount += 1
                    }
                    Self.onAnotherThread {
                        let options = Self.options(commitByteCount: 4000)
                        let changed = try photos.update(where: filter, update, options: options)
                        if changed.matchedCount == 0 { Issue.record("\(condition) matches nothing") }
                    }
                    try expectSound(store)
                    try OnlineBuildTests.expectRightAnswers(photos)
                }
                try expectSound(store)
                try OnlineBuildTests.expectRightAnswers(photos)
            }
            #expect(partialCount > 8, "\(partialCount)")
        }
    }

    @Test func `Updates and a build at the same time leave correct entries`() async throws {
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: OnlineBuildTests.old)
        try OnlineBuildTests.fill(store, count: 600)
        let photos = try store.collection("photos")
        try await within {
            let builder = Task(executorPreference: OwnThreads.shared) {
                for _ in 0..<TestRun.rounds(2, long: 50) {
                    for schema in [OnlineBuildTests.new, OnlineBuildTests.other, OnlineBuildTests.old] {
                        try store.apply(schema)
                    }
                }
            }
            for _ in 0..<TestRun.rounds(3, long: 80) {
                for (condition, assignments) in Self.updates {
                    let filter = condition.isEmpty ? Filter.all : try Filter(parsing: condition)
                    let options = Self.options(commitByteCount: 20_000)
                    try photos.update(where: filter, try DocumentUpdate(parsing: assignments), options: options)
                }
            }
            try await builder.value
        }
        try expectSound(store)
        try OnlineBuildTests.expectRightAnswers(photos)
        try store.close()
    }
}
