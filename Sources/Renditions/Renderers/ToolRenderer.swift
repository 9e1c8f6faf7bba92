internal import Pictures

/// Renders with other programs, if they are installed: `vipsthumbnail` (libvips) reads PNG, GIF, WebP, TIFF, HEIC, AVIF,
/// JPEG XL and pictures for print; `exiftool` reads the previews in raw files.
///
/// A forged picture can at worst end the child process, whose memory and time are limited. What it writes is not trusted
/// either: it is rendered like any other JPEG file, which also removes the metadata.
struct ToolRenderer: Renderer {
    private let renderJPEG:
        @Sendable (
            _ file: [UInt8], _ orientation: PictureOrientation, _ specification: RenditionSpecification,
            _ limits: RenderingLimits
        ) throws(RenditionError) -> Rendition?

    /// - Parameter renderJPEG: renders a JPEG file in this process.
    init(
        _ renderJPEG:
            @escaping @Sendable (
                [UInt8], PictureOrientation, RenditionSpecification, RenderingLimits
            ) throws(RenditionError) -> Rendition?
    ) {
        self.renderJPEG = renderJPEG
    }

    func render(
        _ picture: Picture, as specification: RenditionSpecification, limits: RenderingLimits
    ) throws(RenditionError) -> Rendition? {
        switch picture.format {
        case .raf, .cr3: return try preview(picture, specification, limits)
        case .tiff:
            // Raw files are TIFF files with pixels that libvips cannot read.
            do throws(RenditionError) {
                if let made = try reduced(picture, specification, limits) { return made }
            } catch let problem where problem.code != .damaged {
                throw problem
            } catch {
                // The embedded preview is left.
            }
            return try preview(picture, specification, limits)
        case nil: return nil
        default: return try reduced(picture, specification, limits)
        }
    }

    // MARK: - vipsthumbnail

    private func reduced(
        _ picture: Picture, _ specification: RenditionSpecification, _ limits: RenderingLimits
    ) throws(RenditionError) -> Rendition? {
        guard let program = LimitedProcess.path(of: "vipsthumbnail") else { return nil }
        var file = try vipsthumbnail(program, picture, specification, [], limits)
        if JPEGHeader(file)?.componentCount == 4 {
            file = try vipsthumbnail(program, picture, specification, ["--export-profile", "srgb"], limits)
        }
        return try renderJPEG(file, .normal, specification, limits)
    }

    private func vipsthumbnail(
        _ program: String, _ picture: Picture, _ specification: RenditionSpecification, _ options: [String],
        _ limits: RenderingLimits
    ) throws(RenditionError) -> [UInt8] {
        let side = specification.longEdge ?? 65_535
        var environment = [
            "VIPS_CONCURRENCY": "1", "MALLOC_ARENA_MAX": "1", "VIPS_DISC_THRESHOLD": "1t",
        ]
        // Loaders that libvips itself distrusts are not used, except for the format that it calls so.
        if picture.format != .jpegXL { environment["VIPS_BLOCK_UNTRUSTED"] = "1" }
        // Encoded again in this process, so with a high quality here.
        let arguments = ["stdin", "--size", "\(side)x\(side)>"] + options + ["-o", ".jpg[Q=95,background=255]"]
        let process = LimitedProcess(
            program: program, arguments: arguments, environment: environment, limits: limits)
        return try process.run(input: picture.bytes)
    }

    // MARK: - exiftool

    private func preview(
        _ picture: Picture, _ specification: RenditionSpecification, _ limits: RenderingLimits
    ) throws(RenditionError) -> Rendition? {
        guard let program = LimitedProcess.path(of: "exiftool") else { return nil }
        for tag in ["JpgFromRaw", "PreviewImage"] {
            let process = LimitedProcess(
                // Without the configuration of the user, which is a program.
                program: program, arguments: ["-config", "", "-b", "-" + tag, "-"], limits: limits)
            let file = try process.run(input: picture.bytes)
            guard JPEGHeader(file) != nil else { continue }
            let orientation = EmbeddedPictures.orientation(ofTIFF: picture.bytes)
            return try renderJPEG(file, orientation, specification, limits)
        }
        throw RenditionError(
            .damaged, "the picture contains no preview, or is damaged; also import it as a JPEG file")
    }
}
