import Pictures
import TestSupport
import Testing

@testable import Renditions

@Suite struct `Pixels are turned and reduced` {
    /// The letters of a picture of three columns and two rows, as they are shown.
    private static let shown: [(PictureOrientation, [String])] = [
        (.normal, ["abc", "def"]), (.mirrored, ["cba", "fed"]), (.turned180, ["fed", "cba"]),
        (.flipped, ["def", "abc"]), (.transposed, ["ad", "be", "cf"]), (.turned90, ["da", "eb", "fc"]),
        (.transversed, ["fc", "eb", "da"]), (.turned270, ["cf", "be", "ad"]),
    ]

    @Test(arguments: [1, 3])
    func `Every orientation puts each pixel in its place`(channelCount: Int) {
        let letters = Array("abcdef".utf8)
        let stored = Pixels(
            width: 3, height: 2, channelCount: channelCount,
            bytes: letters.flatMap { letter in (0..<channelCount).map { letter + UInt8($0) * 10 } })
        for (orientation, rows) in Self.shown {
            let turned = stored.oriented(orientation)
            #expect(turned.width == rows[0].count && turned.height == rows.count)
            let expected = rows.joined().utf8.flatMap { letter in
                (0..<channelCount).map { letter + UInt8($0) * 10 }
            }
            #expect(turned.bytes == expected, "\(orientation)")
        }
    }

    @Test func `Pixels of a single row or column are turned too`() {
        for (width, height) in [(1, 5), (5, 1), (1, 1)] {
            let stored = MadePictures.gradient(width: width, height: height)
            for orientation in PictureOrientation.allCases {
                let turned = stored.oriented(orientation)
                #expect(turned.width == (orientation.swapsSides ? height : width))
                #expect(turned.bytes.sorted() == stored.bytes.sorted())
            }
        }
    }

    /// The average over areas, computed for each new pixel on its own.
    private static func average(_ old: Pixels, width: Int, height: Int) -> [UInt8] {
        func share(_ position: Int, _ old: Int, _ index: Int, _ new: Int) -> Int {
            max(0, min((position + 1) * new, (index + 1) * old) - max(position * new, index * old))
        }
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<old.channelCount {
                    var sum = 0
                    for oldY in 0..<old.height {
                        for oldX in 0..<old.width {
                            let value = Int(old.bytes[(oldY * old.width + oldX) * old.channelCount + channel])
                            sum += value * share(oldX, old.width, x, width) * share(oldY, old.height, y, height)
                        }
                    }
                    let area = old.width * old.height
                    bytes.append(UInt8((sum + area / 2) / area))
                }
            }
        }
        return bytes
    }

    @Test func `A reduced picture is the exact average of areas`() {
        var random = TestRun.random(stream: 801)
        for _ in 0..<60 {
            let old = MadePictures.noise(
                width: 1 + random.number(below: 14), height: 1 + random.number(below: 14),
                channelCount: random.pick([1, 3]), &random)
            let width = 1 + random.number(below: old.width)
            let height = 1 + random.number(below: old.height)
            let reduced = AreaAverage.reduced(old, width: width, height: height)
            #expect(reduced.width == width && reduced.height == height)
            #expect(
                reduced.bytes == Self.average(old, width: width, height: height),
                "\(old.width)×\(old.height) to \(width)×\(height); \(TestRun.repetition)")
        }
    }

    @Test func `A picture of one color keeps it, and none is enlarged`() {
        let white = Pixels(width: 701, height: 3, channelCount: 3, bytes: [UInt8](repeating: 255, count: 701 * 9))
        let reduced = AreaAverage.reduced(white, width: 13, height: 2)
        #expect(reduced.bytes == [UInt8](repeating: 255, count: 13 * 2 * 3))
        #expect(AreaAverage.reduced(white, width: 5000, height: 5000) == white)
    }

    @Test func `The size of a rendition has the proportions of the picture`() {
        func size(_ width: Int, _ height: Int) -> [Int] {
            let size = RenditionSpecification.thumbnail.size(width: width, height: height)
            return [size.width, size.height]
        }
        #expect(size(4000, 3000) == [256, 192])
        #expect(size(3000, 4000) == [192, 256])
        #expect(size(256, 256) == [256, 256])
        #expect(size(255, 3) == [255, 3])
        #expect(size(65_535, 1) == [256, 1])
        #expect(RenditionSpecification.full.size(width: 7000, height: 1).width == 7000)
    }

    @Test func `A specification has a name that can be part of a file name`() {
        for name in ["", "A", "a/b", "..", "ä", String(repeating: "a", count: 33)] {
            #expect(RenditionSpecification(name: name, longEdge: 100) == nil, "\(name)")
        }
        for (edge, quality) in [(0, 80), (65_536, 80), (100, 0), (100, 101)] {
            #expect(RenditionSpecification(name: "a", longEdge: edge, quality: quality) == nil)
        }
        #expect(RenditionSpecification(name: "strip-2", longEdge: 65_535, quality: 100) != nil)
    }
}
