extension Revision {
    /// Returns the revision of an edit that was made by this library.
    ///
    /// Its ID is the first half of a SHA-256 hash over the parent, the deletion and the content, so that equal edits of
    /// equal versions are one revision on every device. `docs/FORMAT.md` gives the rule and examples.
    ///
    /// - Parameters:
    ///   - parent: the edited version; `nil` for the first version of a document.
    ///   - content: the new content; `nil` for a deletion.
    ///   - idField: the member with the ID, which is not part of the hash, since replicas put it in different places.
    static func made(from parent: Revision?, to content: DocumentObject?, idField: String) -> Revision {
        var bytes = Array("1\n\(parent.map(\.description) ?? "")\n".utf8)
        if var content {
            content.removeValue(forName: idField)
            DocumentValue.object(content).writeJSON(to: &bytes, JSONWriter(notation: .dump))
        }
        var hash = SHA256Hash()
        unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        let id = RevisionID(bytes: hash.digest.prefix(RevisionID.byteCount)) ?? .zero
        // A generation at its limit cannot come from edits, only from a peer. It stays, and the ID still differs.
        return Revision(valid: min((parent?.generation ?? 0) + 1, maximumGeneration), id)
    }
}
