/// The size and the compression of a rendition.
public struct RenditionSpecification: Sendable, Hashable {
    /// The name under which renditions are stored, such as `thumbnail`.
    public let name: String
    /// The maximum width and height in pixels; `nil` for the size of the original. Pictures are never enlarged.
    public let longEdge: Int?
    /// The quality of the JPEG compression, from 1 to 100.
    public let quality: Int

    /// At most 256 pixels wide and high: for grids.
    public static let thumbnail = RenditionSpecification(trusted: "thumbnail", longEdge: 256, quality: 80)
    /// At most 2,048 pixels wide and high: for a whole screen.
    public static let preview = RenditionSpecification(trusted: "preview", longEdge: 2048, quality: 80)
    /// As large as the original. A JPEG file is turned without loss, and loses its metadata.
    public static let full = RenditionSpecification(trusted: "full", longEdge: nil, quality: 92)

    /// Creates a specification; `nil` if a parameter is invalid.
    ///
    /// - Parameters:
    ///   - name: one to 32 characters: lowercase letters, digits and `-`. Renditions of an earlier specification with
    ///     the same name and another size or quality are made again.
    ///   - longEdge: from 1 to 65,535; `nil` for the size of the original.
    ///   - quality: from 1 to 100.
    public init?(name: String, longEdge: Int?, quality: Int = 80) {
        let isNamed =
            1...32 ~= name.utf8.count
            && name.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: "-")
            }
        guard isNamed, 1...65_535 ~= longEdge ?? 1, 1...100 ~= quality else { return nil }
        self.init(trusted: name, longEdge: longEdge, quality: quality)
    }

    private init(trusted name: String, longEdge: Int?, quality: Int) {
        self.name = name
        self.longEdge = longEdge
        self.quality = quality
    }

    /// Returns the size of the rendition of a picture: with equal proportions, rounded, at least one pixel.
    func size(width: Int, height: Int) -> (width: Int, height: Int) {
        let long = max(width, height)
        guard let longEdge, long > longEdge else { return (width, height) }
        func reduced(_ side: Int) -> Int { max(1, (side * longEdge + long / 2) / long) }
        return (reduced(width), reduced(height))
    }
}
