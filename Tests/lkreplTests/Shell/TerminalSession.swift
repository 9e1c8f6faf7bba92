import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A user at a terminal: a pseudo-terminal that runs `lkrepl` or another program.
final class TerminalSession {
    private let master: Int32
    private let child: ChildProcess
    /// Everything that the terminal has shown.
    private(set) var transcript = ""
    /// Output that has been shown but not yet expected.
    private var pending = ""

    var processID: pid_t { child.processID }

    /// - Parameter environment: Variables added to the environment. The user's own files are neither read nor written
    ///   unless
    ///   a variable names them.
    init(
        _ arguments: [String], in place: Workplace, program: String = Binary.path,
        environment: [String: String] = ["TERM": "dumb"], rows: UInt16 = 40
    ) throws {
        // Output must not depend on the load of the machine.
        let own = [
            "LKREPL_HISTFILE": "none", "XDG_CONFIG_HOME": place.path + "/.config-of-nobody", "LKREPL_PATIENCE": "off",
        ]
        var (leader, slave): (Int32, Int32) = (0, 0)
        var name = [CChar](repeating: 0, count: 256)
        var size = winsize(ws_row: rows, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe openpty(&leader, &slave, &name, nil, &size) == 0 else {
            throw ChildProcess.Failure(what: "there is no pseudo-terminal")
        }
        // Children that other tests start must not inherit it.
        for end in [leader, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(slave) }
        master = leader
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        child = try ChildProcess(
            program, arguments.map { Array($0.utf8) }, in: place.path, input: .device(path), output: .device(path),
            error: .device(path), environment: own.merging(environment) { $1 })
    }

    deinit {
        close(master)
    }

    func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe write(master, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw ChildProcess.Failure(what: "cannot type") }
    }

    /// Types bytes that need not be text.
    func type(bytes: [UInt8]) throws {
        let count = unsafe bytes.withUnsafeBytes { unsafe write(master, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw ChildProcess.Failure(what: "cannot type") }
    }

    /// Pastes a string of any length; reads output at the same time, because a terminal buffers only a few kilobytes in
    /// each direction.
    func paste(_ text: String) throws {
        let bytes = Array("\u{1b}[200~\(text)\u{1b}[201~".utf8)
        var start = 0
        while start < bytes.count {
            let end = min(start + 512, bytes.count)
            try type(bytes: Array(bytes[start..<end]))
            start = end
            _ = try readMore(milliseconds: 1)
        }
    }

    /// Resizes the terminal, which notifies the child.
    func resize(rows: Int, columns: Int) throws {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else {
            throw ChildProcess.Failure(what: "the terminal keeps its size")
        }
        signal(SIGWINCH)
    }

    /// Waits until `text` is shown; returns the output before it.
    @discardableResult
    func expect(_ text: String, seconds: Double = ChildProcess.hangLimit) throws -> String {
        let start = ContinuousClock.now
        while true {
            if let range = pending.range(of: text) {
                let before = String(pending[..<range.lowerBound])
                pending = String(pending[range.upperBound...])
                return before
            }
            guard ContinuousClock.now - start < .seconds(seconds), try readMore() else {
                throw ChildProcess.Failure(what: "the terminal never showed \(text) but \(transcript.suffix(1000))")
            }
        }
    }

    /// Types a command at a prompt; returns the output up to the next prompt.
    func run(_ command: String, prompt: String) throws -> String {
        try type(command + "\n")
        let shown = try expect(prompt)
        // The terminal echoes what is typed.
        return String(shown.drop { !$0.isNewline }.dropFirst())
    }

    // MARK: - Line editor

    /// The sequences that the editor sends at its start and end: enable and disable bracketed paste.
    private static let begin = "\u{1b}[?2004h"
    private static let finish = "\u{1b}[?2004l"

    /// Waits until the line editor accepts keys; returns the output before that.
    @discardableResult
    func expectEditor() throws -> String {
        let shown = try expect(Self.begin)
        // The prompt ends with the cursor movement after it.
        try expect("C")
        return shown
    }

    /// Types keys that end an input; returns the output of its command.
    func enter(_ keys: String) throws -> String {
        try type(keys)
        try expect(Self.finish)
        return try expectEditor()
    }

    /// Types keys that end an input, and waits until the editor has submitted it.
    func start(_ keys: String) throws {
        try type(keys)
        try expect(Self.finish)
    }

    /// Types keys, and again every few seconds, until the line editor accepts keys.
    func typeUntilEditor(_ keys: String) throws {
        let start = ContinuousClock.now
        while true {
            try type(keys)
            do {
                try expect(Self.begin, seconds: 5)
                break
            } catch {
                let isOver = ContinuousClock.now - start > .seconds(ChildProcess.hangLimit)
                if isOver || child.codeAfterEnd() != nil { throw error }
            }
        }
        try expect("C")
    }

    func signal(_ number: Int32) { child.signal(number) }

    /// Waits for the child to end, and reads its remaining output; returns the exit code.
    func end() throws -> Int32 {
        // A terminal buffers a few kilobytes; a child that writes more waits for a reader.
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(ChildProcess.hangLimit), try readMore() {}
        let code = try child.wait()
        while try readMore(milliseconds: 0) {}
        return code
    }

    /// Closes the terminal, like a lost connection; returns the exit code of the child.
    func hangUp() throws -> Int32 {
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        // In one step, so that no other test gets the descriptor number in between.
        guard nothing >= 0, dup2(nothing, master) >= 0 else { throw ChildProcess.Failure(what: "cannot hang up") }
        close(nothing)
        return try child.wait()
    }

    /// Reads available output, waiting for a while; returns `false` at the end, and immediately if the timeout is zero.
    private func readMore(milliseconds: Int32 = 200) throws -> Bool {
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&request, 1, milliseconds)
        guard request.revents != 0 else { return milliseconds > 0 }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(master, $0.baseAddress, $0.count) }
        // The end of a pseudo-terminal is EIO on Linux, and 0 elsewhere.
        guard count > 0 else { return false }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        pending += text
        transcript += text
        return true
    }
}
