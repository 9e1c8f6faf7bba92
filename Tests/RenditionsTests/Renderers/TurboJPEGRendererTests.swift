import Pictures
import TestSupport
import Testing

@testable import Renditions

#if !canImport(ImageIO)
    @Suite struct `JPEG files are rendered` {
        /// Without other programs.
        private static let chain = RendererChain(Array(RendererChain.standardRenderers.dropLast()))

        private static func decoded(_ file: [UInt8]) throws -> Pixels {
            let header = try #require(JPEGHeader(file))
            return try TurboJPEG.decode(file, header, atLeast: (.max, .max), limits: RenderingLimits())
        }

        private static func specification(_ longEdge: Int?, quality: Int = 95) throws -> RenditionSpecification {
            try #require(RenditionSpecification(name: "test", longEdge: longEdge, quality: quality))
        }

        /// The largest difference of two bytes.
        private static func distance(_ first: Pixels, _ second: Pixels) -> Int {
            guard first.width == second.width, first.height == second.height else { return .max }
            return zip(first.bytes, second.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
        }

        private static func mean(_ pixels: Pixels) -> Double {
            Double(pixels.bytes.reduce(0) { $0 + Int($1) }) / Double(pixels.bytes.count)
        }

        @Test(arguments: 1...8)
        func `Each pixel is where the orientation wants it`(number: Int) throws {
            let orientation = try #require(PictureOrientation(rawValue: number))
            let stored = MadePictures.gradient(width: 96, height: 64)
            let file = MadePictures.file(
                try TurboJPEG.encode(stored, quality: 100), adding: MadePictures.exif(orientation: number))
            // In full size, in half of it, and in a size that no block fits.
            for longEdge in [nil, 48, 41] {
                let rendition = try Self.chain.render(Picture(file), as: try Self.specification(longEdge, quality: 100))
                let size = rendition.specification.size(width: 96, height: 64)
                let expected = AreaAverage.reduced(stored, width: size.width, height: size.height)
                    .oriented(orientation)
                #expect([rendition.width, rendition.height] == [expected.width, expected.height])
                let distance = Self.distance(try Self.decoded(rendition.bytes), expected)
                #expect(distance <= 12, "orientation \(number), \(longEdge ?? 0): \(distance)")
                #expect(try #require(JPEGHeader(rendition.bytes)).orientation == .normal)
            }
        }

        @Test(arguments: 1...8)
        func `A size that does not consist of whole blocks is turned completely`(number: Int) throws {
            let orientation = try #require(PictureOrientation(rawValue: number))
            let stored = MadePictures.gradient(width: 91, height: 53)
            let file = MadePictures.file(
                try TurboJPEG.encode(stored, quality: 100), adding: MadePictures.exif(orientation: number))
            let rendition = try Self.chain.render(Picture(file), as: .full)
            let distance = Self.distance(try Self.decoded(rendition.bytes), stored.oriented(orientation))
            #expect(distance <= 20, "\(distance)")
        }

        @Test func `A picture in full size keeps its pixels if and only if it is not turned`() throws {
            let file = try TurboJPEG.encode(MadePictures.gradient(width: 91, height: 53), quality: 60)
            let rendition = try Self.chain.render(Picture(file), as: .full)
            #expect(try Self.decoded(rendition.bytes) == Self.decoded(file))
        }

        @Test func `The color profile is kept, and all other metadata is removed`() throws {
            let profile = MadePictures.profile()
            let comment = MadePictures.segment(0xfe, Array("MY HOUSE".utf8))
            let photoshop = MadePictures.segment(0xed, Array("Photoshop 3.0\0MY HOUSE".utf8))
            let icc = MadePictures.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1] + profile)
            let pixels = MadePictures.gradient(width: 320, height: 200)
            let file = MadePictures.file(
                try TurboJPEG.encode(pixels, quality: 90),
                adding: comment + MadePictures.exif(orientation: 3) + photoshop + icc)
            for specification in [RenditionSpecification.thumbnail, .preview, .full] {
                let rendition = try Self.chain.render(Picture(file), as: specification)
                #expect(try #require(JPEGHeader(rendition.bytes)).profile?.bytes == profile)
                let markers = JPEGSegments(in: rendition.bytes).map(\.marker)
                #expect(markers.filter { 0xe0...0xef ~= $0 || $0 == 0xfe }.allSatisfy { [0xe0, 0xe2].contains($0) })
                #expect(!String(decoding: rendition.bytes, as: UTF8.self).contains("HOUSE"))
                #expect(!String(decoding: rendition.bytes, as: UTF8.self).contains("Exif"))
            }
        }

        @Test func `A gray picture stays gray, and does not get the profile of a colored one`() throws {
            let pixels = MadePictures.gradient(width: 300, height: 200, channelCount: 1)
            for space in ["GRAY", "RGB "] {
                let icc = MadePictures.segment(
                    0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1] + MadePictures.profile(space))
                let file = MadePictures.file(try TurboJPEG.encode(pixels, quality: 90), adding: icc)
                let header = try #require(
                    JPEGHeader(try Self.chain.render(Picture(file), as: .thumbnail).bytes))
                #expect(header.componentCount == 1)
                #expect((header.profile != nil) == (space == "GRAY"))
            }
        }

        @Test func `The decoded part of a truncated picture is shown`() throws {
            let pixels = MadePictures.gradient(width: 320, height: 240)
            let file = try TurboJPEG.encode(pixels, quality: 90)
            let half = Array(file[..<(file.count / 2)])
            for specification in [RenditionSpecification.thumbnail, .full] {
                let rendition = try Self.chain.render(Picture(half), as: specification)
                let shown = try Self.decoded(rendition.bytes)
                let size = specification.size(width: 320, height: 240)
                #expect(shown.width == size.width && shown.height == size.height)
                let whole = AreaAverage.reduced(pixels, width: size.width, height: size.height)
                // The upper left quarter of the pixels is there.
                for x in 0..<size.width / 2 {
                    let index = (size.height / 5 * size.width + x) * 3
                    #expect(abs(Int(shown.bytes[index]) - Int(whole.bytes[index])) < 24)
                }
            }
        }

        // MARK: - Faults

        private static func problem(_ file: [UInt8], _ chain: RendererChain = chain) -> RenditionError? {
            do throws(RenditionError) {
                _ = try chain.render(Picture(file), as: .thumbnail)
                return nil
            } catch {
                return error
            }
        }

        @Test func `An error states why a picture cannot be rendered`() throws {
            let file = try TurboJPEG.encode(MadePictures.gradient(width: 64, height: 64), quality: 90)
            #expect(Self.problem([])?.code == .unknownFormat)
            #expect(Self.problem(Array("hello".utf8))?.code == .unknownFormat)
            #expect(Self.problem(Array(file[..<100]))?.code == .damaged)
            #expect(Self.problem(file, RendererChain([]))?.code == .noRenderer)
            // The pixels of a PNG file need another program.
            #expect(Self.problem(MadePictures.png(MadePictures.gradient(width: 4, height: 4)))?.code == .noRenderer)
            for message in [Self.problem([]), Self.problem(Array(file[..<100]))].compactMap({ $0?.message }) {
                #expect(message.contains(";"), "\(message)")
            }
        }

        /// Changes the size that a file states.
        private static func resized(_ file: [UInt8], width: Int, height: Int, marker: UInt8? = nil) throws -> [UInt8] {
            let frame = try #require(JPEGSegments(in: file).first { 0xc0...0xc2 ~= $0.marker })
            var file = file
            let start = frame.content.lowerBound
            file.replaceSubrange(
                start + 1..<start + 5, with: [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) })
            if let marker { file[start - 3] = marker }
            return file
        }

        @Test func `A picture that states too many pixels is refused before it is decoded`() throws {
            let file = try TurboJPEG.encode(MadePictures.gradient(width: 64, height: 64), quality: 90)
            let huge = try Self.resized(file, width: 65_000, height: 65_000)
            let time = processorTime { #expect(Self.problem(huge)?.code == .tooLarge) }
            #expect(time < .seconds(1))
            // At the limit, the reduced picture fits into the memory.
            let large = try Self.resized(file, width: 20_000, height: 10_000)
            #expect(Self.problem(large) == nil)
        }

        @Test func `A progressive picture that needs too much memory is refused before it is decoded`() throws {
            let file = try TurboJPEG.encode(MadePictures.gradient(width: 64, height: 64), quality: 90)
            let progressive = try Self.resized(file, width: 20_000, height: 10_000, marker: 0xc2)
            let problem = try #require(Self.problem(progressive))
            #expect(problem.code == .tooLarge)
            #expect(problem.message.contains("memory"))
        }

        @Test func `A picture with very many scans is refused`() throws {
            let file = try Self.resized(
                try TurboJPEG.encode(MadePictures.gradient(width: 64, height: 64), quality: 90), width: 64, height: 64,
                marker: 0xc2)
            let scan = MadePictures.segment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0])
            let many: [UInt8] = file.dropLast(2) + [[UInt8]](repeating: scan, count: 100).joined() + [0xff, 0xd9]
            let problem = try #require(Self.problem(many))
            #expect(problem.code == .tooLarge)
            #expect(problem.message.contains("scans"))
        }

        @Test func `Nothing is rendered in a canceled task`() async throws {
            let file = try TurboJPEG.encode(MadePictures.gradient(width: 64, height: 64), quality: 90)
            let task = Task(executorPreference: OwnThreads.shared) { () -> RenditionError? in
                while !Task.isCancelled { await Task.yield() }
                return Self.problem(file)
            }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
        }

        // MARK: - Embedded pictures

        @Test(arguments: 1...8)
        func `The preview in a raw file is turned as the raw file says`(number: Int) throws {
            let orientation = try #require(PictureOrientation(rawValue: number))
            let small = try TurboJPEG.encode(MadePictures.gradient(width: 32, height: 24), quality: 100)
            let pixels = MadePictures.gradient(width: 640, height: 480)
            let raw = MadePictures.raw(
                orientation: number, small: small, large: try TurboJPEG.encode(pixels, quality: 100))
            #expect(EmbeddedPictures.ranges(inTIFF: raw).count == 2)
            let rendition = try Self.chain.render(Picture(raw), as: .thumbnail)
            let expected = AreaAverage.reduced(pixels, width: 256, height: 192).oriented(orientation)
            #expect(Self.distance(try Self.decoded(rendition.bytes), expected) <= 24)
            // The largest preview stands for the picture, which cannot be developed.
            #expect(try Self.chain.render(Picture(raw), as: .preview).width == (orientation.swapsSides ? 480 : 640))
        }

        @Test func `An embedded thumbnail is used only if it is large enough and has the proportions of the picture`()
            throws
        {
            let file = try TurboJPEG.encode(MadePictures.gradient(width: 640, height: 480), quality: 90)
            let white = { (width: Int, height: Int) in
                Pixels(
                    width: width, height: height, channelCount: 3,
                    bytes: [UInt8](repeating: 255, count: width * height * 3))
            }
            func isUsed(_ width: Int, _ height: Int) throws -> Bool {
                let thumbnail = try TurboJPEG.encode(white(width, height), quality: 90)
                let camera = MadePictures.file(file, adding: MadePictures.exif(thumbnail: thumbnail))
                let rendition = try Self.chain.render(Picture(camera), as: try Self.specification(100))
                return try Self.decoded(rendition.bytes).bytes.min() ?? 0 > 240
            }
            #expect(try isUsed(160, 120))
            #expect(try isUsed(100, 75))
            #expect(try !isUsed(80, 60))
            #expect(try !isUsed(800, 600))
            #expect(try !isUsed(160, 100))
        }

        // MARK: - Real pictures

        @Test(.enabled(if: !RealPictures.names.isEmpty, "needs ../shared/data/photos"))
        func `Every real picture has all renditions, with its proportions and its profile`() throws {
            for name in RealPictures.names {
                let file = try RealPictures.bytes(of: name)
                let header = try #require(JPEGHeader(file))
                let original = Self.mean(try Self.decoded(file))
                for specification in [RenditionSpecification.thumbnail, .preview, .full] {
                    let rendition = try Self.chain.render(Picture(file), as: specification)
                    var size = specification.size(width: header.width, height: header.height)
                    if header.orientation.swapsSides { size = (size.height, size.width) }
                    let result = try #require(JPEGHeader(rendition.bytes), "\(name)")
                    #expect([rendition.width, rendition.height] == [size.width, size.height], "\(name)")
                    #expect([result.width, result.height] == [size.width, size.height], "\(name)")
                    #expect(result.profile == header.profile, "\(name)")
                    #expect(abs(Self.mean(try Self.decoded(rendition.bytes)) - original) < 3, "\(name)")
                }
            }
        }
    }
#endif
