/// A ``TextAnalyzer`` in use: converts strings of fields to terms, and searched words to the terms to look up.
///
/// Contains buffers and a stemmer, so it is not thread-safe. The form of terms is part of the on-disk format: words as
/// they are, stems after ``stemMark``, which no word begins with.
package final class AnalysisChain {
    let analyzer: TextAnalyzer
    let isPlain: Bool
    private let stemmer: Stemmer?
    private let words: AnalysisWords
    private let elisions: Set<String>
    /// Whether accents must be kept until the string is split into words.
    private let needsAccents: Bool
    /// Whether `I` and `i` are different letters.
    private let hasTurkishI: Bool

    private var scalars: [Unicode.Scalar] = []
    private var classes: [WordBreakClass] = []
    private var word: [UInt8] = []

    /// The byte before a stem. Part of the on-disk format; must not change.
    static let stemMark: UInt8 = 0x01
    /// The maximum size of a word in bytes; longer words are cut. Nobody searches for them, and each word is a key.
    static let wordByteLimit = 1000

    package init(_ analyzer: TextAnalyzer) {
        self.analyzer = analyzer
        isPlain = analyzer.isPlain
        stemmer = analyzer.hasWords ? analyzer.language.flatMap(Stemmer.init) : nil
        elisions = analyzer.hasWords ? analyzer.language?.elisions ?? [] : []
        needsAccents = analyzer.accents == .oneWay || (analyzer.accents == .fold && stemmer != nil)
        hasTurkishI = analyzer.language == .turkish && analyzer.foldsCase
        words = AnalysisWords.of(analyzer)
    }

    /// Returns the chains for several fields; fields with the same analyzer share one.
    package static func chains(_ analyzers: [TextAnalyzer]) -> [AnalysisChain] {
        // There are few analyzers, usually one, so a linear search is faster than hashing.
        var known: [AnalysisChain] = []
        return analyzers.map { analyzer in
            if let chain = known.first(where: { $0.analyzer == analyzer }) { return chain }
            let chain = AnalysisChain(analyzer)
            known.append(chain)
            return chain
        }
    }

    // MARK: - Documents

    /// Calls `body` with each term of a string and the position of its word. Positions ascend; several terms may have
    /// the same position.
    ///
    /// - Returns: the number of words, and the number of positions including the positions of omitted words.
    func forEachTerm(
        of text: String, _ body: (_ term: Span<UInt8>, _ position: UInt32) -> Void
    ) -> (words: Int, positions: UInt32) {
        var position: UInt32 = 0
        var words = 0
        switch analyzer.tokenizer {
        case .keyword:
            word = Array(whole(text, keepsAccents: needsAccents).utf8.prefix(Self.wordByteLimit))
            if word.isEmpty { return (0, 0) }
            emitForms(position, body)
            return (1, 1)
        case .ngrams:
            takeScalars(of: whole(text, keepsAccents: false))
            let count = scalars.count
            for start in 0..<count {
                setWord(scalars[start..<min(count, start + analyzer.gramLength)])
                body(word.span, position)
                position += 1
            }
            return (count, position)
        case .simple, .words:
            if let count = forEachPlainTerm(of: text, body) { return count }
            var run = 0..<0
            forEachToken(of: fold(text, keepsAccents: needsAccents)) { range, isIdeograph, isJoined in
                if isIdeograph, analyzer.pairsIdeographs {
                    if !isJoined || run.isEmpty || run.upperBound != range.lowerBound {
                        flush(run, &position, &words, body)
                        run = range
                    } else {
                        run = run.lowerBound..<range.upperBound
                    }
                    return
                }
                flush(run, &position, &words, body)
                run = 0..<0
                setWord(scalars[range])
                if elide(), !isStopWord() {
                    emitForms(position, body)
                    words += 1
                }
                // A joined word is also found by its parts, at consecutive positions.
                for (number, part) in parts(of: range).enumerated() {
                    if number > 0 { position += 1 }
                    setWord(scalars[part])
                    if elide(), !isStopWord() { emitForms(position, body) }
                }
                position += 1
            }
            flush(run, &position, &words, body)
            return (words, position)
        }
    }

    /// A fast version of ``forEachTerm(of:_:)`` for the tokenizer `words` and ASCII strings, which are the most common.
    ///
    /// - Returns: `nil`, without calling `body`, if it does not apply.
    private func forEachPlainTerm(
        of text: String, _ body: (_ term: Span<UInt8>, _ position: UInt32) -> Void
    ) -> (words: Int, positions: UInt32)? {
        let bytes = text.utf8Span.span
        guard analyzer.tokenizer == .words else { return nil }
        for index in 0..<bytes.count where bytes[index] >= 0x80 { return nil }
        if hasTurkishI { for index in 0..<bytes.count where bytes[index] == 0x49 { return nil } }
        var position: UInt32 = 0
        var words = 0
        var index = 0
        while index < bytes.count {
            guard Self.isOfWord(bytes[index]) else {
                index += 1
                continue
            }
            word.removeAll(keepingCapacity: true)
            // Underscores alone are not a word.
            var hasLetters = false
            while index < bytes.count {
                let byte = bytes[index]
                guard Self.isOfWord(byte) || Self.joins(bytes, index) else { break }
                if byte != 0x5f { hasLetters = true }
                if word.count < Self.wordByteLimit {
                    word.append(analyzer.foldsCase && (0x41...0x5a).contains(byte) ? byte | 0x20 : byte)
                }
                index += 1
            }
            if !hasLetters { continue }
            if elide(), !isStopWord() {
                emitForms(position, body)
                words += 1
            }
            position += 1
        }
        return (words, position)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isOfWord(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == 0x5f }

    /// Returns whether a symbol joins the letters or digits on both sides: WB6, WB7, WB11, WB12.
    private static func joins(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        guard index > 0, index + 1 < bytes.count else { return false }
        let (before, behind) = (bytes[index - 1], bytes[index + 1])
        return switch bytes[index] {
        case 0x27, 0x2e: isLetter(before) && isLetter(behind) || isDigit(before) && isDigit(behind)
        case 0x3a: isLetter(before) && isLetter(behind)
        case 0x2c, 0x3b: isDigit(before) && isDigit(behind)
        default: false
        }
    }

    /// Emits a run of ideographs: a pair for each one and the next, and the last one alone. Thus every single ideograph
    /// is a prefix of a term.
    private func flush(
        _ run: Range<Int>, _ position: inout UInt32, _ words: inout Int, _ body: (Span<UInt8>, UInt32) -> Void
    ) {
        for start in run {
            // Marks that are kept belong to the character before them, if any.
            if start > run.lowerBound, classes[start].isIgnored { continue }
            var end = start + 1
            while end < run.upperBound, classes[end].isIgnored { end += 1 }
            if end < run.upperBound { end += 1 }
            while end < run.upperBound, classes[end].isIgnored { end += 1 }
            setWord(scalars[start..<end])
            body(word.span, position)
            position += 1
            words += 1
        }
    }

    /// Emits the terms of the word in ``word``.
    private func emitForms(_ position: UInt32, _ body: (Span<UInt8>, UInt32) -> Void) {
        let word = word
        guard needsAccents || stemmer != nil else {
            body(word.span, position)
            return
        }
        let plain = Self.withoutAccents(word)
        if analyzer.accents == .oneWay {
            body(word.span, position)
            if plain != word, !plain.isEmpty { body(plain.span, position) }
        } else {
            let surface = analyzer.accents == .fold ? plain : word
            body(surface.span, position)
        }
        guard stemmer != nil else { return }
        // A word typed without accents is found too.
        let stem = stemTerm(word)
        body(stem.span, position)
        if plain != word, analyzer.accents != .keep {
            let other = stemTerm(plain)
            if other != stem { body(other.span, position) }
        }
    }

    /// Returns the term for the stem of a word.
    private func stemTerm(_ word: [UInt8]) -> [UInt8] {
        let stem = stemmer?.stem(word) ?? word
        return [Self.stemMark] + (analyzer.accents == .fold ? Self.withoutAccents(stem) : stem)
    }

    private static func withoutAccents(_ word: [UInt8]) -> [UInt8] {
        for byte in word where byte >= 0x80 {
            return Array(TextFolding.folded(String(decoding: word, as: UTF8.self), case: false, accents: true).utf8)
        }
        return word
    }

    // MARK: - Words

    private func fold(_ text: String, keepsAccents: Bool) -> String {
        let folds = analyzer.accents == .fold && !keepsAccents
        return TextFolding.folded(
            hasTurkishI ? TextFolding.withTurkishI(text) : text, case: analyzer.foldsCase, accents: folds)
    }

    /// Returns the folded string as one word.
    private func whole(_ text: String, keepsAccents: Bool) -> String {
        let folded = collapsed(fold(text, keepsAccents: keepsAccents))
        guard TextFolding.hasNonJoiner(folded) else { return folded }
        return String(String.UnicodeScalarView(folded.unicodeScalars.filter { $0 != TextFolding.nonJoiner }))
    }

    private func takeScalars(of text: String) {
        scalars.removeAll(keepingCapacity: true)
        scalars += text.unicodeScalars
    }

    /// Returns the string with runs of whitespace replaced by a single space, and trimmed.
    private func collapsed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func setWord(_ part: ArraySlice<Unicode.Scalar>) {
        word.removeAll(keepingCapacity: true)
        for scalar in part {
            if scalar.value < 0x80 {
                word.append(UInt8(truncatingIfNeeded: scalar.value))
            } else if scalar != TextFolding.nonJoiner {
                word += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
            if word.count >= Self.wordByteLimit { break }
        }
    }

    /// Calls `body` with the range of scalars of each word, whether the word is an ideograph, kana or Hangul, which may
    /// form a pair with its neighbor, and whether it directly follows the word before it.
    private func forEachToken(
        of text: String, _ body: (_ range: Range<Int>, _ isIdeograph: Bool, _ isJoined: Bool) -> Void
    ) {
        takeScalars(of: text)
        classes.removeAll(keepingCapacity: true)
        for scalar in scalars { classes.append(WordBreakClass(scalar)) }
        var end = 0
        func token(_ range: Range<Int>) {
            body(range, Self.isIdeograph(scalars[range.lowerBound]), end == range.lowerBound)
            end = range.upperBound
        }
        if analyzer.tokenizer == .words {
            WordBreaks.forEachPart(of: scalars, classes) { range in
                if range.contains(where: { SimpleAnalyzer.isPartOfWord(scalars[$0]) }) { token(range) }
            }
            return
        }
        var start: Int?
        for index in scalars.indices {
            switch SimpleAnalyzer.part(of: scalars[index]) {
            case .inside: start = start ?? index
            case .alone:
                if let begin = start { token(begin..<index) }
                start = nil
                token(index..<index + 1)
            case .between:
                if let begin = start { token(begin..<index) }
                start = nil
            }
        }
        if let begin = start { token(begin..<scalars.count) }
    }

    /// Returns the ranges of the parts of a word between zero-width non-joiners; none if it has no non-joiner.
    private func parts(of range: Range<Int>) -> [Range<Int>] {
        guard scalars[range].contains(TextFolding.nonJoiner) else { return [] }
        return scalars[range].split(separator: TextFolding.nonJoiner).map(\.indices)
    }

    private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3041...0x30ff, 0x31f0...0x31ff, 0xac00...0xd7a3, 0x1b000...0x1b16f: true
        case 0x2e80...0x9fff, 0xf900...0xfaff, 0x20000...0x323af: scalar.properties.isIdeographic
        default: false
        }
    }

    /// Removes an elided article with its apostrophe and emoji modifiers, and replaces typographic apostrophes.
    ///
    /// - Returns: whether anything is left.
    private func elide() -> Bool {
        guard word.contains(where: { $0 == 0x27 || $0 >= 0x80 }) else { return !word.isEmpty }
        var text = String(decoding: word, as: UTF8.self)
        if text.unicodeScalars.contains(where: { $0 == "\u{2019}" || $0.properties.isEmojiModifier }) {
            var changed = String.UnicodeScalarView()
            for scalar in text.unicodeScalars where !scalar.properties.isEmojiModifier || text.unicodeScalars.count == 1
            {
                changed.append(scalar == "\u{2019}" ? "'" : scalar)
            }
            text = String(changed)
            word = Array(text.utf8)
        }
        guard !elisions.isEmpty, let sign = text.unicodeScalars.firstIndex(of: "'") else { return hasLetters() }
        let before = TextFolding.folded(String(text.unicodeScalars[..<sign]), case: true, accents: true)
        let behind = text.unicodeScalars[text.unicodeScalars.index(after: sign)...]
        if elisions.contains(before), !behind.isEmpty { word = Array(String(behind).utf8) }
        return hasLetters()
    }

    /// Returns whether the word consists of more than accents that are folded away.
    private func hasLetters() -> Bool { !(needsAccents ? Self.withoutAccents(word) : word).isEmpty }

    private func isStopWord() -> Bool {
        !words.stopWords.isEmpty && words.stopWords.contains(Self.withoutAccents(word))
    }

    // MARK: - Searches

    /// A searched word.
    package struct Token: Hashable {
        /// The number of words before it.
        let position: UInt32
        package let form: Form

        package enum Form: Hashable {
            case term([UInt8])
            /// All terms with this prefix.
            case prefix([UInt8])
        }

        var term: [UInt8]? { if case .term(let term) = form { term } else { nil } }
    }

    /// Returns the words of a searched string, without the words that the index leaves out.
    ///
    /// - Parameters:
    ///   - isExact: whether to look up words as written instead of their stems.
    ///   - keepsStopWords: whether to include stop words, because they may be the beginning of another word.
    package func tokens(of text: String, isExact: Bool, keepsStopWords: Bool = false) -> [Token] {
        var tokens: [Token] = []
        switch analyzer.tokenizer {
        case .keyword:
            word = Array(whole(text, keepsAccents: needsAccents).utf8.prefix(Self.wordByteLimit))
            return word.isEmpty ? [] : [Token(position: 0, form: .term(word))]
        case .ngrams:
            takeScalars(of: whole(text, keepsAccents: false))
            let length = analyzer.gramLength
            if scalars.isEmpty { return [] }
            if scalars.count < length {
                setWord(scalars[...])
                return [Token(position: 0, form: .prefix(word))]
            }
            for start in 0...(scalars.count - length) {
                setWord(scalars[start..<start + length])
                tokens.append(Token(position: UInt32(clamping: start), form: .term(word)))
            }
            return tokens
        case .simple, .words:
            var terms = SimpleAnalyzer.Terms()
            if isPlain, SimpleAnalyzer.appendUnlessJoined(text, to: &terms) {
                return (0..<terms.count).map {
                    Token(position: UInt32(clamping: $0), form: .term(Array(terms[$0])))
                }
            }
            var position: UInt32 = 0
            var run: [ArraySlice<Unicode.Scalar>] = []
            func flush() {
                for (index, part) in run.enumerated() {
                    if run.count == 1 {
                        setWord(part)
                        tokens.append(Token(position: position, form: .prefix(word)))
                    } else if index + 1 < run.count {
                        setWord(part + run[index + 1])
                        tokens.append(Token(position: position, form: .term(word)))
                    }
                    position += 1
                }
                run = []
            }
            forEachToken(of: fold(text, keepsAccents: needsAccents)) { range, isIdeograph, isJoined in
                if isIdeograph, analyzer.pairsIdeographs {
                    if !isJoined { flush() }
                    var start = range.lowerBound
                    for index in range.dropFirst() where !classes[index].isIgnored {
                        run.append(scalars[start..<index])
                        start = index
                    }
                    run.append(scalars[start..<range.upperBound])
                    return
                }
                flush()
                setWord(scalars[range])
                if elide(), keepsStopWords || !isStopWord() {
                    tokens.append(Token(position: position, form: .term(term(isExact: isExact))))
                }
                position += UInt32(clamping: max(1, parts(of: range).count))
            }
            flush()
            return tokens
        }
    }

    /// Returns the words of a searched string if its joined words, such as `می‌خواهم`, are written with a space; `nil` if
    /// it has none.
    func separatedTokens(of text: String, isExact: Bool) -> [Token]? {
        guard analyzer.hasWords, TextFolding.hasNonJoiner(text) else { return nil }
        let separated = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0 == TextFolding.nonJoiner ? " " : $0 }))
        let tokens = tokens(of: separated, isExact: isExact)
        return tokens.count > 1 ? tokens : nil
    }

    /// Returns the term that the word in ``word`` is looked up by.
    private func term(isExact: Bool) -> [UInt8] {
        if !isExact, stemmer != nil { return stemTerm(word) }
        return needsAccents && analyzer.accents == .fold ? Self.withoutAccents(word) : word
    }

    /// Returns the synonyms of a word or phrase, each as its terms.
    func synonyms(of tokens: [Token]) -> [[[UInt8]]] {
        if words.synonyms.isEmpty { return [] }
        return words.synonyms[tokens.compactMap(\.term)] ?? []
    }
}
