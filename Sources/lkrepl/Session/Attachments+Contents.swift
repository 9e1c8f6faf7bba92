import DocIndex

extension DocumentStore.Attachments {
    /// Calls `body` for each content, in the order of their digests.
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
}
