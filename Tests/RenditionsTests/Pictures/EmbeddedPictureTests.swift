import Pictures
import TestSupport
import Testing

@testable import Renditions

@Suite struct `Pictures embedded by cameras` {
    /// A JPEG file with an embedded small picture, and the bytes of that picture.
    static func camera(isBigEndian: Bool) -> (file: [UInt8], small: [UInt8]) {
        let small: [UInt8] = [0xff, 0xd8, 0xff, 0xdb] + AttachedPhotos.bytes(500, seed: 7) + [0xff, 0xd9]
        let segment = MadePictures.exif(orientation: 6, thumbnail: small, isBigEndian: isBigEndian)
        return (MadePictures.file([0xff, 0xd8, 0xff, 0xda, 0, 0], adding: segment), small)
    }

    @Test(arguments: [false, true])
    func `The embedded thumbnail is found`(isBigEndian: Bool) throws {
        let (file, small) = Self.camera(isBigEndian: isBigEndian)
        let range = try #require(EmbeddedThumbnail.range(in: file))
        #expect(Array(file[range]) == small)
    }

    @Test func `No range found in a damaged file is outside of it`() {
        for isBigEndian in [false, true] {
            let file = Self.camera(isBigEndian: isBigEndian).file
            for end in 0..<min(file.count, 300) { _ = EmbeddedThumbnail.range(in: Array(file[..<end])) }
            var random = SplitMix64(seed: 3)
            for _ in 0..<20_000 {
                var damaged = file
                for _ in 0..<3 {
                    damaged[Int(random.next() % 120)] = UInt8(truncatingIfNeeded: random.next())
                }
                if let range = EmbeddedThumbnail.range(in: damaged) {
                    #expect(range.lowerBound >= 0 && range.upperBound <= damaged.count)
                }
            }
        }
    }

    @Test(.enabled(if: !RealPictures.names.isEmpty, "needs ../shared/data/photos"))
    func `Most real cameras embed a thumbnail, which is a picture`() throws {
        let found = try RealPictures.names.filter { name in
            let file = try RealPictures.bytes(of: name)
            guard let range = EmbeddedThumbnail.range(in: file) else { return false }
            return JPEGHeader(Array(file[range])) != nil
        }
        #expect(found.count >= 24, "\(found.count) of \(RealPictures.names.count)")
    }

    @Test func `Image directories that refer to each other do not cause an endless loop`() {
        // The next directory of the first one is the first one, and so is its subdirectory.
        var file = MadePictures.raw(orientation: 1, small: [], large: [])
        file.replaceSubrange(82..<86, with: [0, 0, 0, 8])
        #expect(EmbeddedPictures.ranges(inTIFF: file).isEmpty)
        file.replaceSubrange(124..<128, with: [0, 0, 0, 8])
        #expect(EmbeddedPictures.ranges(inTIFF: file).isEmpty)
    }
}
