/// The members of an attachment. Paths address them like the members of an object.
extension Attachment {
    /// A member of an attachment. The order is that of the stored form and of JSON text.
    package enum Member: Int, Sendable, CaseIterable {
        case sha256, bytes, type, name

        /// The name by which paths refer to the member.
        var pathName: String {
            switch self {
            case .sha256: "sha256"
            case .bytes: "bytes"
            case .type: "type"
            case .name: "name"
            }
        }

        /// Creates the member with a name; `nil` if there is none.
        package init?(pathName name: String) {
            guard let member = Member.allCases.first(where: { $0.pathName.hasSameBytes(as: name) }) else { return nil }
            self = member
        }
    }

    /// The value of a member; `nil` if the attachment has no name and the member is `name`.
    subscript(member: Member) -> DocumentValue? {
        switch member {
        case .sha256: .string(digest.description)
        case .bytes: .int(byteCount)
        case .type: .string(type)
        case .name: name.map { .string($0) }
        }
    }

    /// The value of the member that paths refer to by `name`: `sha256`, `bytes`, `type` or `name`; `nil` if there is
    /// none.
    package subscript(name: String) -> DocumentValue? {
        Member(pathName: name).flatMap { self[$0] }
    }

    /// The present members, as an object.
    package var object: DocumentObject {
        var object = DocumentObject()
        for member in Member.allCases { object[member.pathName] = self[member] }
        return object
    }

    /// Creates an attachment from its members; `nil` if a required one is missing, one is invalid, or there are others.
    /// Without a type, it is ``unknownType``.
    init?(members object: DocumentObject) {
        var known = object.count
        func takes(_ member: Member) -> DocumentValue? {
            let value = object[member.pathName]
            if value != nil { known -= 1 }
            return value
        }
        guard case .string(let text)? = takes(.sha256), let digest = Digest(text),
            case .int(let byteCount)? = takes(.bytes)
        else { return nil }
        let type = takes(.type)
        let name = takes(.name)
        guard known == 0, type == nil || type?.stringValue != nil, name == nil || name?.stringValue != nil else {
            return nil
        }
        self.init(
            digest: digest, byteCount: byteCount, type: type?.stringValue ?? Self.unknownType, name: name?.stringValue)
    }
}

extension DocumentValue {
    /// The members of an object or an attachment; `nil` for other kinds.
    package var memberObject: DocumentObject? {
        switch self {
        case .object(let object): object
        case .attachment(let attachment): attachment.object
        default: nil
        }
    }
}

// MARK: - Attachments of a document

extension DocumentObject {
    /// Calls `body` with each attachment in the object, in document order, as often as it occurs.
    ///
    /// - Throws: what `body` throws, which ends the visit.
    /// - Complexity: O(*n*) in the size of the object. Stack use does not depend on the nesting depth.
    package func forEachAttachment<Failure: Error>(
        _ body: (Attachment) throws(Failure) -> Void
    ) throws(Failure) {
        var open: [(container: DocumentValue, next: Int)] = [(.object(self), 0)]
        while let (container, next) = open.last {
            guard let value = container.item(at: next) else {
                open.removeLast()
                continue
            }
            open[open.count - 1].next = next + 1
            switch value {
            case .attachment(let attachment): try body(attachment)
            case .array, .object: open.append((value, 0))
            default: break
            }
        }
    }
}

extension DocumentValue {
    /// The element or the value of the member at `position`; `nil` after the last one.
    fileprivate func item(at position: Int) -> DocumentValue? {
        // The type is stated: `nil` could also mean the value `null`, which never ends.
        switch self {
        case .array(let elements): position < elements.count ? elements[position] : DocumentValue?.none
        case .object(let object): position < object.count ? object[position].value : DocumentValue?.none
        default: DocumentValue?.none
        }
    }
}
