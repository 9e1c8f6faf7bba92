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

    /// Tells apart what libstemmers of different versions make of words, which have no number of their own: a hash of the
    /// stems of made-up words with the endings of the language.
    var stemmerVersion: String {
        guard let stemmer = Stemmer(self) else { return "snowball-\(rawValue)-none" }
        var hash: UInt64 = 0
        for beginning in script.beginnings {
            for ending in script.endings {
                hash = hash &* 31 &+ FNV1a.hash(stemmer.stem(Array((beginning + ending).utf8)))
            }
        }
        return "snowball-\(rawValue)-" + String(hash, radix: 16)
    }

    /// What the words that tell versions apart are made of.
    private var script: (beginnings: [String], endings: [String]) {
        switch self {
        case .arabic: (["كتاب", "والمدرس", "بالمدين", "سيلعب"], ["", "ة", "ات", "ون", "ين", "ها", "هم"])
        case .armenian: (["գիրք", "քաղաք", "սիրել"], ["", "ներ", "ում", "երի", "ությունը"])
        case .greek: (["βιβλι", "πολ", "θαλασσ", "γραφ"], ["", "ο", "ος", "α", "ων", "ους", "ουμε", "ησαν"])
        case .hindi, .nepali: (["लड़क", "किताब", "घर"], ["", "ा", "ी", "ों", "ियाँ", "हरू", "लाई", "एगा"])
        case .russian: (["книг", "красив", "чита", "мост"], ["", "а", "ов", "ами", "ость", "ыми", "ющийся", "ла"])
        case .serbian: (["knjig", "grad", "lep"], ["", "a", "ovima", "ski", "ost", "ijih"])
        case .tamil: (["வீடு", "மரம்", "நகர"], ["", "கள்", "க்கு", "ங்களை", "த்தில்"])
        case .yiddish: (["בוך", "הויז", "שרײַב"], ["", "ער", "ן", "ט", "קייט"])
        default:
            (
                ["kata", "berg", "libr", "nation", "happi", "schön", "fénn", "olvas"],
                [
                    "", "s", "es", "en", "er", "ing", "ed", "heit", "ung", "ement", "amente", "aciones", "ità", "lar",
                    "lerinden", "ssa", "ista", "oknak", "arna", "heten", "ilor", "kan", "ose", "ias", "ų", "ness", "ly",
                ]
            )
        }
    }
}
