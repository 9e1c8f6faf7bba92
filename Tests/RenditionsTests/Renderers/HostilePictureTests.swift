import Pictures
import TestSupport
import Testing

@testable import Renditions

#if !canImport(ImageIO)
    @Suite struct `Hostile pictures` {
        private static let chain: RendererChain = {
            var limits = RenderingLimits()
            limits.byteCount = 16 << 20
            limits.pixelCount = 2_000_000
            return RendererChain(Array(RendererChain.standardRenderers.dropLast()), limits: limits)
        }()

        /// Small pictures of all kinds that are decoded in this process.
        private static func seeds() throws -> [[UInt8]] {
            let file = try TurboJPEG.encode(MadePictures.gradient(width: 48, height: 40), quality: 85)
            let gray = try TurboJPEG.encode(MadePictures.gradient(width: 33, height: 21, channelCount: 1), quality: 85)
            let small = try TurboJPEG.encode(MadePictures.gradient(width: 40, height: 30), quality: 50)
            let icc = MadePictures.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1] + MadePictures.profile())
            return [
                file, gray, MadePictures.file(file, adding: MadePictures.exif(orientation: 6, thumbnail: small) + icc),
                MadePictures.file(gray, adding: MadePictures.exif(orientation: 5, isBigEndian: true)),
                MadePictures.raw(orientation: 8, small: small, large: file),
            ]
        }

        /// Changes, removes, repeats or inserts bytes.
        private static func damaged(_ file: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
            var file = file
            for _ in 0...random.number(below: 4) {
                guard !file.isEmpty else { return file }
                // Half of the changes concern the beginning, where the structure is.
                let position = random.number(below: random.once(in: 2) ? file.count : min(file.count, 700))
                switch random.number(below: 6) {
                case 0: file[position] = UInt8(truncatingIfNeeded: random.next())
                case 1: file[position] = random.pick([0, 1, 0x7f, 0x80, 0xc2, 0xda, 0xd9, 0xff])
                case 2: file[position] ^= 1 << UInt8(random.number(below: 8))
                case 3: file.removeSubrange(position...)
                case 4:
                    let end = min(file.count, position + random.number(below: 200))
                    file.insert(contentsOf: file[position..<end], at: random.number(below: file.count))
                default:
                    file.removeSubrange(position..<min(file.count, position + random.number(below: 60)))
                }
            }
            return file
        }

        private static func result(
            _ file: [UInt8], _ specification: RenditionSpecification
        ) -> Result<Rendition, RenditionError> {
            Result { () throws(RenditionError) in try chain.render(Picture(file), as: specification) }
        }

        @Test func `No damaged picture ends the process, and each has a rendition or a reason`() throws {
            let seeds = try Self.seeds()
            let seed = TestRun.random(stream: 802)
            let counts = withSmallStack { () -> (made: Int, failed: Int) in
                var random = seed
                var counts = (made: 0, failed: 0)
                for round in 0..<TestRun.rounds(10_000, long: 100_000) {
                    let file = Self.damaged(random.pick(seeds), &random)
                    let specification: RenditionSpecification =
                        round % 3 == 0 ? .full : RenditionSpecification(name: "test", longEdge: 20) ?? .thumbnail
                    switch Self.result(file, specification) {
                    case .success(let rendition):
                        let header = JPEGHeader(rendition.bytes)
                        #expect(header?.width == rendition.width && header?.height == rendition.height)
                        #expect(max(rendition.width, rendition.height) <= specification.longEdge ?? .max)
                        counts.made += 1
                    case .failure(let problem):
                        #expect(problem.code != .cancelled && problem.code != .timedOut)
                        counts.failed += 1
                    }
                }
                return counts
            }
            let (made, failed) = try #require(counts)
            #expect(made > 1000 && failed > 1000, "\(made) made, \(failed) failed; \(TestRun.repetition)")
        }

        @Test(.enabled(if: !RealPictures.names.isEmpty, "needs ../shared/data/photos"))
        func `No damaged real picture ends the process`() throws {
            let seeds = try RealPictures.names.map { try RealPictures.bytes(of: $0) }.filter { $0.count < 60_000 }
            #expect(seeds.count > 10)
            let seed = TestRun.random(stream: 803)
            let made = withSmallStack { () -> Int in
                var random = seed
                return (0..<TestRun.rounds(200, long: 5_000)).count { _ in
                    (try? Self.chain.render(Picture(Self.damaged(random.pick(seeds), &random)), as: .thumbnail)) != nil
                }
            }
            #expect(try #require(made) > 20, "\(TestRun.repetition)")
        }
    }
#endif
