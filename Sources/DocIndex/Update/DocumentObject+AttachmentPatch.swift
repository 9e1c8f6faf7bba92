extension DocumentObject {
    /// Applies a patch like ``mergePatch(_:)``, unless it would change a member of an attachment.
    ///
    /// - Throws: ``DocIndexError`` with `invalidUpdate`. The object is then unchanged.
    /// - Complexity: O(*n*) in the members of both. Stack use for the check does not depend on the nesting depth.
    package mutating func mergePatchKeepingAttachments(_ patch: DocumentObject) throws {
        var open = [(object: self, patch: patch, path: [String]())]
        while let (object, patch, path) = open.popLast() {
            for member in patch {
                guard case .object(let nested) = member.value else { continue }
                let path = path + [member.name]
                switch object[member.name] {
                case .object(let old): open.append((old, nested, path))
                case .attachment(let attachment) where !Self.isUnchanged(attachment, by: nested):
                    throw DocIndexError(
                        .invalidUpdate,
                        "the patch would change members of \(path.joined(separator: ".")), which is an attachment and "
                            + "can be replaced only as a whole; patch it with another attachment, or remove it first")
                default: break
                }
            }
        }
        mergePatch(patch)
    }
}
