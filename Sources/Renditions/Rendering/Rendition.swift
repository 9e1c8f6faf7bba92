/// A picture in another size: an upright JPEG file with the color profile of the original and
/// no other metadata.
public struct Rendition: Sendable, Hashable {
    /// The JPEG file.
    public let bytes: [UInt8]
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The request that it was made for.
    public let specification: RenditionSpecification

    /// Creates a rendition. Nothing is checked.
    public init(bytes: [UInt8], width: Int, height: Int, specification: RenditionSpecification) {
        self.bytes = bytes
        self.width = width
        self.height = height
        self.specification = specification
    }

    /// The media type of every rendition.
    public static let mediaType = "image/jpeg"
}
