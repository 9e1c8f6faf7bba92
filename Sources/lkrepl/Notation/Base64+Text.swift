extension Base64 {
    /// `bytes` in base64.
    static func text(of bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        append(bytes.span, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
