import Synchronization

/// Everything that goes to the terminal beside the data: messages, and one status line that is redrawn.
///
/// The one writer to standard error, so that a message never lands in the middle of the status line. Failures to write
/// are ignored: there is nowhere left to report them.
final class StandardError: Sendable {
    /// The writer to descriptor 2.
    static let shared = StandardError(descriptor: .standardError)

    let descriptor: FileDescriptor
    let isTerminal: Bool
    /// The columns that the status line on the screen takes; 0 if there is none.
    private let statusWidth = Mutex(0)
    /// What is to be written when the screen is free again; `nil` while it is.
    private let held = Mutex<String?>(nil)

    init(descriptor: FileDescriptor) {
        self.descriptor = descriptor
        isTerminal = descriptor.isTerminal
    }

    /// Clears the status line and writes `text`, which ends its own lines.
    func write(_ text: String) {
        if keep(text) { return }
        statusWidth.withLock { width in
            send(Self.clearing(width) + text)
            width = 0
        }
    }

    /// Draws `status` over the status line before it.
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

    /// Keeps messages back while another program has the screen, and shows no status line.
    func hold() {
        guard isTerminal else { return }
        clearStatus()
        held.withLock { $0 = $0 ?? "" }
    }

    /// Writes what was kept back.
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

    /// What removes a status line of `width` columns and leaves the cursor in the first.
    ///
    /// Spaces and not an escape sequence, which a dumb terminal would print.
    private static func clearing(_ width: Int) -> String {
        width == 0 ? "" : "\r" + String(repeating: " ", count: width) + "\r"
    }

    private func send(_ text: String) {
        guard !text.isEmpty else { return }
        try? descriptor.writeAll(Array(text.utf8))
    }
}
