internal import CStemmer

/// A Snowball stemmer (libstemmer): reduces the forms of a word to a common stem.
///
/// Owns a buffer, so it is not thread-safe; each ``AnalysisChain`` creates its own. The corresponding C functions are
/// `sb_stemmer_new`, `sb_stemmer_stem`, `sb_stemmer_length` and `sb_stemmer_delete`.
@safe final class Stemmer {
    private let handle: OpaquePointer

    /// Creates a stemmer for a language; `nil` if the system's libstemmer does not support it or memory is exhausted.
    init?(_ language: TextAnalyzer.Language) {
        guard let handle = unsafe sb_stemmer_new(language.rawValue, "UTF_8") else { return nil }
        unsafe self.handle = handle
    }

    deinit { unsafe sb_stemmer_delete(handle) }

    /// Returns the stem of a case-folded word; the word itself if memory is exhausted or if it has more than 1,000
    /// bytes.
    func stem(_ word: [UInt8]) -> [UInt8] {
        // The C function takes a 32-bit length. No language has words this long.
        guard word.count <= 1000 else { return word }
        guard let stem = unsafe sb_stemmer_stem(handle, word, Int32(word.count)) else { return word }
        let count = Int(unsafe sb_stemmer_length(handle))
        return unsafe Array(UnsafeBufferPointer(start: stem, count: count))
    }
}

extension TextAnalyzer {
    /// A language with a stemmer. The names are Snowball's.
    public enum Language: String, Sendable, Hashable, CaseIterable {
        case arabic, armenian, basque, catalan, danish, dutch, english, finnish, french, german, greek, hindi,
            hungarian,
            indonesian, irish, italian, lithuanian, nepali, norwegian, portuguese, romanian, russian, serbian, spanish,
            swedish, tamil, turkish, yiddish
    }
}

extension TextAnalyzer.Language {
    /// Whether the system's libstemmer supports the language.
    public var isAvailable: Bool { Stemmer(self) != nil }

    /// The version of this library's own rules for stemming the language. ``StemmerIdentity`` identifies the behavior
    /// of libstemmer.
    var stemmingVersion: String { "snowball-\(rawValue)-2" }
}
