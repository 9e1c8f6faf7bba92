/// Decides when the progress of a long command is shown, and how it reads: a pure state machine.
///
/// It is told how much is done and what time it is, and answers with a text to show, or nothing. Short commands show
/// nothing; long ones are shown often enough to look alive and not so often that showing costs.
struct ProgressMeter: Sendable {
    /// What is being counted.
    enum Unit: Hashable, Sendable {
        case bytes
        /// Things with a name in the plural, such as `records`.
        case items(String)
    }

    /// How a text is shown, which decides how often.
    enum Style: String, CaseIterable, Sendable {
        /// One line, redrawn at most ten times a second, from half a second on.
        case line
        /// A line of its own every ten seconds, for logs.
        case plain
        /// Not at all.
        case none

        /// How long nothing is shown.
        var delay: Duration { self == .line ? .milliseconds(500) : .seconds(10) }
        /// The least time between two texts.
        var interval: Duration { self == .line ? .milliseconds(100) : .seconds(10) }
    }

    /// The name of what is going on, such as `load`.
    let label: String
    let unit: Unit
    let style: Style
    /// The columns of the terminal.
    var width: Int
    /// The two strokes of the bar: what is done, and what is not.
    var strokes: (done: Character, left: Character) = ("█", "░")

    /// When the last text was given, and what was done by then.
    private var shown: (time: Duration, done: Int)?
    /// Units a second, smoothed; `nil` before the first text.
    private var rate: Double?

    init(label: String, unit: Unit, style: Style = .line, width: Int = 80) {
        self.label = label
        self.unit = unit
        self.style = style
        self.width = width
    }

    /// Takes that `done` units of `total` are done at `time`; returns what to show now, `nil` for nothing new.
    ///
    /// Cheap when there is nothing new: two comparisons.
    ///
    /// - Parameters:
    ///   - total: `nil` if unknown. A total that turned out too small counts as unknown.
    ///   - time: Since the start of the command, never decreasing.
    mutating func advance(done: Int, total: Int?, at time: Duration) -> String? {
        guard style != .none, time >= nextTime else { return nil }
        let rate = updateRate(done: done, at: time)
        shown = (time, done)
        if let total, total > 0, done <= total {
            return known(done: done, total: total, rate: rate)
        }
        return fitted([label + ":", amount(done), speed(rate), HumanNumber.clock(time)])
    }

    private var nextTime: Duration {
        guard let shown else { return style.delay }
        return shown.time + style.interval
    }

    /// The rate is an average in which what is five seconds old weighs a third: it follows a change of pace, and one
    /// slow call does not upset the time that is left.
    private mutating func updateRate(done: Int, at time: Duration) -> Double {
        let last = shown ?? (.zero, 0)
        let seconds = (time - last.time) / .seconds(1)
        let current = seconds > 0 ? Double(done - last.done) / seconds : 0
        let weight = seconds / (seconds + 5)
        let updated = rate.map { $0 + (current - $0) * weight } ?? current
        rate = updated
        return updated
    }

    // MARK: - Text

    private func known(done: Int, total: Int, rate: Double) -> String {
        let fraction = Double(done) / Double(total)
        let percent = "\(Int(fraction * 100))%"
        let left = rate > 0 ? Double(total - done) / rate : .infinity
        // Past a hundred hours the guess is worthless.
        let remaining = left < 360_000 ? "ETA \(HumanNumber.clock(.seconds(left.rounded(.up))))" : "ETA ?"
        let details = [percent, "\(amount(done)) of \(amount(total))", speed(rate), remaining]

        guard style == .line else { return fitted([label + ":"] + details) }
        let detail = details.joined(separator: "  ")
        let barWidth = min(30, width - 1 - DisplayWidth.columns(of: label) - DisplayWidth.columns(of: detail) - 4)
        guard barWidth >= 8 else { return fitted([label + ":"] + details) }
        let doneWidth = Int(fraction * Double(barWidth))
        let bar =
            String(repeating: strokes.done, count: doneWidth)
            + String(repeating: strokes.left, count: barWidth - doneWidth)
        return "\(label)  \(bar)  \(detail)"
    }

    private func amount(_ count: Int) -> String {
        switch unit {
        case .bytes: HumanNumber.byteCount(count)
        case .items(let name): "\(HumanNumber.grouped(count)) \(name)"
        }
    }

    private func speed(_ rate: Double) -> String {
        let count = Int(max(0, min(rate.rounded(), 1e15)))
        return switch unit {
        case .bytes: "\(HumanNumber.byteCount(count))/s"
        case .items: "\(HumanNumber.grouped(count))/s"
        }
    }

    /// The parts on one line; a redrawn line is cut to the terminal, whose last column stays free: some terminals wrap
    /// as soon as it is written.
    private func fitted(_ parts: [String]) -> String {
        let text = parts.joined(separator: " ")
        return style == .line ? DisplayWidth.truncated(text, to: max(1, width - 1)) : text
    }
}
