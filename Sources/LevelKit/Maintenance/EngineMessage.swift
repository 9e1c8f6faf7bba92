internal import LevelFiles

extension Database {
    /// A line of LevelDB's message log `LOG`, the only place where LevelDB reports dropped data.
    public struct EngineMessage: Sendable, Hashable, CustomStringConvertible {
        /// The message, without its time and thread.
        public let description: String
        /// The number of dropped bytes, if the message contains it.
        public let droppedByteCount: UInt64?

        /// Parses a line such as `2026/11/21-13:31:19.123456 140245 Recovering log #3`.
        init(line: Substring) {
            // The time has a fixed format. Some versions write the thread number after it.
            var rest = line[...]
            if rest.utf8.count > 26, rest.utf8.dropFirst(4).first == 0x2f {
                rest = rest.dropFirst(26).drop { $0 == " " }
            }
            let thread = rest.prefix { $0.isHexDigit }
            if !thread.isEmpty, rest.dropFirst(thread.count).first == " " { rest = rest.dropFirst(thread.count + 1) }
            description = String(rest)
            let words = rest.split(separator: " ")
            let index = words.firstIndex(of: "dropping")
            droppedByteCount = index.flatMap { $0 + 1 < words.count ? UInt64(words[$0 + 1]) : nil }
        }

        /// Whether the message reports data that was dropped or was unreadable.
        var tellsOfLoss: Bool {
            ["dropping ", "(ignoring error)", "ignoring ", "unparsable", "Corruption: "].contains {
                description.contains($0)
            }
        }

        /// Whether the message contains bytes of the user's keys.
        private var showsKeys: Bool { description.contains("unparsable key") }

        /// Returns the messages about lost data in the file at `path`, in order. Returns an empty array if the file is
        /// missing.
        static func losses(inFileAt path: String) throws(LevelError) -> [Database.EngineMessage] {
            let bytes: [UInt8]
            do throws(SystemError) {
                bytes = try OpenFile.content(of: path, limit: 64 << 20)
            } catch let error where error.isMissingFile {
                return []
            } catch {
                throw error.levelError("read \(path)")
            }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .map { Database.EngineMessage(line: $0) }
                .filter { $0.tellsOfLoss && !$0.showsKeys }
        }
    }
}

extension Database {
    /// Returns the losses that LevelDB has reported since this database was opened, such as corrupt records in the log
    /// of the last session. Empty if nothing was lost.
    ///
    /// With ``DatabaseOptions/Integrity/strict`` opening fails instead, so only a relaxed open has losses to report.
    /// LevelDB writes them to the file `LOG` and starts a new file at every open. Call this soon after opening, because
    /// another process that tries to open the database also replaces the file.
    ///
    /// - Throws: ``LevelError``: `closed`, `io`.
    public func recoveryNotes() throws(LevelError) -> [Database.EngineMessage] {
        try core.admitted { () throws(LevelError) in
            try Database.EngineMessage.losses(inFileAt: DatabaseDirectory(core.path).file("LOG"))
        }
    }
}
