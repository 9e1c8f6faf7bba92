/// JSON Merge Patch, RFC 7396.
extension DocumentObject {
    /// Applies a patch to the object: a member that is `null` in the patch is removed, an object patches the member
    /// with its name, and any other value replaces that member or is added.
    ///
    /// A patch therefore cannot set a member to `null`, and it replaces arrays as a whole. Members keep their
    /// positions, and new ones are appended in the order of the patch.
    ///
    /// An object that would change a member of an attachment replaces the attachment, as it replaces any other value
    /// that is not an object. `Transaction.patch` refuses such a patch. An object that states the members
    /// which an attachment has, or some of them, changes nothing.
    ///
    /// - Complexity: O(*n*) in the members of both.
    public mutating func mergePatch(_ patch: DocumentObject) {
        // Not a loop over copies of the members, because the frames of a recursion must be small; see
        // `DocumentValue.==`.
        var position = 0
        while position < patch.count {
            applyMember(position, of: patch)
            position += 1
        }
    }

    /// Returns the object with a patch applied; see ``mergePatch(_:)``.
    ///
    /// - Complexity: O(*n*) in the members of both.
    public func merging(patch: DocumentObject) -> DocumentObject {
        var object = self
        object.mergePatch(patch)
        return object
    }

    private mutating func applyMember(_ position: Int, of patch: DocumentObject) {
        let name = patch[position].name
        switch patch[position].value {
        case .null: removeValue(forName: name)
        case .object(let nested): patchMember(name, nested)
        case let value: self[name] = value
        }
    }

    private mutating func patchMember(_ name: String, _ patch: DocumentObject) {
        guard case .object(var object) = self[name] else {
            if hasAttachment(name, with: patch) { return }
            // A value that is not an object counts as an empty one, and nulls of the patch are dropped.
            var object = DocumentObject()
            object.mergePatch(patch)
            self[name] = .object(object)
            return
        }
        // Releases this object's reference first, so that the member is changed in place instead of copied.
        self[name] = .null
        object.mergePatch(patch)
        self[name] = .object(object)
    }
}

extension DocumentObject {
    /// Whether a member is an attachment that a patch does not change.
    private func hasAttachment(_ name: String, with patch: DocumentObject) -> Bool {
        guard case .attachment(let attachment) = self[name] else { return false }
        return Self.isUnchanged(attachment, by: patch)
    }

    /// Whether a patch states members that an attachment has, or nothing.
    package static func isUnchanged(_ attachment: Attachment, by patch: DocumentObject) -> Bool {
        patch.allSatisfy { attachment[$0.name] ?? .null == $0.value }
    }
}

extension DocumentValue {
    /// Returns the value with a patch applied (RFC 7396). A patch that is not an object replaces the value. An object
    /// patch turns the value into an object if necessary, then patches it; see ``DocumentObject/mergePatch(_:)``.
    ///
    /// - Complexity: O(*n*) in the members of both.
    public func merging(patch: DocumentValue) -> DocumentValue {
        guard case .object(let patch) = patch else { return patch }
        return .object((objectValue ?? DocumentObject()).merging(patch: patch))
    }
}
