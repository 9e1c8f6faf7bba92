internal import LevelFiles

/// A line of the file `LOG`, in which LevelDB tells people what it does, and nobody else what it drops.
public struct EngineMessage: Sendable, Hashable, CustomStringConvertible {
    /// The message, without its time and thread.
    public let description: String
    /// Bytes that were left out, where the message says so.
    public let droppedByteCount: UInt64?

    /// Reads a line: `2026/11/21-13:31:19.123456 140245 Recovering log #3`.
    init(line: Substring) {
        // The time has a fixed form; what follows it is the number of the thread, in versions that write it.
        var rest = line[...]
        if rest.utf8.count > 26, rest.utf8.dropFirst(4).first == 0x2f { rest = rest.dropFirst(26).drop { $0 == " " } }
        let thread = rest.prefix { $0.isHexDigit }
        if !thread.isEmpty, rest.dropFirst(thread.count).first == " " { rest = rest.dropFirst(thread.count + 1) }
        description = String(rest)
        let words = rest.split(separator: " ")
        let index = words.firstIndex(of: "dropping")
        droppedByteCount = index.flatMap { $0 + 1 < words.count ? UInt64(words[$0 + 1]) : nil }
    }

    /// Whether the message tells of data that was left out or could not be read.
    var tellsOfLoss: Bool {
        ["dropping ", "(ignoring error)", "ignoring ", "unparsable", "Corruption: "].contains {
            description.contains($0)
        }
    }

    /// Whether the message holds bytes of the user's keys.
    private var showsKeys: Bool { description.contains("unparsable key") }

    /// The messages about lost data in the file at `path`, in order; none if there is no such file.
    static func losses(inFileAt path: String) throws(LevelError) -> [EngineMessage] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try OpenFile.content(of: path, limit: 64 << 20)
        } catch let error where error.isMissingFile {
            return []
        } catch {
            throw error.levelError("read \(path)")
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .map { EngineMessage(line: $0) }
            .filter { $0.tellsOfLoss && !$0.showsKeys }
    }
}

extension Database {
    /// What the engine has left out since this database was opened: records of the last session's log that are damaged.
    /// Empty when nothing was lost.
    ///
    /// With ``DatabaseOptions/Integrity/strict`` opening fails instead, so there is something to be told only after a
    /// relaxed open. LevelDB writes it to the file `LOG` and begins a new one at every open; ask soon after opening,
    /// because another process that tries to open the database replaces the file as well.
    ///
    /// - Throws: ``LevelError``: `closed`, `io`.
    public func recoveryNotes() throws(LevelError) -> [EngineMessage] {
        try core.admitted { () throws(LevelError) in
            try EngineMessage.losses(inFileAt: DatabaseDirectory(core.path).file("LOG"))
        }
    }
}
