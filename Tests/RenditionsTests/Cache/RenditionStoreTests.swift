import DocIndex
import Foundation
import LevelKit
import Pictures
import Synchronization
import TestSupport
import Testing

@testable import Renditions

/// A renderer that counts what it is asked for.
private final class CountingRenderer: Renderer {
    private let counts = Mutex<[Int: Int]>([:])
    var total: Int { counts.withLock { $0.values.reduce(0, +) } }

    func render(
        _ picture: Picture, as specification: RenditionSpecification, limits: RenderingLimits
    ) throws(RenditionError) -> Rendition? {
        counts.withLock { $0[specification.longEdge ?? 0, default: 0] += 1 }
        for renderer in RendererChain.standardRenderers.dropLast() {
            if let made = try renderer.render(picture, as: specification, limits: limits) { return made }
        }
        return nil
    }
}

#if !canImport(ImageIO)
    @Suite struct `Renditions of a store` {
        private static let small = RenditionSpecification(name: "small", longEdge: 16) ?? .thumbnail
        private static let medium = RenditionSpecification(name: "medium", longEdge: 40) ?? .preview

        /// A store with pictures of 64 × 48 pixels, which all differ.
        private static func withPictures(
            _ count: Int, _ body: @escaping @Sendable (DocumentStore, [DocIndex.Attachment]) async throws -> Void
        ) async throws {
            try await within {
                try await withTemporaryPath { path in
                    let store = try DocumentStore.open(at: path + "/a.store", schema: AttachedPhotos.schema)
                    var random = SplitMix64(seed: 5)
                    let base = try TurboJPEG.encode(MadePictures.noise(width: 64, height: 48, &random), quality: 70)
                    let originals = try (0..<count).map { number in
                        let comment = MadePictures.segment(0xfe, Array("picture \(number)".utf8))
                        return try store.attachments.add(
                            MadePictures.file(base, adding: comment), type: "image/jpeg", name: "\(number).jpg")
                    }
                    try await body(store, originals)
                    try expectSound(store)
                    try store.close()
                }
            }
        }

        private static func renditions(
            _ store: DocumentStore, _ renderer: CountingRenderer = CountingRenderer(), memory: Int = 1 << 20
        ) -> RenditionStore {
            var options = RenditionStore.Options()
            options.smallMemoryByteCount = memory
            options.largeMemoryByteCount = memory
            return RenditionStore(
                of: store, specifications: [.full, medium, small], renderers: RendererChain([renderer]),
                options: options)
        }

        private static func waitUntilIdle(_ renditions: RenditionStore) async {
            while renditions.queue.counts != (0, 0) { await pause(for: .milliseconds(1)) }
        }

        @Test func `A rendition is made once, and then comes from memory, or from the disk`() async throws {
            try await Self.withPictures(1) { store, originals in
                let renderer = CountingRenderer()
                let renditions = Self.renditions(store, renderer)
                #expect(renditions.cachedRendition(of: originals[0], as: Self.small) == nil)
                let first = try await renditions.rendition(of: originals[0], as: Self.small)
                #expect(first.width == 16 && first.height == 12)
                #expect(renditions.cachedRendition(of: originals[0], as: Self.small) == first)
                renditions.purge()
                #expect(renditions.cachedRendition(of: originals[0], as: Self.small) == nil)
                #expect(renditions.isStored(originals[0], as: Self.small))
                #expect(try await renditions.rendition(of: originals[0], as: Self.small) == first)
                #expect(renderer.total == 1)
                #expect(renditions.totals().map(\.name) == ["small"])
                // Another object, after the first one has released the folder.
                renditions.close()
                let later = Self.renditions(store, renderer)
                #expect(try await later.rendition(of: originals[0], as: Self.small) == first)
                #expect(renderer.total == 1)
                later.removeAll()
                #expect(try await later.rendition(of: originals[0], as: Self.small) == first)
                #expect(renderer.total == 2)
            }
        }

        @Test func `Equal requests make one rendition`() async throws {
            try await Self.withPictures(1) { store, originals in
                let renderer = CountingRenderer()
                let renditions = Self.renditions(store, renderer)
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<40 {
                        group.addTask { try await renditions.rendition(of: originals[0], as: Self.medium).width }
                    }
                    for try await width in group { #expect(width == 40) }
                }
                #expect(renderer.total == 1)
            }
        }

        @Test func `The sequence begins with what is in memory and ends with the requested rendition`() async throws {
            try await Self.withPictures(2) { store, originals in
                let renditions = Self.renditions(store)
                func sizes(_ original: DocIndex.Attachment, upTo specification: RenditionSpecification) async throws
                    -> [Int]
                {
                    var sizes: [Int] = []
                    for try await image in renditions.images(of: original, upTo: specification) {
                        sizes.append(image.width)
                    }
                    return sizes
                }
                #expect(try await sizes(originals[0], upTo: Self.small) == [16])
                #expect(try await sizes(originals[0], upTo: Self.medium) == [16, 40])
                #expect(try await sizes(originals[0], upTo: Self.medium) == [40])
                #expect(try await sizes(originals[0], upTo: .full) == [40, 64])
                // A specification larger than the original gives the original's size once.
                let large = try #require(RenditionSpecification(name: "large", longEdge: 500))
                #expect(try await sizes(originals[1], upTo: large) == [16, 40, 64])
            }
        }

        @Test func `A broken picture has a reason, is not tried again, and harms nothing`() async throws {
            try await Self.withPictures(1) { store, originals in
                let renderer = CountingRenderer()
                let renditions = Self.renditions(store, renderer)
                let broken = try store.attachments.add([0xff, 0xd8, 0xff, 0xe0, 0], type: "image/jpeg")
                let text = try store.attachments.add(Array("hello".utf8), type: "image/jpeg")
                let digest = try #require(DocIndex.Attachment.Digest(String(repeating: "0", count: 64)))
                let reference = DocIndex.Attachment(digest: digest, byteCount: 5)
                let missing = try #require(reference)
                for (original, code) in [
                    (broken, RenditionError.Code.damaged), (text, .unknownFormat), (missing, .unreadable),
                ] {
                    for _ in 0..<3 {
                        let problem = await #expect(throws: RenditionError.self) {
                            try await renditions.rendition(of: original, as: Self.small)
                        }
                        #expect(problem?.code == code)
                    }
                }
                #expect(renderer.total == 1)
                #expect(try await renditions.rendition(of: originals[0], as: Self.small).width == 16)
            }
        }

        @Test func `Only the beginning of a large file that is not a picture is read`() async throws {
            try await Self.withPictures(1) { store, originals in
                var limits = RenderingLimits()
                limits.sourceByteCount = 1000
                let renditions = RenditionStore(
                    of: store, renderers: RendererChain([CountingRenderer()], limits: limits))
                let film = try store.attachments.add([UInt8](repeating: 1, count: 1 << 20), type: "image/jpeg")
                try #require(originals[0].byteCount > 1000)
                for (original, code) in [(film, RenditionError.Code.unknownFormat), (originals[0], .tooLarge)] {
                    let problem = await #expect(throws: RenditionError.self) {
                        try await renditions.rendition(of: original, as: .thumbnail)
                    }
                    #expect(problem?.code == code)
                }
            }
        }

        @Test func `The memory stays within its limit, and what is visible stays in it`() async throws {
            try await Self.withPictures(20) { store, originals in
                let one = try await Self.renditions(store).rendition(of: originals[0], as: Self.small).bytes.count
                let renditions = Self.renditions(store, memory: 5 * one + one / 2)
                renditions.prefetch(around: 0, in: originals, ahead: 0, behind: 0, upTo: Self.small)
                for original in originals { _ = try await renditions.rendition(of: original, as: Self.small) }
                let kept = originals.indices.filter {
                    renditions.cachedRendition(of: originals[$0], as: Self.small) != nil
                }
                #expect(kept == [0, 16, 17, 18, 19])
                #expect(renditions.cache.totals(Self.small).byteCount <= 5 * one + one / 2)
            }
        }

        @Test func `Prefetching far ahead does not displace what comes next`() async throws {
            try await Self.withPictures(30) { store, originals in
                let one = try await Self.renditions(store).rendition(of: originals[0], as: Self.small).bytes.count
                let renditions = Self.renditions(store, memory: 6 * one + one / 2)
                renditions.prefetch(around: 10, in: originals, ahead: 15, behind: 5, upTo: Self.small)
                await Self.waitUntilIdle(renditions)
                for index in 10..<16 {
                    #expect(renditions.cachedRendition(of: originals[index], as: Self.small) != nil, "\(index)")
                }
                // The others are on the disk.
                #expect(renditions.isStored(originals[25], as: Self.small))
                #expect(renditions.isStored(originals[5], as: Self.small))
                #expect(!renditions.isStored(originals[26], as: Self.small))
            }
        }

        @Test func `Scrolling through prefetched pictures never shows an empty place`() async throws {
            let count = TestRun.rounds(200, long: 2000)
            try await Self.withPictures(count) { store, originals in
                let renditions = Self.renditions(store)
                for index in originals.indices {
                    let small = renditions.cachedRendition(of: originals[index], as: Self.small)
                    let medium = renditions.cachedRendition(of: originals[index], as: Self.medium)
                    if index > 0 { #expect(small != nil && medium != nil, "\(index)") }
                    renditions.prefetch(around: index, in: originals, upTo: Self.medium)
                    await Self.waitUntilIdle(renditions)
                }
                renditions.stopPrefetching()
                #expect(renditions.totals().map(\.count) == [count, count])
            }
        }

        /// Stores renditions as large as those of photos, and returns references to their originals, which do not exist.
        private static func fill(_ renditions: RenditionStore, count: Int) throws -> [DocIndex.Attachment] {
            let contents = [(small, 10_000), (medium, 150_000)].map {
                Rendition(bytes: AttachedPhotos.bytes($0.1, seed: 1), width: 16, height: 12, specification: $0.0)
            }
            return try (0..<count).map { number in
                for rendition in contents {
                    let key = try `The folder of renditions`.key(number, rendition.specification)
                    renditions.maker.folder.store(rendition, key)
                }
                let digest = try `The folder of renditions`.key(number).digest
                let original = DocIndex.Attachment(digest: digest, byteCount: 2_000_000)
                return try #require(original)
            }
        }

        @Test(.enabled(if: TestRun.isLong, "takes a minute: LEVELKIT_TEST_LONG=1"))
        func `At 60 pictures a second, nearly all previews on disk are available at once`() async throws {
            try await Self.withPictures(0) { store, _ in
                var options = RenditionStore.Options()
                options.largeMemoryByteCount = 32 << 20
                let renditions = RenditionStore(
                    of: store, specifications: [Self.small, Self.medium], options: options)
                let originals = try Self.fill(renditions, count: 2000)
                var there = 0
                var empty = 0
                let start = ContinuousClock.now
                for index in originals.indices {
                    renditions.prefetch(around: index, in: originals, upTo: Self.medium)
                    let pause = start + .seconds(Double(index + 1) / 60) - .now
                    if pause > .zero { await TestSupport.pause(for: pause) }
                    guard index >= 60 else { continue }
                    let shown = renditions.cachedRendition(of: originals[index], as: Self.medium)
                    if shown != nil { there += 1 }
                    if shown == nil, renditions.cachedRendition(of: originals[index], as: Self.small) == nil {
                        empty += 1
                    }
                }
                print("scrolling: \(there) of \(originals.count - 60) previews at once, \(empty) places empty")
                #expect(there * 100 >= (originals.count - 60) * 99 && empty == 0)
            }
        }

        @Test func `The folder can be deleted at any time`() async throws {
            try await Self.withPictures(30) { store, originals in
                let renditions = Self.renditions(store, memory: 0)
                let deleter = Task(executorPreference: OwnThreads.shared) {
                    while !Task.isCancelled {
                        try? TestFiles.remove(store.path + "/renditions")
                        await pause(for: .milliseconds(7))
                    }
                }
                for round in 0..<10 {
                    for original in originals {
                        let specification = round % 2 == 0 ? Self.small : .full
                        let rendition = try await renditions.rendition(of: original, as: specification)
                        #expect(rendition.width == (round % 2 == 0 ? 16 : 64))
                        #expect(JPEGHeader(rendition.bytes) != nil)
                    }
                }
                deleter.cancel()
                await deleter.value
            }
        }

        @Test func `A store that is open for reading only is not changed`() async throws {
            try await Self.withPictures(1) { store, originals in
                _ = try await Self.renditions(store).rendition(of: originals[0], as: Self.small)
                try store.flush()
                let state = try DirectoryState(store.path)
                let reader = try DocumentStore.open(at: store.path, mode: .readOnly)
                let renderer = CountingRenderer()
                let renditions = Self.renditions(reader, renderer)
                #expect(try await renditions.rendition(of: originals[0], as: Self.medium).width == 40)
                renditions.removeAll()
                #expect(renderer.total == 1)
                #expect(try DirectoryState(store.path).difference(from: state).isEmpty)
                try reader.close()
            }
        }
    }
#endif
