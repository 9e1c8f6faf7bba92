/// The steps of a ``TextPattern``, and the machine that takes all of them at once.
struct PatternProgram: Sendable {
    enum Step: Sendable {
        /// Goes on with the next character if it belongs to the class.
        case character(PatternClass)
        /// Goes on at both places.
        case fork(Int, Int)
        case jump(Int)
        case textStart
        case textEnd
        case wordEdge(isEdge: Bool)
        case match
    }

    var steps: [Step] = []

    /// Whether a match begins anywhere in a text.
    func hasMatch(in text: String) -> Bool {
        var machine = Machine(steps: steps)
        var previous: Unicode.Scalar?
        var isFirst = true
        var scalars = text.unicodeScalars.makeIterator()
        var next = scalars.next()
        while true {
            // A match may begin at every character.
            if machine.begin(isFirst: isFirst, previous: previous, next: next) { return true }
            guard let character = next else { return false }
            next = scalars.next()
            isFirst = false
            previous = character
            if machine.advance(over: character, next: next) { return true }
        }
    }

    /// The places in the program that the characters so far can have led to.
    private struct Machine {
        let steps: [Step]
        private var current: [Int] = []
        private var following: [Int] = []
        /// When a place was last entered, so that each is entered once for a character.
        private var entered: [Int]
        private var round = 0
        private var isPrepared = false

        init(steps: [Step]) {
            self.steps = steps
            entered = Array(repeating: -1, count: steps.count)
        }

        /// Enters the program at its beginning.
        ///
        /// - Returns: whether that is a match already.
        mutating func begin(isFirst: Bool, previous: Unicode.Scalar?, next: Unicode.Scalar?) -> Bool {
            if !isPrepared { round += 1 }
            isPrepared = false
            var places: [Int] = []
            swap(&places, &current)
            defer { swap(&places, &current) }
            return enter(0, &places, isFirst: isFirst, previous: previous, next: next)
        }

        /// Goes on over a character.
        mutating func advance(over character: Unicode.Scalar, next: Unicode.Scalar?) -> Bool {
            round += 1
            var reached: [Int] = []
            swap(&reached, &following)
            reached.removeAll(keepingCapacity: true)
            for place in current {
                guard case .character(let wanted) = steps[place], wanted.contains(character) else { continue }
                if enter(place + 1, &reached, isFirst: false, previous: character, next: next) { return true }
            }
            swap(&current, &following)
            swap(&reached, &current)
            isPrepared = true
            return false
        }

        private mutating func enter(
            _ start: Int, _ places: inout [Int], isFirst: Bool, previous: Unicode.Scalar?, next: Unicode.Scalar?
        ) -> Bool {
            var open = [start]
            while let place = open.popLast() {
                if entered[place] == round { continue }
                entered[place] = round
                switch steps[place] {
                case .character: places.append(place)
                case .fork(let first, let second): open += [second, first]
                case .jump(let target): open.append(target)
                case .textStart: if isFirst { open.append(place + 1) }
                case .textEnd: if next == nil { open.append(place + 1) }
                case .wordEdge(let isEdge):
                    let edge = PatternClass.isWord(previous) != PatternClass.isWord(next)
                    if edge == isEdge { open.append(place + 1) }
                case .match: return true
                }
            }
            return false
        }
    }
}

/// Characters of which one is wanted.
struct PatternClass: Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    var isNegated = false
    var ignoresCase = false

    static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    static let words: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5a, 0x5f...0x5f, 0x61...0x7a]
    static let spaces: [ClosedRange<UInt32>] = [0x09...0x0d, 0x20...0x20]

    /// Every character that is in none of these.
    static func complement(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
            next = max(next, range.upperBound + 1)
        }
        if next <= 0x10ffff { result.append(next...0x10ffff) }
        return result
    }

    func contains(_ character: Unicode.Scalar) -> Bool {
        if has(character.value) { return !isNegated }
        if ignoresCase {
            for other in [character.properties.lowercaseMapping, character.properties.uppercaseMapping] {
                let scalars = other.unicodeScalars
                if let first = scalars.first, scalars.count == 1, has(first.value) { return !isNegated }
            }
        }
        return isNegated
    }

    private func has(_ value: UInt32) -> Bool {
        for range in ranges where range.contains(value) { return true }
        return false
    }

    static func isWord(_ character: Unicode.Scalar?) -> Bool {
        guard let character else { return false }
        return words.contains { $0.contains(character.value) }
    }
}
