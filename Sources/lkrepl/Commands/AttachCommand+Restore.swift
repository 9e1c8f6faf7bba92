import ArgumentParser
import DocIndex

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension AttachCommand {
    /// Stores missing and damaged attachments again.
    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
            abstract: "Restore missing and damaged attached files from copies.",
            discussion: """
                Example: lkrepl attach restore --write photos.store .
                No document changes. Reads all attached files of the store and checks their digests. Then \
                looks in the given files and directories for those that are missing or damaged, by size and digest; \
                names do not matter. Links are not followed. Exit code 65 if some are not found; each is a row.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The files, and the directories with files.") var paths: [String]
        @Flag(name: [.customShort("n"), .long], help: "Show what would be stored again, and store nothing.")
        var dryRun = false

        func run() throws {
            if !dryRun { try options.requireWrite("attach restore") }
            let paths = try paths.map { try ArgumentOrigin.current.text(of: $0) }
            for path in paths where !FileDescriptor.exists(path) {
                throw CommandError(.noInput, "\(path) does not exist", hint: "give files, or directories with files")
            }
            try Session.with(database, options) { session in
                let attachments = try session.attachments()
                var lost = try lostContents(attachments)
                let writer = try options.writer(columns: ["sha256", "bytes", "problem"])
                guard !lost.isEmpty else {
                    try writer.finish(tellsOfNothing: false)
                    return options.note("attach restore: no attached file is missing or damaged")
                }
                let count = lost.count
                let sizes = Set(lost.values)
                var unreadable: [String] = []
                for path in paths { try restore(&lost, sizes, from: path, session, &unreadable) }
                if !unreadable.isEmpty {
                    options.note(
                        "attach restore: cannot read \(HumanNumber.counted(unreadable.count, "path")): no permission, "
                            + "or the name is not UTF-8" + (options.verbose ? "" : "; -v lists them"))
                    for path in unreadable { options.detail("attach restore: cannot read \(path)") }
                }
                for (digest, byteCount) in lost.sorted(by: { $0.key.description < $1.key.description }) {
                    try writer.write([
                        "sha256": .string(digest.description), "bytes": .int(byteCount), "problem": "not found",
                    ])
                }
                try writer.finish(tellsOfNothing: false)
                let done = HumanNumber.grouped(count - lost.count)
                let what = "\(dryRun ? "would store" : "stored") \(done) of \(AttachCommand.count(count)) again"
                guard lost.isEmpty else {
                    throw CommandError(
                        .badData, "attach restore: \(what)",
                        hint: "give other directories; attach list shows the names of the files")
                }
                options.note("attach restore: \(what)")
            }
        }

        /// The sizes of the attachments that are missing or damaged, by their digests.
        private func lostContents(_ attachments: DocumentStore.Attachments) throws -> [Attachment.Digest: Int64] {
            let total = try attachments.census().byteCount
            let progress = try options.reporter("attach restore", unit: .bytes)
            defer { progress.finish() }
            var done: Int64 = 0
            var lost: [Attachment.Digest: Int64] = [:]
            try attachments.forEachContent { info in
                if try attachments.problem(of: info, readsContent: true) != nil { lost[info.digest] = info.byteCount }
                done += info.byteCount
                progress.advance(done: Int(clamping: done), total: Int(clamping: total))
            }
            return lost
        }

        /// Stores those attachments again that are in a file, or in the files of a directory.
        ///
        /// - Parameters:
        ///   - sizes: the sizes of lost attachments; other files are not read.
        ///   - unreadable: gets the paths that cannot be examined.
        private func restore(
            _ lost: inout [Attachment.Digest: Int64], _ sizes: Set<Int64>, from root: String, _ session: Session,
            _ unreadable: inout [String]
        ) throws {
            var pending = [root]
            while let path = pending.popLast(), !lost.isEmpty {
                try Interruption.check()
                var status = stat()
                // A link is followed only if it was given.
                guard unsafe (path == root ? stat(path, &status) : lstat(path, &status)) == 0 else {
                    unreadable.append(path)
                    continue
                }
                switch status.st_mode & S_IFMT {
                case S_IFDIR:
                    if unsafe access(path, R_OK | X_OK) != 0 { unreadable.append(path) }
                    pending += FileDescriptor.names(in: path).sorted().reversed().map { path + "/" + $0 }
                case S_IFREG where sizes.contains(Int64(status.st_size)):
                    guard unsafe access(path, R_OK) == 0 else {
                        unreadable.append(path)
                        continue
                    }
                    guard let digest = try ContentFiles.digest(ofFileAt: path), let byteCount = lost[digest],
                        byteCount == Int64(status.st_size)
                    else { continue }
                    if !dryRun { try store(path, digest, byteCount, session) }
                    lost[digest] = nil
                    options.detail("attach restore: \(digest) from \(path)")
                default: break
                }
            }
        }

        private func store(
            _ path: String, _ digest: Attachment.Digest, _ byteCount: Int64, _ session: Session
        ) throws {
            var content = try NewContent(
                for: try session.store(), type: Attachment.unknownType, name: nil,
                byteCount: UInt64(clamping: byteCount))
            try ContentFiles.read(path) { try content.append($0) }
            guard content.digest == digest else {
                throw CommandError(.inputOutput, "\(path) changed while being read", hint: "try again")
            }
            _ = try content.finish()
            try session.attachments().check(digest, readsContent: true)
        }
    }
}
