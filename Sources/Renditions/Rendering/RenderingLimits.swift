/// The limits of time and memory for a picture. Forged pictures state enormous sizes in a few bytes.
public struct RenderingLimits: Sendable, Hashable {
    /// The maximum number of pixels of an original.
    public var pixelCount = 200_000_000
    /// The maximum size of the file of an original, in bytes.
    public var sourceByteCount = 256 << 20
    /// The maximum memory that a decoder in this process uses besides the original, in bytes.
    public var byteCount = 256 << 20
    /// The maximum memory of a child process that decodes a picture, in bytes.
    public var toolByteCount = 768 << 20
    /// How long a child process may take.
    public var toolTime = Duration.seconds(20)

    /// The maximum number of scans of a progressive JPEG file. Encoders write about ten; each scan visits all of the
    /// picture's coefficients, even if it contains nothing.
    static let scanCount = 64

    /// The usual limits.
    public init() {}
}
