import DocIndex

/// The attachments that `dump` and `export` leave out with `--on-error skip`, because they are missing, damaged or
/// unreadable. Each is reported when it is found.
final class OmittedContents {
    /// The hint of an error because of one attachment.
    static let advice = "use --on-error skip to omit such files and list them"

    /// How the attachments come back. A rebuild cannot restore them.
    static let remedy =
        "run attach restore --write STORE DIR to restore them from copies in DIR, such as a backup"

    private let command: String
    private var digests: Set<Attachment.Digest> = []

    /// - Parameter onError: The value of `--on-error`; `nil` unless it is `skip`.
    init?(_ command: String, onError: String) {
        guard onError == "skip" else { return nil }
        self.command = command
    }

    /// Runs `body`, which reads or writes one attachment. Returns false if the content was left out.
    ///
    /// - Parameters:
    ///   - omitted: `nil` to throw instead.
    ///   - advice: The hint of the error that is thrown.
    static func skipping(
        _ omitted: OmittedContents?, _ attachment: Attachment, advice: String = OmittedContents.advice,
        _ body: () throws -> Void
    ) throws -> Bool {
        do {
            try body()
            return true
        } catch {
            guard let problem = DocumentStore.Attachments.problem(error) else { throw error }
            guard let omitted else {
                var failure = CommandError(error)
                failure.hint = advice
                throw failure
            }
            omitted.add(attachment, problem)
            return false
        }
    }

    private func add(_ attachment: Attachment, _ problem: String) {
        guard digests.insert(attachment.digest).inserted else { return }
        let name = attachment.name ?? "\(attachment.digest)"
        StandardError.shared.write(VisibleText.singleLine("\(command): left out \(name): \(problem)") + "\n")
    }

    /// Throws the error with which the command ends if something was left out.
    func finish() throws {
        guard !digests.isEmpty else { return }
        throw CommandError(
            .badData, "left out \(AttachedFile.count(digests.count)) that cannot be read", hint: Self.remedy)
    }
}
