import DocIndex
import LevelKit
import TestSupport
import Testing

/// Attachments that are stored together.
@Suite struct ContentGroupTests {
    private static let sizes = [0, 10, 32 << 10, (32 << 10) + 1, 100_000, 700_000]

    private static func received(_ bytes: [UInt8], for store: DocumentStore) throws -> NewContent {
        var content = try NewContent(for: store, type: "image/jpeg", name: "a.jpg", byteCount: 0)
        try content.append(bytes)
        return content
    }

    private static func withStore(_ body: (DocumentStore) throws -> Void) throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { try body($0) }
    }

    @Test func `Attachments of all sizes are stored together, each once`() throws {
        try Self.withStore { store in
            let all = (Self.sizes + Self.sizes).enumerated().map { index, size in
                AttachedPhotos.bytes(size, seed: UInt64(index % Self.sizes.count))
            }
            let before = try store.attachments.add(all[3])
            let added = try store.attachments.add(try all.map { try Self.received($0, for: store) })
            #expect(added.count == all.count)
            #expect(added[3].digest == before.digest)
            for (attachment, bytes) in zip(added, all) {
                #expect(attachment.byteCount == bytes.count && attachment.type == "image/jpeg")
                #expect(try store.attachments.bytes(of: attachment) == bytes)
            }
            #expect(try store.attachments.census().count == Self.sizes.count)
            // Again, with all of them known.
            let again = try store.attachments.add(try all.map { try Self.received($0, for: store) })
            #expect(again == added)
            #expect(try store.attachments.census().count == Self.sizes.count)
            #expect(try AttachmentHistory.leftovers(in: store) == [])
        }
    }

    @Test func `An attachment that was damaged is repaired in a group`() throws {
        try Self.withStore { store in
            let bytes = (0..<3).map { AttachedPhotos.bytes(50_000, seed: UInt64($0)) }
            let added = try store.attachments.add(try bytes.map { try Self.received($0, for: store) })
            let name = added[1].digest.description
            let path = "\(store.path)/attachments/\(name.prefix(2))/\(name)"
            try TestFiles.write([1, 2, 3], to: path)
            #expect(throws: DocIndexError.self) { try store.attachments.check(added[1].digest) }
            _ = try store.attachments.add(try bytes.map { try Self.received($0, for: store) })
            for attachment in added { try store.attachments.check(attachment.digest) }
        }
    }

    @Test func `Attachments that many tasks add at the same time are all stored, and each task can refer to its own`()
        async throws
    {
        try await within {
            try await withTemporaryPath { path in
                let store = try DocumentStore.open(at: path + "/s", schema: AttachedPhotos.schema)
                let queue = ContentQueue(of: store)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<40 {
                        group.addTask {
                            let all = (0..<3).map { number in
                                AttachedPhotos.bytes(number == 0 ? 100 : 40_000, seed: UInt64(task / 2 * 3 + number))
                            }
                            let added = try await queue.add(try all.map { try Self.received($0, for: store) })
                            for (attachment, bytes) in zip(added, all) {
                                #expect(try store.attachments.bytes(of: attachment) == bytes)
                            }
                            try store.collection("photos").put([
                                "id": .int(Int64(task)), "all": .array(added.map { .attachment($0) }),
                            ])
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try store.attachments.census().count == 60)
                try expectSound(store)
                try store.close()
            }
        }
    }

    @Test func `A canceled task adds nothing`() async throws {
        try await within {
            try await withTemporaryPath { path in
                let store = try DocumentStore.open(at: path + "/s", schema: AttachedPhotos.schema)
                let queue = ContentQueue(of: store)
                let content = try Self.received(AttachedPhotos.bytes(50_000, seed: 1), for: store)
                let task = Task(executorPreference: OwnThreads.shared) {
                    while !Task.isCancelled { await Task.yield() }
                    return try await queue.add([content])
                }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(try store.attachments.census().count == 0)
                try expectSound(store)
                try store.close()
            }
        }
    }
}
