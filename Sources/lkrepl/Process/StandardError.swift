import Synchronization

/// Writes all terminal output besides data: messages, and one status line that is redrawn.
///
/// The only writer to standard error, so that messages never interleave with the status line. Write errors are ignored:
/// they cannot be reported anywhere.
final class StandardError: Sendable {
    /// The writer of the messages of this task: to descriptor 2, or to memory.
    static var shared: StandardError { captured ?? process }
    /// The writer to descriptor 2.
    private static let process = StandardError(descriptor: .standardError)
    /// The writer to memory, for a command whose messages are shown elsewhere; `nil` for none.
    @TaskLocal static var captured: StandardError?

    let descriptor: FileDescriptor
    let isTerminal: Bool
    /// The columns of the status line on the screen; 0 if there is none.
    private let statusWidth = Mutex(0)
    /// The text to write when the screen is available again; `nil` if it is available now.
    private let held = Mutex<String?>(nil)

    /// The memory that takes the messages instead of the descriptor; `nil` for none.
    private let capture: OutputCapture?

    init(descriptor: FileDescriptor, capture: OutputCapture? = nil) {
        self.descriptor = descriptor
        self.capture = capture
        isTerminal = capture == nil && descriptor.isTerminal
    }

    /// Clears the status line and writes `text`, which must end with a newline.
    func write(_ text: String) {
        if keep(text) { return }
        statusWidth.withLock { width in
            send(Self.clearing(width) + text)
            width = 0
        }
    }

    /// Draws `status` over the previous status line.
    ///
    /// - Parameter status: One line of visible text, narrower than the terminal.
    func show(status: String) {
        if keep("") { return }
        statusWidth.withLock { width in
            let newWidth = DisplayWidth.columns(of: status)
            send("\r" + status + String(repeating: " ", count: max(0, width - newWidth)))
            width = newWidth
        }
    }

    /// Holds messages while another program uses the screen, and shows no status line.
    func hold() {
        guard isTerminal else { return }
        clearStatus()
        held.withLock { $0 = $0 ?? "" }
    }

    /// Writes the held messages.
    func release() {
        let text = held.withLock { held in
            defer { held = nil }
            return held
        }
        if let text { write(text) }
    }

    private func keep(_ text: String) -> Bool {
        held.withLock { held in
            held?.append(text)
            return held != nil
        }
    }

    /// Removes the status line.
    func clearStatus() {
        write("")
    }

    /// The text that erases a status line of `width` columns and moves the cursor to the first column.
    ///
    /// Uses spaces instead of an escape sequence, which a dumb terminal would print.
    private static func clearing(_ width: Int) -> String {
        width == 0 ? "" : "\r" + String(repeating: " ", count: width) + "\r"
    }

    private func send(_ text: String) {
        guard !text.isEmpty else { return }
        if let capture {
            try? capture.write(Array(text.utf8).span)
            return
        }
        try? descriptor.writeAll(Array(text.utf8))
    }
}
