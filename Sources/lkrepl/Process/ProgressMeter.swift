import DocIndex

/// Decides when the progress of a long command is shown, and formats it; a pure state machine.
///
/// It receives the completed amount and the time, and returns a string to show, or `nil`. Short commands show nothing;
/// long ones are updated often enough to look active, and rarely enough to cost little.
struct ProgressMeter: Sendable {
    /// The unit of progress.
    enum Unit: Hashable, Sendable {
        case bytes
        /// Items with a plural noun, such as `records`.
        case items(String)
    }

    /// The style of progress, which determines how often it is shown.
    enum Style: String, CaseIterable, Sendable {
        /// One line, redrawn at most ten times per second, after the first half second.
        case line
        /// A separate line every ten seconds, for logs.
        case plain
        /// No progress.
        case none

        /// The time before the first text.
        var delay: Duration { self == .line ? .milliseconds(500) : .seconds(10) }
        /// The minimum time between two texts.
        var interval: Duration { self == .line ? .milliseconds(100) : .seconds(10) }
    }

    /// The name of the activity, such as `load`.
    let label: String
    let unit: Unit
    let style: Style
    /// The columns of the terminal.
    var width: Int
    /// The characters of the bar for done and remaining work.
    var strokes: (done: Character, left: Character) = ("█", "░")

    /// The time of the last text, and the amount done by then.
    private var shown: (time: Duration, done: Int)?
    /// Smoothed units per second; `nil` before the first text.
    private var rate: Double?

    init(label: String, unit: Unit, style: Style = .line, width: Int = 80) {
        self.label = label
        self.unit = unit
        self.style = style
        self.width = width
    }

    /// Processes an update. Returns the text to show now; `nil` if it is too early.
    ///
    /// Cheap if it is too early: two comparisons.
    ///
    /// - Parameters:
    ///   - total: `nil` if unknown. A total that turns out too small is treated as unknown.
    ///   - time: The time since the start of the command, never decreasing.
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

    /// Updates an average in which values five seconds old weigh a third: it follows changes of speed, and one slow
    /// call does not disturb the estimate.
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
        // Estimates beyond a hundred hours are worthless.
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
        case .items(let name): "\(HumanNumber.grouped(count)) \(count == 1 ? Self.singular(name) : name)"
        }
    }

    private static func singular(_ name: String) -> String {
        name.hasSuffix("ies") ? name.dropLast(3) + "y" : name.hasSuffix("s") ? String(name.dropLast()) : name
    }

    private func speed(_ rate: Double) -> String {
        let count = Int(max(0, min(rate.rounded(), 1e15)))
        return switch unit {
        case .bytes: "\(HumanNumber.byteCount(count))/s"
        case .items: "\(HumanNumber.grouped(count))/s"
        }
    }

    /// Joins the parts on one line. A redrawn line is cut to the terminal's width minus one, since some terminals wrap
    /// when the last column is written.
    private func fitted(_ parts: [String]) -> String {
        let text = parts.joined(separator: " ")
        return style == .line ? DisplayWidth.truncated(text, to: max(1, width - 1)) : text
    }
}
