/// A compiled ``Filter/TextPattern``, run by a machine that follows all alternatives in parallel.
struct PatternProgram: Sendable {
    enum Step: Sendable {
        /// Continues with the next character if it is in the class.
        case character(PatternClass)
        /// Continues at both places.
        case fork(Int, Int)
        case jump(Int)
        case textStart
        case textEnd
        case wordEdge(isEdge: Bool)
        case match
    }

    /// The compact form of a step that the machine reads. Trivial, so that reading it needs no reference counting.
    fileprivate struct Instruction {
        enum Kind: UInt8 { case character, fork, jump, textStart, textEnd, wordEdge, noWordEdge, match }

        var kind: Kind
        /// The number of the class or the target of the jump.
        var first: Int32 = 0
        var second: Int32 = 0
    }

    /// The ASCII characters of a class, one bit each.
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
    /// The ASCII characters that can begin a match; `nil` if a match may be empty.
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

    /// The number of steps that a search in one string may always take, whatever its length: about a second of work.
    /// Typical patterns take a few steps per character. Tests lower this limit.
    @TaskLocal static var stepLimit = 100_000_000

    /// The number of additional steps allowed for each byte.
    private static let stepLimitOfByte = 32

    /// Returns whether there is a match anywhere in a string.
    func hasMatch(in text: String) -> Bool {
        hasMatch(in: text) { (_) throws(Never) in }
    }

    /// Returns whether there is a match anywhere in a string, with a limit on the number of steps.
    ///
    /// - Throws: `CancellationError` if the task was canceled; ``DocIndexError`` with `queryTooLarge` if the search
    ///   takes more steps than ``stepLimit`` and the length of the string allow.
    func hasBoundedMatch(in text: String) throws -> Bool {
        let byteCount = text.utf8.count
        let limit = Self.stepLimit + Self.stepLimitOfByte * byteCount
        return try hasMatch(in: text) { (count) throws in
            try CancellationCheck.now()
            guard count <= limit else {
                throw DocIndexError(
                    .queryTooLarge,
                    "a pattern takes more than \(limit) steps on one string of \(byteCount) bytes; simplify it, "
                        + "especially repetitions such as {0,900}, or restrict the documents with another condition")
            }
        }
    }

    /// - Parameter check: A closure called with the number of steps taken, every few thousand steps.
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
                // A match may begin at any character.
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

/// The set of places in a program that the characters read so far can lead to.
private struct Machine {
    private let program: PatternProgram
    private var current: [Int] = []
    private var following: [Int] = []
    private var open: [Int] = []
    /// The round in which each place was last entered, so that it is entered once per character.
    private var entered: [Int]
    private var round = 0
    private var isPrepared = false
    /// The number of places visited so far.
    private(set) var stepCount = 0

    init(_ program: PatternProgram) {
        self.program = program
        entered = Array(repeating: -1, count: program.code.count)
    }

    /// Whether no match is in progress.
    var isIdle: Bool { current.isEmpty }

    /// Skips a character that cannot begin a match, while none is in progress.
    mutating func pass() {
        stepCount += 1
        isPrepared = false
    }

    /// Enters the program at its beginning.
    ///
    /// - Returns: Whether that is already a match.
    mutating func begin(isFirst: Bool, previous: Unicode.Scalar?, next: Unicode.Scalar?) -> Bool {
        if !isPrepared { round += 1 }
        isPrepared = false
        var places: [Int] = []
        swap(&places, &current)
        defer { swap(&places, &current) }
        return enter(0, &places, isFirst: isFirst, previous: previous, next: next)
    }

    /// Advances all places over a character. Returns whether that completes a match.
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
