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

    /// A step as the machine reads it. Trivial, so that reading one counts no references.
    fileprivate struct Instruction {
        enum Kind: UInt8 { case character, fork, jump, textStart, textEnd, wordEdge, noWordEdge, match }

        var kind: Kind
        /// The number of the class, or the place where it goes on.
        var first: Int32 = 0
        var second: Int32 = 0
    }

    /// The characters of ASCII in a class, a bit for each.
    fileprivate struct ASCIISet {
        var low: UInt64 = 0
        var high: UInt64 = 0

        func contains(_ value: UInt32) -> Bool {
            (value < 64 ? low >> UInt64(value) : high >> UInt64(value - 64)) & 1 == 1
        }

        mutating func formUnion(_ other: ASCIISet) {
            low |= other.low
            high |= other.high
        }
    }

    fileprivate let code: [Instruction]
    fileprivate let classes: [PatternClass]
    fileprivate let sets: [ASCIISet]
    /// The characters of ASCII that a match can begin with; `nil` where it may be empty.
    private var beginnings: ASCIISet?

    init(steps: [Step]) {
        var code: [Instruction] = []
        var classes: [PatternClass] = []
        for step in steps {
            switch step {
            case .character(let wanted):
                code.append(Instruction(kind: .character, first: Int32(classes.count)))
                classes.append(wanted)
            case .fork(let first, let second):
                code.append(Instruction(kind: .fork, first: Int32(first), second: Int32(second)))
            case .jump(let target): code.append(Instruction(kind: .jump, first: Int32(target)))
            case .textStart: code.append(Instruction(kind: .textStart))
            case .textEnd: code.append(Instruction(kind: .textEnd))
            case .wordEdge(let isEdge): code.append(Instruction(kind: isEdge ? .wordEdge : .noWordEdge))
            case .match: code.append(Instruction(kind: .match))
            }
        }
        self.code = code
        self.classes = classes
        sets = classes.map {
            let (low, high) = $0.ascii
            return ASCIISet(low: low, high: high)
        }
        beginnings = findBeginnings()
    }

    private func findBeginnings() -> ASCIISet? {
        var found = ASCIISet()
        var seen = Array(repeating: false, count: code.count)
        var open = [0]
        while let place = open.popLast() {
            if seen[place] { continue }
            seen[place] = true
            let step = code[place]
            switch step.kind {
            case .character: found.formUnion(sets[Int(step.first)])
            case .fork: open += [Int(step.second), Int(step.first)]
            case .jump: open.append(Int(step.first))
            case .textStart, .textEnd, .wordEdge, .noWordEdge: open.append(place + 1)
            case .match: return nil
            }
        }
        return found
    }

    /// How many steps the search for a match may take in a text, whatever its length: about a second of work. Patterns that
    /// people write take a few for each character. Tests lower it.
    @TaskLocal static var stepLimit = 100_000_000

    /// How many steps it may take for each byte besides.
    private static let stepLimitOfByte = 32

    /// Whether a match begins anywhere in a text.
    func hasMatch(in text: String) -> Bool {
        hasMatch(in: text) { (_) throws(Never) in }
    }

    /// Whether a match begins anywhere in a text, unless it takes too long to know.
    ///
    /// - Throws: `CancellationError` if the task was cancelled; ``DocIndexError`` with `queryTooLarge` for a text that
    ///   takes more steps than ``stepLimit`` and its length allow.
    func hasBoundedMatch(in text: String) throws -> Bool {
        let byteCount = text.utf8.count
        let limit = Self.stepLimit + Self.stepLimitOfByte * byteCount
        return try hasMatch(in: text) { (count) throws in
            try CancellationCheck.now()
            guard count <= limit else {
                throw DocIndexError(
                    .queryTooLarge,
                    "a pattern takes more than \(limit) steps over one text of \(byteCount) bytes; simplify it, above "
                        + "all repetitions such as {0,900}, or restrict the documents by another condition first")
            }
        }
    }

    /// - Parameter check: called every few thousand steps with how many were taken.
    private func hasMatch<Failure: Error>(
        in text: String, _ check: (Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        var machine = Machine(self)
        var previous: Unicode.Scalar?
        var isFirst = true
        var scalars = text.unicodeScalars.makeIterator()
        var next = scalars.next()
        var checkedCount = 0
        while true {
            if machine.stepCount - checkedCount >= 4096 {
                checkedCount = machine.stepCount
                try check(checkedCount)
            }
            if machine.isIdle, let beginnings, let character = next, character.isASCII,
                !beginnings.contains(character.value)
            {
                machine.pass()
                previous = character
                next = scalars.next()
            } else {
                // A match may begin at every character.
                if machine.begin(isFirst: isFirst, previous: previous, next: next) { return true }
                guard let character = next else { return false }
                previous = character
                next = scalars.next()
                if machine.advance(over: character, next: next) { return true }
            }
            isFirst = false
        }
    }
}

/// The places in a program that the characters so far can have led to.
private struct Machine {
    private let program: PatternProgram
    private var current: [Int] = []
    private var following: [Int] = []
    private var open: [Int] = []
    /// When a place was last entered, so that each is entered once for a character.
    private var entered: [Int]
    private var round = 0
    private var isPrepared = false
    /// Places that were looked at so far.
    private(set) var stepCount = 0

    init(_ program: PatternProgram) {
        self.program = program
        entered = Array(repeating: -1, count: program.code.count)
    }

    /// Whether no match has begun.
    var isIdle: Bool { current.isEmpty }

    /// Goes on over a character with which no match begins, while none has begun.
    mutating func pass() {
        stepCount += 1
        isPrepared = false
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
        stepCount += 1 + current.count
        for place in current {
            let number = Int(program.code[place].first)
            let isWanted =
                character.isASCII
                ? program.sets[number].contains(character.value) : program.classes[number].contains(character)
            if isWanted, enter(place + 1, &reached, isFirst: false, previous: character, next: next) { return true }
        }
        swap(&current, &following)
        swap(&reached, &current)
        isPrepared = true
        return false
    }

    private mutating func enter(
        _ start: Int, _ places: inout [Int], isFirst: Bool, previous: Unicode.Scalar?, next: Unicode.Scalar?
    ) -> Bool {
        open.removeAll(keepingCapacity: true)
        open.append(start)
        while let place = open.popLast() {
            if entered[place] == round { continue }
            entered[place] = round
            stepCount += 1
            let step = program.code[place]
            switch step.kind {
            case .character: places.append(place)
            case .fork:
                open.append(Int(step.second))
                open.append(Int(step.first))
            case .jump: open.append(Int(step.first))
            case .textStart: if isFirst { open.append(place + 1) }
            case .textEnd: if next == nil { open.append(place + 1) }
            case .wordEdge, .noWordEdge:
                let isEdge = PatternClass.isWord(previous) != PatternClass.isWord(next)
                if isEdge == (step.kind == .wordEdge) { open.append(place + 1) }
            case .match: return true
            }
        }
        return false
    }
}
