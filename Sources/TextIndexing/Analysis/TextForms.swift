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
        var rest = text.unicodeScalars[...]
        var result = ""
        while let place = rest.firstIndex(of: mistaken) {
            if place > rest.startIndex { result += mapped(String(rest[..<place]), composition) }
            result.unicodeScalars.append(mistaken)
            rest = rest[rest.index(after: place)...]
        }
        return result.isEmpty ? mapped(text, composition) : result + mapped(String(rest), composition)
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
        let isNormalizing = options != UTF8PROC_CASEFOLD
        let ordered = isNormalizing && hasManyMarks(text) ? withOrderedMarks(text, for: options) : text
        let utf8 = ordered.utf8Span.span
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

    // MARK: - Marks

    /// The number of consecutive marks that utf8proc may have to sort. It swaps neighbors, in quadratic time.
    private static let markLimit = 64

    /// Returns the marks that a scalar consists of; none if it is not a mark, or decomposes to something else.
    private static func marks(_ scalar: Unicode.Scalar, for options: utf8proc_option_t) -> [Unicode.Scalar] {
        switch scalar.value {
        case 0..<0x300: []
        // The only characters that are not marks themselves, and decompose to nothing but marks.
        case 0xf73: ["\u{f71}", "\u{f72}"]
        case 0xf75: ["\u{f71}", "\u{f74}"]
        case 0xf81: ["\u{f71}", "\u{f80}"]
        case 0xff9e where options.rawValue & UTF8PROC_COMPAT.rawValue != 0: ["\u{3099}"]
        case 0xff9f where options.rawValue & UTF8PROC_COMPAT.rawValue != 0: ["\u{309a}"]
        default: scalar.properties.canonicalCombiningClass == .notReordered ? [] : [scalar]
        }
    }

    /// Returns whether there may be more than ``markLimit`` consecutive marks: one of them is at a multiple of that number.
    private static func hasManyMarks(_ text: String) -> Bool {
        if text.utf8.count <= 2 * markLimit { return false }
        var number = 0
        for scalar in text.unicodeScalars {
            number += 1
            if number % markLimit == 0, !marks(scalar, for: UTF8PROC_COMPAT).isEmpty { return true }
        }
        return false
    }

    /// Returns an equivalent string in which consecutive marks are in the order of normalized text.
    private static func withOrderedMarks(_ text: String, for options: utf8proc_option_t) -> String {
        var result = String.UnicodeScalarView()
        var run: [(order: UInt8, place: Int, scalar: Unicode.Scalar)] = []
        func endRun() {
            run.sort { ($0.order, $0.place) < ($1.order, $1.place) }
            for mark in run { result.append(mark.scalar) }
            run.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars {
            let marks = marks(scalar, for: options)
            if marks.isEmpty {
                endRun()
                result.append(scalar)
            }
            for mark in marks { run.append((mark.properties.canonicalCombiningClass.rawValue, run.count, mark)) }
        }
        endRun()
        return String(result)
    }
}
