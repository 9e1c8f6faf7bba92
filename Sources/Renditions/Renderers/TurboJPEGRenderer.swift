#if !canImport(ImageIO)
    internal import Pictures

    /// Renders JPEG files with libjpeg-turbo.
    ///
    /// The decoder reduces by eighths, which leaves out most of its work, and ``AreaAverage`` does the rest. Pictures for
    /// print are left to other renderers, because converting their colors needs more than the library can do.
    struct TurboJPEGRenderer: Renderer {
        func render(
            _ picture: Picture, as specification: RenditionSpecification, limits: RenderingLimits
        ) throws(RenditionError) -> Rendition? {
            guard picture.format == .jpeg else { return nil }
            return try Self.render(picture.bytes, as: specification, limits: limits)
        }

        /// Renders a JPEG file.
        ///
        /// - Parameter orientation: the orientation to use if the file states none.
        static func render(
            _ file: [UInt8], orientation: PictureOrientation = .normal, as specification: RenditionSpecification,
            limits: RenderingLimits
        ) throws(RenditionError) -> Rendition? {
            guard let header = JPEGHeader(file, orientation: orientation) else {
                throw RenditionError(.damaged, "the picture ends before its data; import an undamaged copy of it")
            }
            guard [1, 3].contains(header.componentCount) else { return nil }
            guard header.width * header.height <= limits.pixelCount else { throw .tooManyPixels(limits) }
            try requireFewScans(header, file)
            if specification.longEdge == nil, let turned = try TurboJPEG.turn(file, header, limits: limits) {
                return rendition(turned, header, specification)
            }
            return try reduced(file, header, specification, limits)
        }

        private static func reduced(
            _ file: [UInt8], _ header: JPEGHeader, _ specification: RenditionSpecification, _ limits: RenderingLimits
        ) throws(RenditionError) -> Rendition {
            let size = specification.size(width: header.width, height: header.height)
            try RenditionError.checkCancellation()
            var pixels = try TurboJPEG.decode(file, header, atLeast: size, limits: limits)
            try RenditionError.checkCancellation()
            pixels = AreaAverage.reduced(pixels, width: size.width, height: size.height)
            pixels = pixels.oriented(header.orientation)
            try RenditionError.checkCancellation()
            return rendition(try TurboJPEG.encode(pixels, quality: specification.quality), header, specification)
        }

        private static func rendition(
            _ file: [UInt8], _ header: JPEGHeader, _ specification: RenditionSpecification
        ) -> Rendition {
            var size = specification.size(width: header.width, height: header.height)
            if header.orientation.swapsSides { size = (size.height, size.width) }
            return Rendition(
                bytes: header.profile?.inserted(in: file) ?? file, width: size.width, height: size.height,
                specification: specification)
        }

        private static func requireFewScans(_ header: JPEGHeader, _ file: [UInt8]) throws(RenditionError) {
            guard header.hasSeveralScans else { return }
            let limit = RenderingLimits.scanCount
            guard header.scanCount(in: file, limit: limit + 1) <= limit else {
                throw RenditionError(
                    .tooLarge, "the picture has more than \(limit) scans; save it again with another program")
            }
        }
    }
#endif
