/// Splits text at the word boundaries of UAX #29 (revision of Unicode 15), so that symbols and spaces are parts too.
enum WordBreaks {
    /// Calls `body` with each part of a string: the scalars from one boundary to the next.
    ///
    /// - Complexity: O(*n*).
    static func forEachPart(
        of scalars: [Unicode.Scalar], _ classes: [WordBreakClass], _ body: (Range<Int>) -> Void
    ) {
        guard var left = classes.first else { return }
        /// The last two classes before an index that rule WB4 does not ignore.
        var beforeLeft = WordBreakClass.other
        var before = left
        var indicatorCount = left == .regionalIndicator ? 1 : 0
        var start = 0
        for index in 1..<max(1, classes.count) {
            let next = classes[index]
            let isBroken = isBreak(
                scalars, classes, at: index, before: before, left: left, beforeLeft: beforeLeft,
                indicatorCount: indicatorCount)
            if isBroken {
                body(start..<index)
                start = index
            }
            before = next
            // After a line end nothing is ignored: a mark there stands alone.
            if next.isIgnored, !left.isLineEnd { continue }
            indicatorCount = next == .regionalIndicator ? (left == .regionalIndicator ? indicatorCount + 1 : 1) : 0
            beforeLeft = left
            left = next
        }
        body(start..<classes.count)
    }

    /// Returns whether there is a boundary before a scalar.
    private static func isBreak(
        _ scalars: [Unicode.Scalar], _ classes: [WordBreakClass], at index: Int, before: WordBreakClass,
        left: WordBreakClass, beforeLeft: WordBreakClass, indicatorCount: Int
    ) -> Bool {
        let next = classes[index]
        // WB3, WB3a, WB3b: line ends.
        if before == .carriageReturn, next == .lineFeed { return false }
        if before.isLineEnd || next.isLineEnd { return true }
        // WB3c, WB3d: joined emoji, spaces.
        if before == .joiner, isPictographic(scalars[index]) { return false }
        if before == .space, next == .space { return false }
        // WB4
        if next.isIgnored { return false }
        func following() -> WordBreakClass {
            var place = index + 1
            while place < classes.count, classes[place].isIgnored { place += 1 }
            return place < classes.count ? classes[place] : .other
        }
        if left.isLetter {
            // WB5, WB9, WB7a, WB13a
            if next.isLetter || next == .numeric || next == .extendNumLet { return false }
            if left == .hebrewLetter, next == .singleQuote { return false }
            // WB6, WB7b
            if next == .midLetter || next == .midNumLet || next == .singleQuote { return !following().isLetter }
            if left == .hebrewLetter, next == .doubleQuote { return following() != .hebrewLetter }
            return true
        }
        switch left {
        case .midLetter: return !(beforeLeft.isLetter && next.isLetter)
        // WB7, WB11
        case .midNumLet, .singleQuote:
            return !(beforeLeft.isLetter && next.isLetter || beforeLeft == .numeric && next == .numeric)
        case .midNum: return !(beforeLeft == .numeric && next == .numeric)
        // WB7c
        case .doubleQuote: return !(beforeLeft == .hebrewLetter && next == .hebrewLetter)
        case .numeric:
            // WB8, WB10, WB13a, WB12
            if next == .numeric || next.isLetter || next == .extendNumLet { return false }
            if next == .midNum || next == .midNumLet || next == .singleQuote { return following() != .numeric }
            return true
        // WB13, WB13a, WB13b
        case .katakana: return next != .katakana && next != .extendNumLet
        case .extendNumLet:
            return !(next.isLetter || next == .numeric || next == .katakana || next == .extendNumLet)
        // WB15, WB16: flags are pairs.
        case .regionalIndicator: return !(next == .regionalIndicator && indicatorCount % 2 == 1)
        default: return true
        }
    }

    /// Extended_Pictographic, which the standard library does not provide: emoji except digits and symbols, and code
    /// points reserved for future emoji.
    static func isPictographic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xa9, 0xae, 0x203c...0x3299:
            scalar.properties.isEmoji || isReserved(scalar.value)
        case 0x1f000...0x1f0ff, 0x1f10d...0x1f10f, 0x1f12f, 0x1f16c...0x1f171, 0x1f17e...0x1f17f, 0x1f18e,
            0x1f191...0x1f19a, 0x1f1ad...0x1f1e5, 0x1f201...0x1f20f, 0x1f21a, 0x1f22f, 0x1f232...0x1f23a,
            0x1f23c...0x1f23f, 0x1f249...0x1f3fa, 0x1f400...0x1f53d, 0x1f546...0x1f64f, 0x1f680...0x1f6ff,
            0x1f774...0x1f77f, 0x1f7d5...0x1f7ff, 0x1f80c...0x1f80f, 0x1f848...0x1f84f, 0x1f85a...0x1f85f,
            0x1f888...0x1f88f, 0x1f8ae...0x1f8ff, 0x1f90c...0x1f93a, 0x1f93c...0x1f945, 0x1f947...0x1faff,
            0x1fc00...0x1fffd:
            true
        default: false
        }
    }

    /// Pictographs below the emoji planes that are not Emoji.
    private static func isReserved(_ value: UInt32) -> Bool {
        switch value {
        case 0x2388, 0x2600...0x2605, 0x2607...0x2612, 0x2614...0x2685, 0x2690...0x2705, 0x2708...0x2712,
            0x2763...0x2767:
            true
        default: false
        }
    }
}

extension WordBreakClass {
    fileprivate var isLineEnd: Bool { self == .carriageReturn || self == .lineFeed || self == .newline }
}
