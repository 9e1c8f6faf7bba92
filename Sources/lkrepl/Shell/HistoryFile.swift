#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What was typed in this shell and in others before, the oldest first.
///
/// One input a line, with `\n` and `\\` escaped, in a file that only the user can read. Several shells append to it at
/// the same time, under a lock. It is cut to the last ``limit`` inputs when a shell begins and finds it a half too long.
/// A file that cannot be read or written is no error: nobody wants to be kept from work by it.
final class HistoryFile {
    /// How many inputs are kept.
    static let limit = 5000
    /// Longer inputs hold data and not commands; they are not kept.
    static let maximumByteCount = 4096
    /// Longer single arguments neither.
    static let maximumArgumentByteCount = 256

    private let path: String?
    private(set) var entries: [String] = []

    /// - Parameter path: the file; `nil` to remember only until the shell ends.
    init(path: String?) {
        self.path = path
        guard let path, let file = try? FileDescriptor.openForReading(path) else { return }
        defer { try? file.closeFile() }
        guard let bytes = try? file.readAll() else { return }
        let lines = bytes.split(separator: 0x0a)
        entries = lines.suffix(Self.limit).map { Self.unescaped(String(decoding: $0, as: UTF8.self)) }
        if lines.count > Self.limit * 3 / 2 { rewrite(path) }
    }

    /// Takes an input that was typed.
    ///
    /// Not kept: one that begins with a space, one that is the same as the last, and in the file none that holds data.
    func append(_ text: String) {
        guard !text.isEmpty, !text.allSatisfy(\.isWhitespace), !text.hasPrefix(" "),
            !(entries.last.map { $0.utf8.elementsEqual(text.utf8) } ?? false)
        else { return }
        entries.append(text)
        guard let path, Self.isWorthKeeping(text) else { return }
        write(Self.escaped(text) + "\n", to: path, flags: O_APPEND)
    }

    /// Whether an input may be stored: no long values, which are data.
    static func isWorthKeeping(_ text: String) -> Bool {
        guard text.utf8.count <= maximumByteCount else { return false }
        guard let commands = try? ShellScanner.commands(in: text) else { return true }
        return commands.allSatisfy { $0.arguments.allSatisfy { $0.utf8.count <= maximumArgumentByteCount } }
    }

    private func rewrite(_ path: String) {
        write(entries.map { Self.escaped($0) + "\n" }.joined(), to: path, flags: O_TRUNC)
    }

    private func write(_ text: String, to path: String, flags: Int32) {
        UserFiles.makeDirectory(of: path)
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = fchmod(file, 0o600)
        guard flock(file, LOCK_EX) == 0 else { return }
        if flags & O_TRUNC != 0 { _ = ftruncate(file, 0) }
        try? FileDescriptor(rawValue: file).writeAll(Array(text.utf8))
    }

    // MARK: - Lines

    /// An input as one line.
    static func escaped(_ text: String) -> String {
        var line = ""
        // By scalar: CR and LF together are one character, which is no LF.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// The input of a line.
    static func unescaped(_ line: String) -> String {
        var text = ""
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if isEscaped {
                text.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
