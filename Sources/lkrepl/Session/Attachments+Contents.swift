import DocIndex
import LevelKit

extension DocumentStore.Attachments {
    /// Calls `body` for each attachment, in the order of their digests.
    func forEachContent(_ body: (Info) throws -> Void) throws {
        var last: Attachment.Digest?
        while true {
            let page = try list(after: last)
            guard let end = page.last else { return }
            for info in page {
                try Interruption.check()
                try body(info)
            }
            last = end.digest
        }
    }

    /// Checks one attachment. Returns what is wrong with it; `nil` if nothing is.
    ///
    /// - Throws: errors that do not concern this content alone.
    func problem(of info: Info, readsContent: Bool) throws -> String? {
        do {
            try check(info.digest, readsContent: readsContent)
            return nil
        } catch {
            guard let problem = Self.problem(error) else { throw error }
            return problem
        }
    }

    /// What is wrong with one attachment, if an error concerns that content alone: it is missing, damaged or
    /// unreadable; `nil` for other errors.
    static func problem(_ error: any Error) -> String? {
        switch error {
        case let error as DocIndexError where error.code == .attachmentMissing || error.code == .attachmentDamaged:
            error.message
        case let error as LevelError where error.code == .io: "its file cannot be read: \(error)"
        default: nil
        }
    }
}
