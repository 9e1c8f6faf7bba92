internal import Pictures

/// Uses the previews that cameras embed in raw files and TIFF files, and the thumbnails in JPEG files.
///
/// Reducing an embedded preview takes much less time than developing raw data. A preview is used only if it is at least
/// as large as the rendition. A thumbnail in a JPEG file also needs the proportions of the picture: some cameras put
/// theirs between black bars, and some editors leave that of the picture before it was cut.
struct EmbeddedRenderer: Renderer {
    /// Renders a JPEG file, which may lack metadata about its orientation.
    let renderJPEG:
        @Sendable (
            _ file: [UInt8], _ orientation: PictureOrientation, _ specification: RenditionSpecification,
            _ limits: RenderingLimits
        ) throws(RenditionError) -> Rendition?

    func render(
        _ picture: Picture, as specification: RenditionSpecification, limits: RenderingLimits
    ) throws(RenditionError) -> Rendition? {
        switch picture.format {
        case .jpeg: try renderThumbnail(of: picture.bytes, specification, limits)
        case .tiff: try renderPreview(of: picture.bytes, specification, limits)
        default: nil
        }
    }

    private func renderThumbnail(
        of file: [UInt8], _ specification: RenditionSpecification, _ limits: RenderingLimits
    ) throws(RenditionError) -> Rendition? {
        guard let longEdge = specification.longEdge, let range = EmbeddedThumbnail.range(in: file),
            let small = JPEGHeader(Array(file[range])), max(small.width, small.height) >= longEdge,
            let header = JPEGHeader(file), header.width > small.width, header.hasProportions(of: small)
        else { return nil }
        // The thumbnail is in the color space of the picture, whose profile it does not repeat.
        let bytes = Array(file[range])
        let profiled = small.profile == nil ? header.profile?.inserted(in: bytes) ?? bytes : bytes
        return attempt { () throws(RenditionError) in
            try renderJPEG(profiled, header.orientation, specification, limits)
        }
    }

    private func renderPreview(
        of file: [UInt8], _ specification: RenditionSpecification, _ limits: RenderingLimits
    ) throws(RenditionError) -> Rendition? {
        let previews = EmbeddedPictures.ranges(inTIFF: file).compactMap { range in
            JPEGHeader(Array(file[range])).map { (range: range, size: max($0.width, $0.height)) }
        }.sorted { $0.size < $1.size }
        let sufficient = previews.first { $0.size >= specification.longEdge ?? .max }
        // For the size of the original, the largest preview is the best that can be had without developing the picture.
        guard let preview = sufficient ?? (isRaw(file, previews.last?.size) ? previews.last : nil) else { return nil }
        let orientation = EmbeddedPictures.orientation(ofTIFF: file)
        return attempt { () throws(RenditionError) in
            try renderJPEG(Array(file[preview.range]), orientation, specification, limits)
        }
    }

    /// Whether the pixels of the file cannot be shown without developing them: the largest embedded picture is larger
    /// than the first one, which is a small preview in raw files.
    private func isRaw(_ file: [UInt8], _ largest: Int?) -> Bool {
        guard let largest, let size = PictureSize(of: file) else { return largest != nil }
        return largest >= max(size.width, size.height)
    }

    /// Returns `nil` instead of a problem, since another renderer can use the picture itself.
    private func attempt(_ body: () throws(RenditionError) -> Rendition?) -> Rendition? {
        try? body()
    }
}

extension JPEGHeader {
    /// Whether two pictures have equal proportions, except for rounding: to a pixel of the smaller one.
    fileprivate func hasProportions(of small: JPEGHeader) -> Bool {
        let difference = abs(width * small.height - height * small.width)
        return difference <= max(width, height)
    }
}
