#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The inputs of this and earlier shells, oldest first.
///
/// One input per line, with `\n` and `\\` escaped, in a file that only the user can read. Several shells may append to
/// it at the same time, under a lock. When a shell starts and the file has 50 % too many inputs, it is cut to the last
/// ``limit``. An unusable file is reported once and is not an error, since it must not prevent work.
final class HistoryFile {
    /// The number of inputs to keep.
    static let limit = 5000
    /// Longer inputs contain data rather than commands, and are not kept.
    static let maximumByteCount = 4096
    /// Inputs with longer single arguments are not kept either.
    static let maximumArgumentByteCount = 256

    /// The number of bytes to read from the end of the file.
    private static let readByteCount = 16 << 20

    private let path: String?
    private(set) var entries: [String] = []
    /// The reason that the file cannot be used, until it is reported; otherwise `nil`.
    private var failure: String?
    private var hasFailed = false

    /// - Parameter path: The file; `nil` to keep inputs only in memory.
    init(path: String?) {
        self.path = path
        guard let path, FileDescriptor.exists(path) else { return }
        // A pipe could block the shell forever.
        guard !FileDescriptor.isSpecial(path) else {
            fail("\(path) is not a regular file")
            return
        }
        var lines: [ArraySlice<UInt8>] = []
        do {
            let file = try FileDescriptor.openForReading(path)
            defer { try? file.closeFile() }
            // Of an oversized file, only the end is read.
            let isCut = try file.skip(toLast: Self.readByteCount)
            let bytes = try file.readAll(limit: 2 * Self.readByteCount, name: path)
            // Skip lines longer than this program writes, and a partial line at the beginning.
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
            fail(CommandError(error).message)
            return
        }
        entries = lines.suffix(Self.limit).map { Self.unescaped(String(decoding: $0, as: UTF8.self)) }
        if lines.count > Self.limit * 3 / 2 { rewrite(path) }
    }

    private func fail(_ reason: String) {
        if !hasFailed { failure = reason }
        hasFailed = true
    }

    /// The reason that inputs are not saved, returned once; `nil` if they are.
    func takeFailure() -> String? {
        defer { failure = nil }
        return failure
    }

    /// Adds an input.
    ///
    /// Inputs that begin with a space or repeat the previous one are ignored; inputs that contain data are not written
    /// to the file.
    func append(_ text: String) {
        guard !text.isEmpty, !text.allSatisfy(\.isWhitespace), !text.hasPrefix(" "),
            !(entries.last.map { $0.utf8.elementsEqual(text.utf8) } ?? false)
        else { return }
        entries.append(text)
        guard let path, !hasFailed, Self.isWorthKeeping(text) else { return }
        write(Self.escaped(text) + "\n", to: path, flags: O_APPEND)
    }

    /// Whether an input may be saved: it must not contain long values, which are data.
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
            return fail(CommandError(error).message)
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

    /// Encodes an input as one line.
    static func escaped(_ text: String) -> String {
        var line = ""
        // By scalar: CR LF is one `Character`, which does not equal LF.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// Decodes an input from a line.
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
