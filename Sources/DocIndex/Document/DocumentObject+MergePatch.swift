/// JSON Merge Patch, RFC 7396.
extension DocumentObject {
    /// Changes the object as a patch says: a member that is `null` in the patch is removed, an object is a patch of the
    /// member of its name, and every other value replaces that member or is added.
    ///
    /// So a patch cannot set a member to `null`, and replaces arrays as a whole. Members keep their places, and new ones
    /// are appended in the order of the patch.
    ///
    /// - Complexity: O(*n*) in the members of both.
    public mutating func mergePatch(_ patch: DocumentObject) {
        // Not as a loop over copies of the members: the frames of a recursion must be small; see `DocumentValue.==`.
        var position = 0
        while position < patch.count {
            applyMember(position, of: patch)
            position += 1
        }
    }

    /// The object changed as a patch says; see ``mergePatch(_:)``.
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
            // What is no object counts as an empty one; nulls of the patch go away all the same.
            var object = DocumentObject()
            object.mergePatch(patch)
            self[name] = .object(object)
            return
        }
        // Gives up this object's reference first, so that the member is changed in place and not copied.
        self[name] = .null
        object.mergePatch(patch)
        self[name] = .object(object)
    }
}

extension DocumentValue {
    /// The value changed as a patch says, by RFC 7396: a patch that is no object replaces the value, and one that is an
    /// object turns it into an object, if it is none, and changes that; see ``DocumentObject/mergePatch(_:)``.
    ///
    /// - Complexity: O(*n*) in the members of both.
    public func merging(patch: DocumentValue) -> DocumentValue {
        guard case .object(let patch) = patch else { return patch }
        return .object((objectValue ?? DocumentObject()).merging(patch: patch))
    }
}
