#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What was typed in this shell and in others before, the oldest first.
///
/// One input a line, with `\n` and `\\` escaped, in a file that only the user can read. Several shells append to it at
/// the same time, under a lock. It is cut to the last ``limit`` inputs when a shell begins and finds it a half too long.
/// A file that cannot be read or written is told of once and no error: nobody wants to be kept from work by it.
final class HistoryFile {
    /// How many inputs are kept.
    static let limit = 5000
    /// Longer inputs hold data and not commands; they are not kept.
    static let maximumByteCount = 4096
    /// Longer single arguments neither.
    static let maximumArgumentByteCount = 256

    /// The bytes of a file that are read, from its end.
    private static let readByteCount = 16 << 20

    private let path: String?
    private(set) var entries: [String] = []
    /// Why the file cannot be used, until somebody was told; `nil` if it can.
    private var failure: String?
    private var hasFailed = false

    /// - Parameter path: the file; `nil` to remember only until the shell ends.
    init(path: String?) {
        self.path = path
        guard let path, FileDescriptor.exists(path) else { return }
        // A pipe would keep the shell waiting for ever.
        guard !FileDescriptor.isSpecial(path) else {
            fail("\(path) is no file")
            return
        }
        var lines: [ArraySlice<UInt8>] = []
        do {
            let file = try FileDescriptor.openForReading(path)
            defer { try? file.closeFile() }
            // Of a file that is longer than this program lets it grow, the end is read.
            let isCut = try file.skip(toLast: Self.readByteCount)
            let bytes = try file.readAll(limit: 2 * Self.readByteCount, name: path)
            // Longer lines than are ever written are none of this program. What is before a cut is the end of one.
            lines = bytes.split(separator: 0x0a).dropFirst(isCut ? 1 : 0).filter {
                $0.count <= 2 * Self.maximumByteCount
            }
            if isCut {
                entries = lines.suffix(Self.limit).map {
                    Self.unescaped(String(decoding: $0, as: UTF8.self))
                }
                rewrite(path)
                return
            }
        } catch {
            fail(CommandFailure(error).message)
            return
        }
        entries = lines.suffix(Self.limit).map { Self.unescaped(String(decoding: $0, as: UTF8.self)) }
        if lines.count > Self.limit * 3 / 2 { rewrite(path) }
    }

    private func fail(_ reason: String) {
        if !hasFailed { failure = reason }
        hasFailed = true
    }

    /// Why inputs are not kept, the first time that this is asked; `nil` if they are.
    func takeFailure() -> String? {
        defer { failure = nil }
        return failure
    }

    /// Takes an input that was typed.
    ///
    /// Not kept: one that begins with a space, one that is the same as the last, and in the file none that holds data.
    func append(_ text: String) {
        guard !text.isEmpty, !text.allSatisfy(\.isWhitespace), !text.hasPrefix(" "),
            !(entries.last.map { $0.utf8.elementsEqual(text.utf8) } ?? false)
        else { return }
        entries.append(text)
        guard let path, !hasFailed, Self.isWorthKeeping(text) else { return }
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
        let file: Int32
        do {
            file = try OutputPlace(path).open(O_CREAT | O_APPEND | O_NONBLOCK, permissions: 0o600).rawValue
        } catch {
            return fail(CommandFailure(error).message)
        }
        defer { close(file) }
        _ = fchmod(file, 0o600)
        guard flock(file, LOCK_EX) == 0 else { return }
        if flags & O_TRUNC != 0 { _ = ftruncate(file, 0) }
        do {
            try FileDescriptor(rawValue: file).writeAll(Array(text.utf8))
        } catch {
            fail("cannot write \(path): \(error)")
        }
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
