internal import CStemmer

/// One of Snowball's stemmers (libstemmer): what words of one stem have in common.
///
/// Has a buffer of its own and so belongs to one thread at a time; each ``AnalysisChain`` makes its own. The corresponding C
/// functions are `sb_stemmer_new`, `sb_stemmer_stem`, `sb_stemmer_length` and `sb_stemmer_delete`.
@safe final class Stemmer {
    private let handle: OpaquePointer

    /// A stemmer of a language; `nil` if the system's libstemmer does not have it, or memory is short.
    init?(_ language: TextLanguage) {
        guard let handle = unsafe sb_stemmer_new(language.rawValue, "UTF_8") else { return nil }
        unsafe self.handle = handle
    }

    deinit { unsafe sb_stemmer_delete(handle) }

    /// The stem of a word whose case is folded; the word itself if memory is short.
    func stem(_ word: [UInt8]) -> [UInt8] {
        // The C function counts in 32 bits; no language has such words.
        guard word.count <= 1000 else { return word }
        guard let stem = unsafe sb_stemmer_stem(handle, word, Int32(word.count)) else { return word }
        let count = Int(unsafe sb_stemmer_length(handle))
        return unsafe Array(UnsafeBufferPointer(start: stem, count: count))
    }
}

/// A language that has a stemmer; the names are Snowball's.
public enum TextLanguage: String, Sendable, Hashable, CaseIterable {
    case arabic, armenian, basque, catalan, danish, dutch, english, finnish, french, german, greek, hindi, hungarian,
        indonesian, irish, italian, lithuanian, nepali, norwegian, portuguese, romanian, russian, serbian, spanish,
        swedish, tamil, turkish, yiddish
}

extension TextLanguage {
    /// Whether the system's libstemmer knows the language.
    public var isAvailable: Bool { Stemmer(self) != nil }

    /// The rules by which words of the language are stemmed, as far as they are those of this library. What libstemmer makes
    /// of the words is told by ``StemmerIdentity``.
    var stemmingVersion: String { "snowball-\(rawValue)-2" }
}
