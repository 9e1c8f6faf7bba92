import DocIndex
import LevelKit
import Synchronization
import TestSupport
import Testing

@testable import Renditions

@Suite struct `The folder of renditions` {
    /// A clock that tests move.
    final class Clock: Sendable {
        let time = Mutex<UInt64>(1_000_000_000_000)
        func advance(by milliseconds: UInt64) { time.withLock { $0 += milliseconds } }
    }

    private static func folder(
        _ path: String, mode: Database.Mode = .readWrite, limit: Int64 = 1 << 30, clock: Clock = Clock()
    ) -> RenditionFolder {
        RenditionFolder(of: path, mode: mode, limits: { _ in limit }, clock: { clock.time.withLock { $0 } })
    }

    static func key(_ number: Int, _ specification: RenditionSpecification = .thumbnail) throws -> RenditionKey {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4)) &+ $0 / 4) }
        let digest = DocIndex.Attachment.Digest(bytes.span)
        return RenditionKey(try #require(digest), specification)
    }

    static func rendition(_ key: RenditionKey, byteCount: Int, seed: UInt64) -> Rendition {
        Rendition(
            bytes: AttachedPhotos.bytes(byteCount, seed: seed), width: 20, height: 10,
            specification: key.specification)
    }

    @Test func `A stored rendition is returned, whatever its size, even after reopening`() throws {
        try withTemporaryDirectory { path in
            let folder = Self.folder(path)
            var stored: [RenditionKey: Rendition] = [:]
            for (number, byteCount) in [0, 1, 10_000, 32 << 10, (32 << 10) + 1, 400_000].enumerated() {
                for specification in [RenditionSpecification.thumbnail, .preview, .full] {
                    let key = try Self.key(number, specification)
                    let rendition = Self.rendition(key, byteCount: byteCount, seed: UInt64(number))
                    #expect(folder.rendition(key) == nil)
                    #expect(!folder.contains(key))
                    folder.store(rendition, key)
                    stored[key] = rendition
                }
            }
            for (key, rendition) in stored { #expect(folder.rendition(key) == rendition) }
            #expect(folder.totals().map(\.name) == ["full", "preview", "thumbnail"])
            #expect(folder.totals().allSatisfy { $0.totals.count == 6 && $0.totals.byteCount == 475_538 })
            folder.close()
            for (key, rendition) in stored {
                #expect(folder.contains(key))
                #expect(folder.rendition(key) == rendition)
            }
            // Replaced, removed.
            let key = try Self.key(5, .preview)
            let other = Self.rendition(key, byteCount: 7, seed: 77)
            folder.store(other, key)
            #expect(folder.rendition(key) == other)
            folder.remove(key)
            #expect(folder.rendition(key) == nil)
            #expect(folder.totals().first { $0.name == "preview" }?.totals.byteCount == 75_538)
        }
    }

    @Test func `A rendition of a different size or quality under the same name is not returned`() throws {
        try withTemporaryDirectory { path in
            let folder = Self.folder(path)
            let small = try #require(RenditionSpecification(name: "grid", longEdge: 100))
            let others = [
                try #require(RenditionSpecification(name: "grid", longEdge: 200)),
                try #require(RenditionSpecification(name: "grid", longEdge: 100, quality: 60)),
                try #require(RenditionSpecification(name: "grid", longEdge: nil)),
            ]
            let key = try Self.key(1, small)
            folder.store(Self.rendition(key, byteCount: 100, seed: 1), key)
            for other in others {
                #expect(folder.rendition(try Self.key(1, other)) == nil)
                let new = Self.rendition(try Self.key(1, other), byteCount: 50_000, seed: 2)
                folder.store(new, try Self.key(1, other))
                #expect(folder.rendition(try Self.key(1, other)) == new)
                #expect(folder.rendition(key) == nil)
                #expect(folder.totals().map(\.totals.count) == [1])
            }
        }
    }

    @Test func `The least recently used renditions are deleted beyond the limit`() throws {
        try withTemporaryDirectory { path in
            let clock = Clock()
            let folder = Self.folder(path, limit: 100_000, clock: clock)
            // Small ones in the database, and large ones in files.
            for number in 0..<10 {
                let key = try Self.key(number)
                folder.store(Self.rendition(key, byteCount: number % 2 == 0 ? 10_000 : 33_000, seed: 1), key)
                clock.advance(by: 1000)
            }
            func kept() throws -> [Int] { try (0..<11).filter { folder.contains(try Self.key($0)) } }
            // 33 + 10 + 33 + 10 are kept, since another 33 would not fit.
            #expect(try kept() == [6, 7, 8, 9] && folder.evictedCount.load(ordering: .relaxed) == 6)
            // Used after more than an hour, 6 becomes the most recently used one.
            clock.advance(by: 3_600_001)
            #expect(folder.rendition(try Self.key(6)) != nil)
            clock.advance(by: 1000)
            let last = try Self.key(10)
            folder.store(Self.rendition(last, byteCount: 30_000, seed: 2), last)
            #expect(try kept() == [6, 8, 9, 10])
            #expect(folder.totals().map(\.totals.byteCount) == [83_000])
            #expect(try Self.files(in: path).count == 1)
        }
    }

    @Test func `A rendition larger than the limit is deleted again`() throws {
        try withTemporaryDirectory { path in
            let folder = Self.folder(path, limit: 1000)
            let key = try Self.key(1)
            folder.store(Self.rendition(key, byteCount: 2000, seed: 1), key)
            #expect(folder.rendition(key) == nil)
            #expect(folder.totals().isEmpty)
        }
    }

    /// The paths of the renditions in files.
    private static func files(in path: String) throws -> [String] {
        try TestFiles.paths(below: path + "/renditions").filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".new") }
    }

    @Test func `The folder can be deleted while it is used`() throws {
        try withTemporaryDirectory { path in
            let folder = Self.folder(path)
            for round in 0..<5 {
                let keys = try [Self.key(round), Self.key(round, .preview)]
                for (key, byteCount) in zip(keys, [1000, 50_000]) {
                    let rendition = Self.rendition(key, byteCount: byteCount, seed: UInt64(round))
                    folder.store(rendition, key)
                    #expect(folder.rendition(key) == rendition)
                }
                if round % 2 == 0 {
                    try TestFiles.remove(path + "/renditions")
                } else {
                    folder.removeAll()
                    #expect(try TestFiles.names(in: path).isEmpty)
                }
                for key in keys { #expect(folder.rendition(key) == nil) }
            }
        }
    }

    @Test func `Any damage to the folder gives the stored rendition or none, and it can be stored again`() throws {
        var random = TestRun.random(stream: 811)
        try withTemporaryDirectory { parent in
            let original = parent + "/original"
            try TestFiles.makeDirectory(original)
            var stored: [RenditionKey: Rendition] = [:]
            let first = Self.folder(original)
            for number in 0..<8 {
                let key = try Self.key(number, number % 2 == 0 ? .thumbnail : .preview)
                let rendition = Self.rendition(key, byteCount: number % 2 == 0 ? 3000 : 40_000, seed: UInt64(number))
                first.store(rendition, key)
                stored[key] = rendition
                // Tables as well as logs.
                if number == 4 { first.close() }
            }
            first.close()
            var lost = 0
            for round in 0..<TestRun.rounds(60, long: 1000) {
                let path = "\(parent)/\(round)"
                try TestFiles.copy(original, to: path)
                let files = try TestFiles.paths(below: path).filter { !$0.hasSuffix("LOCK") }
                for _ in 0...random.number(below: 3) {
                    let file = random.pick(files)
                    guard var bytes = try? TestFiles.bytes(of: file) else { continue }
                    switch random.number(below: 4) {
                    case 0: try? TestFiles.remove(file)
                    case 1: try TestFiles.write(bytes.prefix(random.number(below: bytes.count + 1)), to: file)
                    case 2: try TestFiles.write(AttachedPhotos.bytes(300, seed: random.next()), to: file)
                    default:
                        guard !bytes.isEmpty else { continue }
                        bytes[random.number(below: bytes.count)] ^= 1 << UInt8(random.number(below: 8))
                        try TestFiles.write(bytes, to: file)
                    }
                }
                let folder = Self.folder(path)
                for (key, rendition) in stored {
                    let found = folder.rendition(key)
                    #expect(found == nil || found == rendition, "\(TestRun.repetition)")
                    if found == nil { lost += 1 }
                }
                for (key, rendition) in stored {
                    folder.store(rendition, key)
                    #expect(folder.rendition(key) == rendition, "\(TestRun.repetition)")
                }
                folder.close()
                try TestFiles.remove(path)
            }
            #expect(lost > 0)
        }
    }

    @Test func `Only one of two users of a folder writes, and the other one does not fail`() throws {
        try withTemporaryDirectory { path in
            let first = Self.folder(path)
            let key = try Self.key(1)
            let rendition = Self.rendition(key, byteCount: 100, seed: 1)
            first.store(rendition, key)
            let second = Self.folder(path)
            #expect(second.rendition(key) == nil)
            second.store(rendition, try Self.key(2))
            #expect(first.rendition(key) == rendition)
            #expect(first.rendition(try Self.key(2)) == nil)
            // Everyone can count.
            #expect(second.totals().map(\.totals.byteCount) == [100])
        }
    }

    @Test func `Opened for reading, the folder is not changed`() throws {
        try withTemporaryDirectory { path in
            let none = Self.folder(path, mode: .readOnly)
            let key = try Self.key(1, .preview)
            let rendition = Self.rendition(key, byteCount: 50_000, seed: 1)
            none.store(rendition, key)
            #expect(none.rendition(key) == nil)
            #expect(try TestFiles.names(in: path).isEmpty)
            let writer = Self.folder(path)
            writer.store(rendition, key)
            let state = try DirectoryState(path)
            let reader = Self.folder(path, mode: .readOnly)
            #expect(reader.rendition(key) == rendition)
            reader.remove(key)
            reader.removeAll()
            #expect(reader.rendition(key) == rendition)
            #expect(try DirectoryState(path).difference(from: state).isEmpty)
        }
    }

    @Test func `The renditions of originals that no longer exist are deleted`() throws {
        try withTemporaryDirectory { path in
            let folder = Self.folder(path)
            for number in 0..<6 {
                for specification in [RenditionSpecification.thumbnail, .preview] {
                    let key = try Self.key(number, specification)
                    folder.store(Self.rendition(key, byteCount: number % 2 == 0 ? 900 : 40_000, seed: 1), key)
                }
            }
            let kept = try Set([1, 4].map { try Self.key($0).digest })
            #expect(folder.removeAll(except: kept) == 8 && folder.removeAll(except: kept) == 0)
            for number in 0..<6 {
                #expect(folder.contains(try Self.key(number, .preview)) == [1, 4].contains(number))
            }
            #expect(folder.totals().map(\.totals.count) == [2, 2])
            #expect(folder.totals().map(\.totals.byteCount) == [40_900, 40_900])
            #expect(try Self.files(in: path).count == 2)
        }
    }

    @Test func `A link in place of the folder is not followed`() throws {
        try withTemporaryDirectory { path in
            try TestFiles.makeDirectory(path + "/elsewhere")
            try TestFiles.makeDirectory(path + "/store")
            try TestFiles.makeLink(path + "/store/renditions", to: path + "/elsewhere")
            let folder = Self.folder(path + "/store")
            let key = try Self.key(1, .preview)
            folder.store(Self.rendition(key, byteCount: 50_000, seed: 1), key)
            #expect(folder.rendition(key) == nil)
            folder.removeAll()
            #expect(try TestFiles.names(in: path + "/elsewhere").isEmpty)
            // Nor to read another store's renditions.
            let other = Self.folder(path + "/other")
            try TestFiles.makeDirectory(path + "/other")
            other.store(Self.rendition(key, byteCount: 50_000, seed: 1), key)
            other.close()
            #expect(other.totals().count == 1)
            try TestFiles.remove(path + "/store/renditions")
            try TestFiles.makeLink(path + "/store/renditions", to: path + "/other/renditions")
            #expect(folder.totals().isEmpty && folder.rendition(key) == nil)
        }
    }

    @Test func `Random operations agree with a model`() throws {
        var random = TestRun.random(stream: 812)
        try withTemporaryDirectory { path in
            let clock = Clock()
            let folder = Self.folder(path, limit: 120_000, clock: clock)
            var model: [RenditionKey: Rendition] = [:]
            for round in 0..<TestRun.rounds(400, long: 10_000) {
                let key = try Self.key(random.number(below: 12), random.pick([.thumbnail, .preview]))
                clock.advance(by: UInt64(random.number(below: 4_000_000)))
                switch random.number(below: 20) {
                case 0: folder.close()
                case 1:
                    folder.removeAll()
                    model = [:]
                case 2:
                    folder.remove(key)
                    model[key] = nil
                case 3..<12:
                    let byteCount = random.pick([10, 5000, 32 << 10, 40_000])
                    let rendition = Self.rendition(key, byteCount: byteCount, seed: UInt64(round))
                    folder.store(rendition, key)
                    model[key] = rendition
                    #expect(folder.rendition(key) == rendition)
                default:
                    let found = folder.rendition(key)
                    #expect(found == nil || found == model[key], "\(TestRun.repetition)")
                }
                for totals in folder.totals() { #expect(totals.totals.byteCount <= 120_000) }
            }
            // The totals are those of what is there.
            for totals in folder.totals() {
                let there = try (0..<12).flatMap { try [Self.key($0), Self.key($0, .preview)] }
                    .filter { $0.specification.name == totals.name }.compactMap { folder.rendition($0) }
                #expect(totals.totals.count == UInt64(there.count))
                #expect(totals.totals.byteCount == there.reduce(0) { $0 + Int64($1.bytes.count) })
            }
        }
    }
}
