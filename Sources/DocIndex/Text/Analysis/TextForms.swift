internal import CUTF8Proc

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Unicode's normalization forms and case folding, by utf8proc.
///
/// Foundation has them too, but only together with the data of all languages, some 40 MB.
enum TextForms {
    /// Returns the composed form (NFC).
    ///
    /// utf8proc drops U+11A7 after a Hangul syllable: it mistakes this code point, just below the final consonants, for
    /// one of them. It composes with nothing, so the parts around it are composed separately.
    static func composed(_ text: String) -> String {
        if isPlain(text) { return text }
        let mistaken: Unicode.Scalar = "\u{11a7}"
        guard text.unicodeScalars.contains(mistaken) else { return mapped(text, composition) }
        return text.unicodeScalars.split(separator: mistaken, omittingEmptySubsequences: false)
            .map { mapped(String($0), composition) }.joined(separator: String(mistaken))
    }

    /// Returns the decomposed form (NFD).
    static func decomposed(_ text: String) -> String { mapped(text, decomposition) }

    /// Returns the decomposed form in which compatible characters are replaced (NFKD).
    static func compatible(_ text: String) -> String {
        mapped(text, utf8proc_option_t(decomposition.rawValue | UTF8PROC_COMPAT.rawValue))
    }

    /// Returns the text with full case folding. Nothing is composed or decomposed.
    static func caseFolded(_ text: String) -> String { mapped(text, UTF8PROC_CASEFOLD) }

    private static let composition = utf8proc_option_t(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
    private static let decomposition = utf8proc_option_t(UTF8PROC_STABLE.rawValue | UTF8PROC_DECOMPOSE.rawValue)

    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    private static func mapped(_ text: String, _ options: utf8proc_option_t) -> String {
        let utf8 = text.utf8Span.span
        return unsafe utf8.withUnsafeBufferPointer { input in
            var output: UnsafeMutablePointer<UInt8>?
            let count = unsafe utf8proc_map(input.baseAddress, input.count, &output, options)
            defer { unsafe free(output) }
            guard count >= 0, let output = unsafe output else {
                // A string has no invalid UTF-8, so only memory can be missing. Swift's own strings end the process too.
                fatalError("utf8proc cannot map \(input.count) bytes of text: error \(count).")
            }
            return unsafe String(decoding: UnsafeBufferPointer(start: output, count: count), as: UTF8.self)
        }
    }
}
