internal import Pictures

/// An original, to be rendered.
public struct Picture: Sendable {
    /// The file.
    public let bytes: [UInt8]
    let format: PictureFormat?

    /// Takes a file. Its first bytes tell the format.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        format = PictureFormat(of: bytes)
    }

    /// The media type; `nil` if the format is unknown.
    public var mediaType: String? { format?.mediaType }
}
