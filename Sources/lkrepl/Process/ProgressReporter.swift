import Synchronization

/// Shows the progress of one command on standard error.
///
/// Thread-safe. Other messages use the same ``StandardError``, which clears the progress first; it reappears with the
/// next text of the ``ProgressMeter``.
final class ProgressReporter: Sendable {
    private let meter: Mutex<ProgressMeter>
    private let output: StandardError
    private let style: ProgressMeter.Style
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - style: The requested style; `nil` for a redrawn line on a terminal and nothing elsewhere.
    ///   - isQuiet: Whether to show nothing, whatever the style.
    ///   - width: The columns of the terminal.
    init(
        label: String, unit: ProgressMeter.Unit, style: ProgressMeter.Style? = nil, isQuiet: Bool = false,
        width: Int = 80, output: StandardError = .shared
    ) {
        self.output = output
        self.style = Self.resolve(style, isQuiet: isQuiet, isTerminal: output.isTerminal)
        meter = Mutex(ProgressMeter(label: label, unit: unit, style: self.style, width: width))
    }

    /// Reports that `done` units of `total` are done; `total` is `nil` if unknown.
    func advance(done: Int, total: Int? = nil) {
        guard style != .none else { return }
        let time = ContinuousClock.now - start
        guard let text = meter.withLock({ $0.advance(done: done, total: total, at: time) }) else { return }
        if style == .line {
            output.show(status: text)
        } else {
            output.write(text + "\n")
        }
    }

    /// Removes the progress from the screen, before the summary.
    func finish() {
        if style == .line { output.clearStatus() }
    }

    /// The effective style: a line is redrawn only on a terminal.
    static func resolve(_ style: ProgressMeter.Style?, isQuiet: Bool, isTerminal: Bool) -> ProgressMeter.Style {
        if isQuiet { return .none }
        switch style {
        case nil, .line: return isTerminal ? .line : .none
        case .plain: return .plain
        case .some(.none): return .none
        }
    }
}
