import Pictures
import Testing

@testable import Renditions

@Suite struct `Formats and sizes of pictures` {
    @Test(
        arguments: [
            (PictureFormat.jpeg, [0xff, 0xd8, 0xff, 0xe0]), (.gif, Array("GIF89a\u{1}\0".utf8)),
            (.webp, Array("RIFF\0\0\0\0WEBPVP8 ".utf8)), (.avif, Array("\0\0\0\u{1c}ftypavif".utf8)),
            (.heic, Array("\0\0\0\u{18}ftypheic".utf8)), (.cr3, Array("\0\0\0\u{18}ftypcrx ".utf8)),
            (.raf, Array("FUJIFILMCCD-RAW 0201".utf8)), (.tiff, Array("II*\0".utf8)), (.tiff, Array("MM\0*".utf8)),
            (.tiff, Array("IIRO".utf8)), (.jpegXL, [0xff, 0x0a, 0, 0]),
        ] as [(PictureFormat, [UInt8])])
    func `The first bytes tell the format`(format: PictureFormat, bytes: [UInt8]) {
        #expect(PictureFormat(of: bytes) == format)
        #expect(PictureFormat(of: bytes.dropLast(bytes.count - 2)) == nil || format == .jpegXL)
    }

    @Test func `Other files have no format`() {
        for text in ["", "x", "%PDF-1.7", "<svg xmlns=", "RIFF\0\0\0\0AVI LIST", "\0\0\0\u{18}ftypisom"] {
            #expect(PictureFormat(of: Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test func `The detected size is that of the picture`() throws {
        let png = MadePictures.png(MadePictures.gradient(width: 7, height: 5))
        #expect(PictureSize(of: png) == PictureSize(width: 7, height: 5))
        #expect(
            PictureSize(of: Array("GIF89a".utf8) + [0x2c, 0x01, 0x02, 0x00, 0])
                == PictureSize(width: 300, height: 2))
        let extended = Array("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0".utf8) + [0x2b, 0x01, 0, 1, 0, 0]
        #expect(PictureSize(of: extended) == PictureSize(width: 300, height: 2))
        let raw = MadePictures.raw(orientation: 1, small: [], large: [])
        #expect(PictureSize(of: raw) == PictureSize(width: 160, height: 120))
        #expect(PictureSize(of: Array(png[..<20])) == nil)
    }

    @Test func `A product that does not fit is the largest number of pixels`() {
        #expect(PictureSize(width: .max, height: 2).pixelCount == .max)
        #expect(PictureSize(width: 4, height: 3).pixelCount == 12)
    }
}
