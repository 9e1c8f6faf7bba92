import Foundation
import Harness

/// Asks both sides every question, in turns, and prints a table.
struct Comparisons {
    var rounds = 9
    /// A round asks a question until this time is over, in nanoseconds.
    var roundNanoseconds = 30e6
    /// A part of the names of the questions that are asked; `nil` for all.
    var only: String?
    private(set) var lines: [Line] = []

    mutating func run(_ questions: [Question]) throws {
        var asked = try questions.filter { only.map($0.name.contains) ?? true }.flatMap { question in
            try (question.hasDocuments ? AnswerForm.allCases : [.columns]).map { form in
                try Comparison(
                    question, form, question.hasDocuments ? "\(question.name), \(form)" : question.name,
                    roundNanoseconds: roundNanoseconds)
            }
        }
        // Rounds of all questions in turns: so the spread of each tells of how the machine drifts, not of one moment.
        for round in 0..<rounds {
            for position in asked.indices { try asked[position].run(round) }
        }
        lines = asked.map(\.line)
        for line in lines { say(line.text) }
        let ratios = lines.map(\.ratio).sorted()
        guard !ratios.isEmpty else { return }
        say(
            String(
                format: "\nmedian of %d ratios: %.2f; lowest: %.2f", ratios.count, ratios[ratios.count / 2], ratios[0]))
    }

    /// Asks one side alone, and prints the time of each question and that of the processor, in microseconds.
    func askOurs(_ questions: [Question], seconds: Double) throws {
        for question in questions where only.map({ question.name.contains($0) }) ?? true {
            for form in question.hasDocuments ? AnswerForm.allCases : [.columns] {
                let clock = ContinuousClock()
                let begin = clock.now
                var askedCount = 0
                let cost = try Cost {
                    while clock.now - begin < .seconds(seconds) {
                        for number in 0..<question.count { _ = try question.ours(number, form) }
                        askedCount += question.count
                    }
                }
                func each(_ nanoseconds: Double) -> Int { Int(nanoseconds / 1e3 / Double(askedCount)) }
                say("\(question.name), \(form): \(each(cost.elapsed)) µs, processor \(each(cost.processor)) µs")
            }
        }
    }
}

/// One question in one form, asked of both sides.
private struct Comparison {
    private let question: Question
    private let form: AnswerForm
    private let name: String
    /// As many for both sides, so that the slower one takes the time of a round.
    private let repeats: Int
    private var costs: [(ours: Cost, peer: Cost)] = []

    /// - Throws: if the answers of the two sides differ, or are empty.
    init(_ question: Question, _ form: AnswerForm, _ name: String, roundNanoseconds: Double) throws {
        self.question = question
        self.form = form
        self.name = name
        var resultCount = 0
        for number in 0..<question.count {
            let (a, b) = (try question.ours(number, form), try question.peer(number, form))
            guard a == b else {
                let place = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
                throw BenchmarkError(
                    "\(name), value \(number): \(a.count) and \(b.count) results, the first difference at \(place)")
            }
            resultCount += a.count
        }
        guard resultCount > 0 else { throw BenchmarkError("\(name): there is nothing to find") }
        let slower = max(
            try Cost { try Self.once(question, form, question.ours) }.elapsed,
            try Cost { try Self.once(question, form, question.peer) }.elapsed)
        repeats = max(1, Int(roundNanoseconds / max(slower, 1)))
    }

    private static func once(
        _ question: Question, _ form: AnswerForm, _ ask: (Int, AnswerForm) throws -> [String]
    ) throws {
        for number in 0..<question.count { _ = try ask(number, form) }
    }

    /// Which side goes first alternates with the rounds. Before the clock runs, each is asked three times: caches are warm,
    /// and DocIndex keeps documents from their second use on.
    mutating func run(_ round: Int) throws {
        func cost(_ ask: (Int, AnswerForm) throws -> [String]) throws -> Cost {
            for _ in 0..<3 { try Self.once(question, form, ask) }
            return try Cost { for _ in 0..<repeats { try Self.once(question, form, ask) } }
        }
        costs.append(
            try inTurn(round) {
                try cost(question.ours)
            } peer: {
                try cost(question.peer)
            })
    }

    var line: Line { Line(name, unit: "µs", divisor: Double(question.count * repeats) * 1e3, rounds: costs) }
}
