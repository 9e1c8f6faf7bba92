/// Splits text into terms: the words that are indexed and searched.
///
/// A word is a run of letters, digits and combining marks. Case, accents and the width of East Asian letters are folded
/// away. Each ideograph, kana and Thai character is a separate word, so that any part of text without spaces can be
/// found.
///
/// This implements ``TextAnalyzer/simple``, the default; ``AnalysisChain`` implements the others. Foundation does the
/// folding, so an index depends on the Unicode version of the system that wrote it.
package enum SimpleAnalyzer {
    /// The terms of a string in order, as UTF-8 in one buffer.
    package struct Terms {
        private(set) var bytes: [UInt8] = []
        private(set) var ends: [Int] = []

        package init() {}

        /// The number of terms.
        package var count: Int { ends.count }

        /// The UTF-8 of the term at a zero-based position.
        package subscript(position: Int) -> ArraySlice<UInt8> {
            bytes[(position == 0 ? 0 : ends[position - 1])..<ends[position]]
        }

        mutating func removeAll() {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
        }

        /// Adds a term.
        mutating func append(_ term: Span<UInt8>) {
            for index in term.indices { bytes.append(term[index]) }
            ends.append(bytes.count)
        }

        /// Calls `body` with the UTF-8 of the term at a zero-based position.
        @inline(__always)
        package func withTerm<R>(_ position: Int, _ body: (Span<UInt8>) -> R) -> R {
            body(bytes.span.extracting((position == 0 ? 0 : ends[position - 1])..<ends[position]))
        }

        /// Ends a term that was appended byte by byte; does nothing if there are no new bytes.
        fileprivate mutating func endTerm() {
            if bytes.count > (ends.last ?? 0) { ends.append(bytes.count) }
        }

        fileprivate mutating func append(_ byte: UInt8) { bytes.append(byte) }

        fileprivate mutating func append(_ scalar: Unicode.Scalar) {
            UTF8.encode(scalar).map { bytes.append(contentsOf: $0) }
        }

        /// Adds the terms of an ASCII string; most strings are ASCII.
        ///
        /// - Returns: `false`, without adding anything, if the string is not ASCII.
        fileprivate mutating func appendPlain(_ text: Span<UInt8>) -> Bool {
            var (bytes, ends) = (self.bytes, self.ends)
            (self.bytes, self.ends) = ([], [])
            defer { (self.bytes, self.ends) = (bytes, ends) }
            let (start, endCount) = (bytes.count, ends.count)
            var count = start
            var termStart = start
            // Written in place: appending the bytes one by one would take longer than examining them.
            bytes.append(contentsOf: repeatElement(0, count: text.count))
            var output = bytes.mutableSpan
            let folded = SimpleAnalyzer.folded.span
            for index in text.indices {
                let byte = folded[Int(text[index])]
                if byte > SimpleAnalyzer.between {
                    output[count] = byte
                    count += 1
                } else if byte == SimpleAnalyzer.between {
                    if count > termStart {
                        ends.append(count)
                        termStart = count
                    }
                } else {
                    bytes.removeLast(bytes.count - start)
                    ends.removeLast(ends.count - endCount)
                    return false
                }
            }
            if count > termStart { ends.append(count) }
            bytes.removeLast(bytes.count - count)
            return true
        }

        /// The terms in byte order, each with its number of occurrences.
        var counted: [(term: ArraySlice<UInt8>, count: Int)] {
            let sorted = ends.indices.map { self[$0] }.sorted { $0.lexicographicallyPrecedes($1) }
            var result: [(term: ArraySlice<UInt8>, count: Int)] = []
            for term in sorted {
                if let last = result.last, last.term == term {
                    result[result.count - 1].count += 1
                } else {
                    result.append((term, 1))
                }
            }
            return result
        }
    }

    /// Appends the terms of `text`.
    package static func append(_ text: String, to terms: inout Terms) {
        if !terms.appendPlain(text.utf8Span.span) { appendFolded(text, to: &terms) }
    }

    /// Appends the terms of `text`, unless it has words that ``AnalysisChain`` must split.
    ///
    /// - Returns: `false`, without appending anything, if it has.
    static func appendUnlessJoined(_ text: String, to terms: inout Terms) -> Bool {
        if terms.appendPlain(text.utf8Span.span) { return true }
        if TextFolding.hasNonJoiner(text) { return false }
        appendFolded(text, to: &terms)
        return true
    }

    private static let (outside, between): (UInt8, UInt8) = (0, 1)

    /// The folded form of each byte: the letter or digit in lowercase, ``between`` for separators, ``outside`` for
    /// non-ASCII bytes.
    private static let folded: [UInt8] = (0...255).map { (byte: UInt8) in
        switch byte {
        case 0x30...0x39, 0x61...0x7a: byte
        case 0x41...0x5a: byte | 0x20
        case 0x80...: outside
        default: between
        }
    }

    private static func appendFolded(_ text: String, to terms: inout Terms) {
        // Canonically equivalent strings give the same terms: macOS decomposes kana and Hangul in file names.
        for scalar in TextFolding.folded(text, case: true, accents: true).unicodeScalars {
            switch kind(of: scalar) {
            case .letter: terms.append(scalar)
            case .word:
                terms.endTerm()
                terms.append(scalar)
                terms.endTerm()
            case .separator: terms.endTerm()
            case .invisible: break
            }
        }
        terms.endTerm()
    }

    /// The role of a character in splitting text.
    enum Part { case inside, alone, between }

    /// Returns whether a character is part of a word, a separate word, or between words.
    static func kind(of character: Character) -> Part {
        character.unicodeScalars.first.map(part) ?? .between
    }

    /// Same as ``kind(of:)``, for a scalar.
    static func part(of scalar: Unicode.Scalar) -> Part {
        switch kind(of: scalar) {
        case .letter, .invisible: .inside
        case .word: .alone
        case .separator: .between
        }
    }

    /// Returns whether a segment of text that contains this scalar is a word.
    static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch kind(of: scalar) {
        case .letter, .word: true
        case .separator, .invisible: scalar.properties.isEmojiModifier || (0x1f1e6...0x1f1ff).contains(scalar.value)
        }
    }

    private enum Kind { case letter, word, separator, invisible }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        if scalar.value < 0x80 {
            switch scalar.value {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: return .letter
            default: return .separator
            }
        }
        // Soft hyphens and variation selectors neither separate words nor belong to them.
        if scalar.value == 0xad || scalar == TextFolding.nonJoiner || scalar.properties.isVariationSelector {
            return .invisible
        }
        if scalar.properties.isIdeographic { return .word }
        switch scalar.value {
        case 0x3040...0x30ff, 0x31f0...0x31ff, 0x0e00...0x0e7f: return .word
        default: break
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            return .letter
        // An emoji is searched like a word.
        case .otherSymbol: return scalar.properties.isEmoji ? .word : .separator
        default: return .separator
        }
    }
}
