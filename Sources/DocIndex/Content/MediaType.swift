/// The media types of files, by the extensions of their names.
enum MediaType {
    /// Returns the type of a file; ``Attachment/unknownType`` for an unknown extension.
    static func ofFile(named name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return Attachment.unknownType }
        return types[name[name.index(after: dot)...].lowercased()] ?? Attachment.unknownType
    }

    /// Registered types, and the unregistered ones that `file` and browsers use for pictures of cameras.
    private static let types: [String: String] = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "jpe": "image/jpeg", "png": "image/png", "gif": "image/gif",
        "webp": "image/webp", "tif": "image/tiff", "tiff": "image/tiff", "heic": "image/heic", "heif": "image/heif",
        "avif": "image/avif", "jxl": "image/jxl", "bmp": "image/bmp", "svg": "image/svg+xml",
        "psd": "image/vnd.adobe.photoshop",
        "dng": "image/x-adobe-dng", "cr2": "image/x-canon-cr2", "cr3": "image/x-canon-cr3", "nef": "image/x-nikon-nef",
        "arw": "image/x-sony-arw", "raf": "image/x-fuji-raf", "orf": "image/x-olympus-orf",
        "rw2": "image/x-panasonic-rw2", "pef": "image/x-pentax-pef", "srw": "image/x-samsung-srw",
        "mov": "video/quicktime", "mp4": "video/mp4", "m4v": "video/x-m4v", "avi": "video/x-msvideo",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "wav": "audio/wav", "pdf": "application/pdf",
        "xmp": "application/rdf+xml", "json": "application/json", "xml": "application/xml", "txt": "text/plain",
        "csv": "text/csv", "html": "text/html", "zip": "application/zip",
    ]
}
