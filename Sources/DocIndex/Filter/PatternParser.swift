/// A recursive-descent parser for the notation of ``Filter/TextPattern``.
struct PatternParser {
    /// The maximum number of steps of a program, with repetitions expanded.
    private static let stepLimit = 5000
    /// The maximum nesting depth of groups.
    private static let depthLimit = 64

    private indirect enum Node {
        case nothing
        case character(PatternClass)
        case assertion(PatternProgram.Step)
        case sequence([Node])
        case choice([Node])
        case repeated(Node, least: Int, most: Int?)
    }

    private let text: [Unicode.Scalar]
    private let ignoresCase: Bool
    private var offset = 0
    private var depth = 0
    private var steps: [PatternProgram.Step] = []

    init(_ source: String, ignoresCase: Bool) {
        text = Array(source.unicodeScalars)
        self.ignoresCase = ignoresCase
    }

    mutating func program() throws -> PatternProgram {
        let node = try choice()
        if offset < text.count { throw fault("this ) has no opening (; write \\) for the character") }
        try emit(node)
        steps.append(.match)
        return PatternProgram(steps: steps)
    }

    // MARK: - Parsing

    private var next: Unicode.Scalar? { offset < text.count ? text[offset] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        offset += 1
        return true
    }

    private mutating func choice() throws -> Node {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else {
            throw fault("groups are nested more than \(Self.depthLimit) deep; simplify the pattern")
        }
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws -> Node {
        var parts: [Node] = []
        while let scalar = next, scalar != "|", scalar != ")" { parts.append(try repetition()) }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repetition() throws -> Node {
        let start = offset
        var node = try single()
        var signCount = 0
        while let scalar = next, scalar == "*" || scalar == "+" || scalar == "?" || scalar == "{" {
            signCount += 1
            guard signCount <= 3 else { throw fault("more than 3 repetitions in a row; remove some") }
            if case .assertion = node { throw fault("there is nothing to repeat here") }
            switch scalar {
            case "*": node = .repeated(node, least: 0, most: nil)
            case "+": node = .repeated(node, least: 1, most: nil)
            case "?": node = .repeated(node, least: 0, most: 1)
            default:
                offset += 1
                node = try counted(node, from: start)
                if take("?") {}
                continue
            }
            offset += 1
            if take("?") {}
            if next == "+" { throw fault("possessive repetitions are not supported") }
        }
        return node
    }

    private mutating func counted(_ node: Node, from start: Int) throws -> Node {
        guard let least = number() else { throw fault("a count is expected here; write \\{ for the character") }
        var most: Int? = least
        if take(",") { most = number() }
        guard take("}") else { throw fault("a } is expected here") }
        if let most, most < least { throw fault("the counts are in the wrong order") }
        guard max(least, most ?? 0) <= 1000 else { throw fault("a repetition count can be at most 1000") }
        return .repeated(node, least: least, most: most)
    }

    private mutating func number() -> Int? {
        let start = offset
        while let scalar = next, (0x30...0x39).contains(scalar.value), offset - start < 6 { offset += 1 }
        return Int(String(String.UnicodeScalarView(text[start..<offset])))
    }

    private mutating func single() throws -> Node {
        guard let scalar = next else { return .nothing }
        switch scalar {
        case "(": return try group()
        case "[": return .character(try bracket())
        case "*", "+", "?", "{":
            throw fault("there is nothing to repeat before this; write \\\(scalar) for the character")
        default: break
        }
        offset += 1
        switch scalar {
        case ".": return .character(PatternClass(ranges: [0x0a...0x0a], isNegated: true))
        case "^": return .assertion(.textStart)
        case "$": return .assertion(.textEnd)
        case "\\":
            if take("b") { return .assertion(.wordEdge(isEdge: true)) }
            if take("B") { return .assertion(.wordEdge(isEdge: false)) }
            return .character(PatternClass(ranges: try escape(), ignoresCase: ignoresCase))
        default: return .character(PatternClass(ranges: [scalar.value...scalar.value], ignoresCase: ignoresCase))
        }
    }

    private mutating func group() throws -> Node {
        let start = offset
        offset += 1
        if take("?"), !take(":") {
            throw fault("lookahead, lookbehind and named groups are not supported; use (…) or (?:…)", at: start)
        }
        let node = try choice()
        guard take(")") else { throw fault("this ( is not closed", at: start) }
        // A repetition that follows applies to the group rather than to its last part.
        if case .assertion = node { return .sequence([node]) }
        return node
    }

    private mutating func bracket() throws -> PatternClass {
        let start = offset
        offset += 1
        var found = PatternClass(isNegated: take("^"), ignoresCase: ignoresCase)
        var isFirst = true
        while let scalar = next, scalar != "]" || isFirst {
            isFirst = false
            offset += 1
            if scalar == "[", next == ":" { throw fault("classes such as [:alpha:] are not supported", at: start) }
            let lower = scalar == "\\" ? try escape() : [scalar.value...scalar.value]
            guard lower.count == 1, lower[0].count == 1, next == "-", offset + 1 < text.count, text[offset + 1] != "]"
            else {
                found.ranges += lower
                continue
            }
            offset += 1
            let end = text[offset]
            offset += 1
            let upper = end == "\\" ? try escape() : [end.value...end.value]
            guard upper.count == 1, upper[0].count == 1, lower[0].lowerBound <= upper[0].lowerBound else {
                throw fault("the range of characters is in the wrong order", at: start)
            }
            found.ranges.append(lower[0].lowerBound...upper[0].lowerBound)
        }
        guard take("]") else { throw fault("this [ is not closed", at: start) }
        return found.sorted
    }

    /// Parses an escape after its backslash, and returns the characters.
    private mutating func escape() throws -> [ClosedRange<UInt32>] {
        guard let scalar = next else { throw fault("nothing follows this \\") }
        offset += 1
        switch scalar {
        case "d": return PatternClass.digits
        case "w": return PatternClass.words
        case "s": return PatternClass.spaces
        case "D": return PatternClass.complement(of: PatternClass.digits)
        case "W": return PatternClass.complement(of: PatternClass.words)
        case "S": return PatternClass.complement(of: PatternClass.spaces)
        case "n": return [0x0a...0x0a]
        case "t": return [0x09...0x09]
        case "r": return [0x0d...0x0d]
        case "x", "u":
            let isBraced = take("{")
            let start = offset
            while let digit = next, digit.properties.isASCIIHexDigit,
                offset - start < (isBraced ? 6 : scalar == "x" ? 2 : 4)
            { offset += 1 }
            let digits = String(String.UnicodeScalarView(text[start..<offset]))
            guard let value = UInt32(digits, radix: 16), value <= 0x10ffff, !isBraced || take("}") else {
                throw fault("a character code is expected here")
            }
            return [value...value]
        case let letter where letter.isASCII && letter.properties.isAlphabetic || (0x30...0x39).contains(letter.value):
            offset -= 1
            throw fault("\\\(letter) is not supported")
        default: return [scalar.value...scalar.value]
        }
    }

    // MARK: - Code generation

    private mutating func emit(_ node: Node) throws {
        guard steps.count <= Self.stepLimit else {
            throw DocIndexError(
                .invalidQuery,
                "the pattern has more than \(Self.stepLimit) steps when its repetitions are expanded; simplify it",
                position: 0)
        }
        switch node {
        case .nothing: break
        case .character(let wanted): steps.append(.character(wanted))
        case .assertion(let step): steps.append(step)
        case .sequence(let parts): for part in parts { try emit(part) }
        case .choice(let parts): try emitChoice(parts[...])
        case .repeated(let part, let least, let most):
            for _ in 0..<least {
                let before = steps.count
                try emit(part)
                // If one repetition produces no steps, neither do the others.
                if steps.count == before { return }
            }
            if let most {
                var forks: [Int] = []
                for _ in least..<most {
                    forks.append(steps.count)
                    steps.append(.match)
                    try emit(part)
                }
                for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
            } else {
                let fork = steps.count
                steps.append(.match)
                try emit(part)
                steps.append(.jump(fork))
                steps[fork] = .fork(fork + 1, steps.count)
            }
        }
    }

    private mutating func emitChoice(_ parts: ArraySlice<Node>) throws {
        var ends: [Int] = []
        for (position, part) in parts.enumerated() {
            if position == parts.count - 1 {
                try emit(part)
                break
            }
            let fork = steps.count
            steps.append(.match)
            try emit(part)
            ends.append(steps.count)
            steps.append(.match)
            steps[fork] = .fork(fork + 1, steps.count)
        }
        for end in ends { steps[end] = .jump(steps.count) }
    }

    private func fault(_ reason: String, at place: Int? = nil) -> DocIndexError {
        let place = place ?? offset
        return DocIndexError(
            .invalidQuery, "the pattern cannot be read at character \(place + 1): \(reason)", position: place)
    }
}
