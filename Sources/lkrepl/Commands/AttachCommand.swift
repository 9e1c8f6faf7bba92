import ArgumentParser
import DocIndex
import LevelKit

/// The commands for files that are attached to documents.
struct AttachCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Attach files to documents, and get, list, verify and clean up attached files.",
        subcommands: [Add.self, Get.self, List.self, Verify.self, Restore.self, Gc.self])

    /// Attaches files to a document.
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Attach a file to a document, as a member or list element.",
            discussion: """
                Example: lkrepl attach add --write photos.store photos 2019-07-14-0031 original IMG_0031.jpg
                The file is copied into the store, once, however many documents refer to the same content, and the \
                member is set to the reference: {"$attachment": {"sha256": ..., "bytes": ..., "type": ..., "name": \
                ...}}. PATH[] appends one or more files to a list. A member with another value is not changed, unless \
                --replace is given. The document must exist; exit code 1 if it does not.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection.") var collection: String
        @Argument(help: "The document ID.") var id: String
        @Argument(help: "The member, such as original or exif.preview; scans[] appends to a list.") var path: String
        @Argument(help: "The files.") var files: [String]
        @Option(
            name: .long, help: "Set the media type, such as image/jpeg. Default: from the extension of the file name.")
        var type: String?
        @Option(name: .long, help: "Set the recorded file name. Default: the name of the file.") var name: String?
        @Flag(name: .long, help: "Replace another value of the member.") var replace = false
        @Flag(name: [.customShort("n"), .long], help: "Show what would be attached, and store nothing.")
        var dryRun = false

        func run() throws {
            if !dryRun { try options.requireWrite("attach add") }
            let path = try FieldPath.argument(path)
            let isList = path.steps.last == .eachElement
            let target = isList ? String(path.description.dropLast(2)) : path.description
            let member = try FieldPath(parsing: target)
            guard !member.hasArrayStep else {
                throw CommandError(
                    .usage, "\(path) matches several values",
                    hint: "[] can only be at the end: scans[] appends to scans")
            }
            let files = try files.map { try ArgumentOrigin.current.text(of: $0) }
            guard isList || files.count == 1 else {
                throw CommandError(
                    .usage, "\(path) can hold one file, not \(files.count)", hint: "\(path)[] appends to a list")
            }
            guard name == nil || files.count == 1 else {
                throw CommandError(.usage, "--name names one file, not \(files.count)", hint: "omit it")
            }
            // Before anything is stored.
            let byteCounts = try files.map { try AttachCommand.byteCount(ofFileAt: $0) }
            try Session.with(database, options) { session in
                let collection = try session.collection(collection)
                let document = try AttachCommand.document(id, in: collection)
                let id = document.id
                guard member.steps.first != .name(collection.definition.idField) else {
                    throw CommandError(
                        .usage, "\(member) is the ID of the document", hint: "choose another member for the file")
                }
                _ = try DocumentUpdate([isList ? .add(member, .array([])) : .set(member, .null)])
                    .applied(to: document.content)
                let lost =
                    try isList
                    ? nil
                    : lostValue(of: document.content, member) { try ContentFiles.digest(ofFileAt: files[0]) }
                let instead = lost.map { ", instead of \($0)" } ?? ""
                let total = byteCounts.reduce(0, +)
                let text = "\(AttachCommand.count(files.count)) (\(HumanNumber.byteCount(total)))"
                if dryRun { return options.note("attach add: would attach \(text) to \(id), at \(path)\(instead)") }
                let added = try attach(files, total, to: id, in: collection.name, member, isList: isList, session)
                let known = files.count - added
                options.note(
                    "attach add: \(text) to \(id), at \(path)\(instead)"
                        + (known > 0 ? "; \(HumanNumber.grouped(known)) of them already in the list" : ""))
            }
        }

        /// The value that a file replaces, in words; `nil` if the member is empty or has the same file.
        ///
        /// - Throws: ``CommandError`` if there is such a value and `--replace` is not given.
        private func lostValue(
            of document: DocumentObject, _ member: FieldPath, _ digest: () throws -> Attachment.Digest?
        ) throws -> String? {
            guard let old = member.value(in: document), old != .null else { return nil }
            if let attachment = old.attachmentValue, try digest() == attachment.digest { return nil }
            let text = AttachedFile.describe(old)
            guard !replace else { return text }
            throw CommandError(
                .cannotCreate, "\(member) of the document \(id) already has a value: \(text)",
                hint: (old.kind == .array ? "\(member)[] appends to the list" : "choose another member")
                    + "; --replace overwrites the value")
        }

        /// Stores the files, and refers to them. Returns the number of files that the list did not have before.
        private func attach(
            _ files: [String], _ total: Int, to id: DocumentID, in collection: String, _ member: FieldPath,
            isList: Bool, _ session: Session
        ) throws -> Int {
            let store = try session.store()
            let type = try type.map { try ArgumentOrigin.current.text(of: $0) }
            let name = try name.map { try ArgumentOrigin.current.text(of: $0) }
            let progress = try options.reporter("attach", unit: .bytes)
            defer { progress.finish() }
            var done = 0
            let references = try files.map { file in
                let attachment = try store.attachments.add(contentsOf: file, type: type, name: name) { count in
                    try Interruption.check()
                    progress.advance(done: done + Int(clamping: count), total: total)
                }
                done += Int(clamping: attachment.byteCount)
                return DocumentValue.attachment(attachment)
            }
            let update = DocumentUpdate(
                isList ? [.add(member, .array(references))] : references.map { .set(member, $0) })
            return try store.write { transaction in
                guard let old = try transaction.document(id, in: collection)?.content else {
                    throw CommandError.noDocument(self.id, in: collection)
                }
                if !isList { _ = try lostValue(of: old, member) { references.first?.attachmentValue?.digest } }
                let new = try update.applied(to: old)
                if new != old { try transaction.put(new, in: collection) }
                guard isList else { return files.count }
                return AttachedFile.all(at: member, in: new).count - AttachedFile.all(at: member, in: old).count
            }
        }
    }

    /// Writes an attached file.
    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Write an attached file to a file or to standard output, and check it.",
            discussion: """
                Example: lkrepl attach get photos.store photos 2019-07-14-0031 original -o harbour.jpg
                Without PATH the document must have exactly one attached file. The SHA-256 digest is checked before \
                the last bytes are written; a file given with -o appears only if it is right. Exit code 1 if there is \
                no such document or file.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection.") var collection: String
        @Argument(help: "The document ID.") var id: String
        @Argument(help: "The member. Default: the only attached file.") var path: String?
        @Option(name: .long, help: "Choose the file of a list whose digest begins with this.") var sha256: String?
        @Option(name: .shortAndLong, help: "Write to this file instead of standard output.") var output: String?
        @Flag(name: .long, help: "Overwrite an existing file.") var force = false

        func run() throws {
            let file = try output.map { try ArgumentOrigin.current.text(of: $0) }
            let path = try path.map { try FieldPath.argument($0) }
            try Session.with(database, options) { session in
                let collection = try session.collection(collection)
                let document = try AttachCommand.document(id, in: collection)
                let attachment = try attachment(of: document, path)
                guard file != nil && file != "-" || !OutputTarget.current.isTerminal else {
                    throw CommandError(
                        .usage, "an attached file is not shown on a terminal", hint: "add -o FILE, or use a pipe")
                }
                try NewFile.write(file, replacing: force) { output in
                    try ContentFiles.write(attachment, from: try session.attachments(), to: output)
                }
                let place = file.map { $0 == "-" ? "" : " in \($0)" } ?? ""
                options.note(
                    "attach get: \(HumanNumber.byteCount(Int(clamping: attachment.byteCount)))\(place), "
                        + "SHA-256 \(attachment.digest)")
            }
        }

        private func attachment(of document: Document, _ path: FieldPath?) throws -> Attachment {
            let all = AttachedFile.all(in: document.content)
            var found = path.map { AttachedFile.all(at: $0, in: document.content) } ?? all.map(\.attachment)
            let candidates = found
            if let sha256 { found = found.filter { $0.digest.description.hasPrefix(sha256) } }
            // One attachment may have several places.
            if let first = found.first, found.allSatisfy({ $0.digest == first.digest }) { return first }
            let paths = Set(all.map(\.path)).sorted().joined(separator: ", ")
            let place = path.map { " at \($0)" } ?? ""
            if let sha256, found.isEmpty, !candidates.isEmpty {
                throw CommandError(
                    .no,
                    "no attached file of the document \(document.id)\(place) has a digest that begins with \(sha256)",
                    hint: "the digests begin with \(Self.beginnings(of: candidates))")
            }
            guard found.count > 1 else {
                throw CommandError(
                    .no, "the document \(document.id) has no attached file\(place)",
                    hint: all.isEmpty ? nil : "it has files at \(paths)")
            }
            throw CommandError(
                .usage, "the document \(document.id) has \(found.count) attached files\(place)",
                hint: path == nil
                    ? "specify one of \(paths)" : "--sha256 chooses one: \(Self.beginnings(of: found))")
        }

        private static func beginnings(of attachments: [Attachment]) -> String {
            attachments.map { "\($0.digest.description.prefix(8))\($0.name.map { name in " (\(name))" } ?? "")" }
                .joined(separator: ", ")
        }
    }

    // MARK: - Parts

    /// The size of a file to attach.
    ///
    /// - Throws: ``CommandError`` with `noInput` if it cannot be read, or is not a file.
    static func byteCount(ofFileAt path: String) throws -> Int {
        guard path != "-" else {
            throw CommandError(
                .usage, "attach add reads files, not standard input", hint: "write the content into a file first")
        }
        guard !FileDescriptor.isDirectory(path) else {
            throw CommandError(.noInput, "cannot read \(path): it is a directory", hint: "specify a file")
        }
        // Opening a pipe would wait for its writer.
        let isSpecial = FileDescriptor.isSpecial(path)
        let file = try isSpecial ? nil : FileDescriptor.openForReading(path)
        defer { try? file?.closeFile() }
        guard let file, let byteCount = file.byteCount else {
            throw CommandError(.noInput, "cannot read \(path): it is not a regular file", hint: "specify a file")
        }
        // Files of the system, such as those below /proc, state no size.
        var first: [UInt8] = [0]
        guard try byteCount > 0 || file.read(into: &first) == 0 else {
            throw CommandError(
                .noInput, "cannot read \(path): its reported size is 0 bytes, but it has content",
                hint: "copy the content into another file first")
        }
        return byteCount
    }

    /// The document that an argument denotes.
    static func document(_ id: String, in collection: DocumentCollection) throws -> Document {
        let document = try DocumentID.candidates(id).lazy.compactMap { try? collection.document($0) }.first
        guard let document else { throw CommandError.noDocument(id, in: collection.name) }
        return document
    }

    /// `1 file`, `2 files`.
    static func count(_ count: Int) -> String { AttachedFile.count(count) }
}
