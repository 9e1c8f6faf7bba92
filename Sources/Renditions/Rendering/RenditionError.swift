#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reason why a picture cannot be rendered. A program shows a placeholder instead.
public struct RenditionError: Error, Sendable, Hashable {
    /// The kinds of reasons.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The bytes are not a picture of a known format.
        case unknownFormat
        /// The format is known, but no renderer on this machine reads it.
        case noRenderer
        /// The picture cannot be decoded.
        case damaged
        /// The picture has too many pixels, or decoding it needs too much memory.
        case tooLarge
        /// Decoding took too long.
        case timedOut
        /// The original cannot be read, for example because it is not stored.
        case unreadable
        /// The task was canceled.
        case cancelled
    }

    /// The kind of reason.
    public let code: Code
    /// A description of the failure, and what to do next. Contains nothing of the picture.
    public let message: String

    /// Creates a reason.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Throws if the current task was canceled.
    static func checkCancellation() throws(RenditionError) {
        if Task.isCancelled { throw RenditionError(.cancelled, "the rendition is no longer needed") }
    }

    static var unknownFormat: RenditionError {
        RenditionError(.unknownFormat, "the file is not a picture of a known format; open it in its program")
    }

    static func tooManyPixels(_ limits: RenderingLimits) -> RenditionError {
        RenditionError(
            .tooLarge, "the picture has more than \(limits.pixelCount) pixels; use a smaller version of it")
    }

    static func tooMuchMemory(_ byteCount: Int, _ limits: RenderingLimits) -> RenditionError {
        RenditionError(
            .tooLarge,
            "decoding the picture needs \(byteCount) bytes of memory, more than the limit of \(limits.byteCount); raise "
                + "it, or use a smaller version of the picture")
    }
}

extension RenditionError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}
