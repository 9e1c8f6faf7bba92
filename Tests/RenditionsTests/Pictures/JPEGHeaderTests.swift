import Pictures
import TestSupport
import Testing

@testable import Renditions

#if !canImport(ImageIO)
    @Suite struct `Headers of JPEG files` {
        private static let small = MadePictures.gradient(width: 40, height: 24)

        private static func file(_ segments: [UInt8] = [], gray: Bool = false) throws -> [UInt8] {
            let pixels = gray ? MadePictures.gradient(width: 40, height: 24, channelCount: 1) : small
            return MadePictures.file(try TurboJPEG.encode(pixels, quality: 90), adding: segments)
        }

        @Test func `Size, components and orientation are read`() throws {
            for orientation in 1...8 {
                for isBigEndian in [false, true] {
                    let exif = MadePictures.exif(orientation: orientation, isBigEndian: isBigEndian)
                    let header = try #require(JPEGHeader(try Self.file(exif)))
                    #expect(header.width == 40 && header.height == 24 && header.componentCount == 3)
                    #expect(header.orientation.rawValue == orientation)
                    #expect(!header.hasSeveralScans)
                    #expect(header.profile == nil)
                }
            }
            #expect(try #require(JPEGHeader(try Self.file(gray: true))).componentCount == 1)
        }

        @Test(arguments: [0, 9, 255])
        func `An orientation that does not exist is ignored`(number: Int) throws {
            let header = try #require(JPEGHeader(try Self.file(MadePictures.exif(orientation: number))))
            #expect(header.orientation == .normal)
        }

        @Test func `Bytes between segments are skipped`() throws {
            let stray: [UInt8] =
                [0x00, 0x12, 0xff, 0x00, 0x34] + MadePictures.exif(orientation: 8) + [0x77, 0xff, 0xff]
            let header = try #require(JPEGHeader(try Self.file(stray)))
            #expect(header.orientation == .turned270)
            #expect(header.width == 40)
        }

        @Test func `A header that ends early is none`() throws {
            let file = try Self.file(MadePictures.exif(orientation: 6))
            let header = try #require(JPEGHeader(file))
            for end in 0..<header.scanOffset { #expect(JPEGHeader(Array(file[..<end])) == nil) }
        }

        @Test func `A profile of any size survives`() throws {
            for byteCount in [128, 560, 65_519, 65_520, 200_000, ColorProfile.maximumByteCount] {
                let profile = try #require(
                    ColorProfile(MadePictures.profile(byteCount: byteCount), componentCount: 3))
                let file = profile.inserted(in: try Self.file())
                #expect(try #require(JPEGHeader(file)).profile == profile, "\(byteCount)")
            }
        }

        @Test func `A profile for other colors, or an invalid one, is dropped`() throws {
            #expect(ColorProfile(MadePictures.profile("GRAY"), componentCount: 3) == nil)
            #expect(ColorProfile(MadePictures.profile("RGB "), componentCount: 1) == nil)
            #expect(ColorProfile(MadePictures.profile("CMYK"), componentCount: 3) == nil)
            #expect(ColorProfile(MadePictures.profile("GRAY"), componentCount: 1) != nil)
            #expect(ColorProfile(MadePictures.profile(byteCount: (1 << 20) + 1), componentCount: 3) == nil)
            var wrong = MadePictures.profile()
            wrong[3] ^= 1
            #expect(ColorProfile(wrong, componentCount: 3) == nil)
            #expect(ColorProfile(Array(MadePictures.profile().dropLast()), componentCount: 3) == nil)
        }

        @Test func `A profile is used only if each of its parts occurs once, in any order`() throws {
            let profile = MadePictures.profile(byteCount: 300)
            func part(_ number: UInt8, of count: UInt8, _ range: Range<Int>) -> [UInt8] {
                MadePictures.segment(0xe2, Array("ICC_PROFILE\0".utf8) + [number, count] + profile[range])
            }
            let first = part(1, of: 2, 0..<200)
            let second = part(2, of: 2, 200..<300)
            let expected = ColorProfile(profile, componentCount: 3)
            #expect(expected != nil)
            #expect(try #require(JPEGHeader(try Self.file(first + second))).profile == expected)
            #expect(try #require(JPEGHeader(try Self.file(second + first))).profile == expected)
            for segments in [
                first, second, first + first + second, first + part(3, of: 2, 200..<300), part(0, of: 2, 0..<300),
                first + part(2, of: 3, 200..<300),
            ] {
                #expect(try #require(JPEGHeader(try Self.file(segments))).profile == nil)
            }
        }

        @Test(.enabled(if: !RealPictures.names.isEmpty, "needs ../shared/data/photos"))
        func `The size of every real picture is the one that the decoder finds`() throws {
            for name in RealPictures.names {
                let file = try RealPictures.bytes(of: name)
                let header = try #require(JPEGHeader(file), "\(name)")
                let pixels = try TurboJPEG.decode(file, header, atLeast: (.max, .max), limits: RenderingLimits())
                #expect(pixels.width == header.width && pixels.height == header.height, "\(name)")
                #expect(pixels.bytes.count == header.width * header.height * pixels.channelCount)
            }
        }
    }
#endif
