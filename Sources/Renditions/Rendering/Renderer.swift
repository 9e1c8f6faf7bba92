/// Makes renditions of some formats.
///
/// Several are tried in order. Renderers are called on threads that may block, several at once.
public protocol Renderer: Sendable {
    /// Makes a rendition; returns `nil` if this renderer does not read the format, or cannot make this rendition.
    ///
    /// - Parameters:
    ///   - picture: the original. It may be damaged or forged.
    ///   - specification: the size of the rendition.
    ///   - limits: the limits on time and memory.
    /// - Throws: ``RenditionError``. After `tooLarge` and `noRenderer` the next renderer is tried.
    func render(
        _ picture: Picture, as specification: RenditionSpecification, limits: RenderingLimits
    ) throws(RenditionError) -> Rendition?
}
