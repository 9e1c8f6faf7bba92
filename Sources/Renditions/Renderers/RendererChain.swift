internal import Pictures

/// Renderers that are tried in order.
public struct RendererChain: Sendable {
    /// The renderers, the preferred one first.
    public var renderers: [any Renderer]
    /// The limits for a picture.
    public var limits: RenderingLimits

    /// Creates a chain.
    ///
    /// - Parameters:
    ///   - renderers: the renderers, the preferred one first; by default ``standardRenderers``.
    ///   - limits: the resource limits for one picture.
    public init(_ renderers: [any Renderer] = Self.standardRenderers, limits: RenderingLimits = RenderingLimits()) {
        self.renderers = renderers
        self.limits = limits
    }

    /// Embedded previews; ImageIO on Apple's systems, libjpeg-turbo on others; and the programs `vipsthumbnail` and
    /// `exiftool`, if they are installed, for all other formats.
    public static var standardRenderers: [any Renderer] {
        #if canImport(ImageIO)
            let decoder = ImageIORenderer()
            let embedded = EmbeddedRenderer { file, orientation, specification, limits throws(RenditionError) in
                try ImageIORenderer.render(file, orientation: orientation, as: specification, limits: limits)
            }
        #else
            let decoder = TurboJPEGRenderer()
            let embedded = EmbeddedRenderer { file, orientation, specification, limits throws(RenditionError) in
                try TurboJPEGRenderer.render(file, orientation: orientation, as: specification, limits: limits)
            }
        #endif
        return [embedded, decoder, ToolRenderer(embedded.renderJPEG)]
    }

    /// Makes a rendition. The call may take several hundred milliseconds, and blocks its thread.
    ///
    /// - Throws: ``RenditionError``. Checks between its steps whether the task was canceled.
    public func render(
        _ picture: Picture, as specification: RenditionSpecification
    ) throws(RenditionError) -> Rendition {
        guard let format = picture.format else { throw .unknownFormat }
        if let size = PictureSize(of: picture.bytes), size.pixelCount > limits.pixelCount {
            throw .tooManyPixels(limits)
        }
        var problem = RenditionError(
            .noRenderer,
            "no renderer on this machine reads \(format.mediaType); install vipsthumbnail (libvips-tools) and exiftool")
        for renderer in renderers {
            try RenditionError.checkCancellation()
            do throws(RenditionError) {
                if let made = try renderer.render(picture, as: specification, limits: limits) { return made }
            } catch {
                guard [.tooLarge, .noRenderer].contains(error.code) else { throw error }
                problem = error
            }
        }
        throw problem
    }
}
