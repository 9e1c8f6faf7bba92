#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    internal import ImageIO
    internal import Pictures
    internal import UniformTypeIdentifiers

    /// Renders with ImageIO, which reads all formats of pictures on Apple's systems.
    struct ImageIORenderer: Renderer {
        func render(
            _ picture: Picture, as specification: RenditionSpecification, limits: RenderingLimits
        ) throws(RenditionError) -> Rendition? {
            guard picture.format != nil else { return nil }
            return try Self.render(picture.bytes, as: specification, limits: limits)
        }

        /// Renders a file.
        ///
        /// - Parameter orientation: the orientation to use if the file states none.
        static func render(
            _ file: [UInt8], orientation: PictureOrientation = .normal, as specification: RenditionSpecification,
            limits: RenderingLimits
        ) throws(RenditionError) -> Rendition? {
            guard let source = CGImageSourceCreateWithData(Data(file) as CFData, nil),
                let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any],
                let width = properties[kCGImagePropertyPixelWidth] as? Int,
                let height = properties[kCGImagePropertyPixelHeight] as? Int
            else { throw damage }
            guard width.multipliedReportingOverflow(by: height).partialValue <= limits.pixelCount else {
                throw .tooManyPixels(limits)
            }
            try RenditionError.checkCancellation()
            let side = specification.longEdge ?? max(width, height)
            let options: [CFString: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
                kCGImageSourceThumbnailMaxPixelSize: side, kCGImageSourceShouldCacheImmediately: true,
            ]
            guard var image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary) else {
                throw damage
            }
            if properties[kCGImagePropertyOrientation] == nil, orientation != .normal {
                image = try turned(image, orientation)
            }
            try RenditionError.checkCancellation()
            return Rendition(
                bytes: try encoded(image, quality: specification.quality), width: image.width, height: image.height,
                specification: specification)
        }

        /// Encodes a picture with its color space, and without metadata.
        private static func encoded(_ image: CGImage, quality: Int) throws(RenditionError) -> [UInt8] {
            let data = NSMutableData()
            let type = UTType.jpeg.identifier as CFString
            guard let target = CGImageDestinationCreateWithData(data, type, 1, nil) else { throw damage }
            let options: [CFString: Any] = [kCGImageDestinationLossyCompressionQuality: Double(quality) / 100]
            CGImageDestinationAddImage(target, image, options as CFDictionary)
            guard CGImageDestinationFinalize(target) else { throw damage }
            return Array(data as Data)
        }

        /// Turns a picture upright.
        private static func turned(
            _ image: CGImage, _ orientation: PictureOrientation
        ) throws(RenditionError) -> CGImage {
            let data = NSMutableData()
            let type = UTType.tiff.identifier as CFString
            guard let target = CGImageDestinationCreateWithData(data, type, 1, nil) else { throw damage }
            CGImageDestinationAddImage(
                target, image, [kCGImagePropertyOrientation: orientation.rawValue] as CFDictionary)
            let options: [CFString: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
                kCGImageSourceThumbnailMaxPixelSize: max(image.width, image.height),
            ]
            guard CGImageDestinationFinalize(target), let source = CGImageSourceCreateWithData(data, nil),
                let turned = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary)
            else { throw damage }
            return turned
        }

        private static let damage = RenditionError(
            .damaged, "the picture cannot be decoded; import an undamaged copy of it")
    }
#endif
