/// Finds references to attachments that a migration would lose.
///
/// A reference is kept if the new form of the document contains it anywhere. An attachment that several references of
/// the old form name must have as many in the new one.
struct AttachmentLossCheck {
    /// The members whose references may disappear, including everything in them.
    let drops: [FieldPath]

    /// The references of one document.
    struct Result {
        /// The first reference that is lost, and its path; `nil` if all are kept.
        var lost: (path: String, attachment: Attachment)?
        /// The sum of the references that must be kept.
        var before: UInt64 = 0
        /// The sum of those that are.
        var after: UInt64 = 0
    }

    /// Compares two forms of a document.
    ///
    /// - Parameter new: the new form; `nil` if the document is deleted.
    func run(from old: DocumentObject, to new: DocumentObject?) -> Result {
        var result = Result()
        var isEmpty = true
        old.forEachAttachment { _ in isEmpty = false }
        if isEmpty { return result }
        var kept: [Attachment.Digest: Int] = [:]
        var unmoved: [Place: Int] = [:]
        if let new {
            forEachReference(in: .object(new), [], except: []) { path, attachment in
                kept[attachment.digest, default: 0] += 1
                unmoved[Place(path: path, digest: attachment.digest), default: 0] += 1
            }
        }
        var moved: [(path: [FieldPath.Step], attachment: Attachment)] = []
        forEachReference(in: .object(old), [], except: drops) { path, attachment in
            result.before &+= Self.hash(attachment)
            let place = Place(path: path, digest: attachment.digest)
            guard let count = unmoved[place], count > 0 else { return moved.append((path, attachment)) }
            unmoved[place] = count - 1
            kept[attachment.digest, default: 0] -= 1
            result.after &+= Self.hash(attachment)
        }
        for (path, attachment) in moved {
            if kept[attachment.digest, default: 0] > 0 {
                kept[attachment.digest]? -= 1
                result.after &+= Self.hash(attachment)
            } else if result.lost == nil {
                result.lost = (DataLossCheck.text(path), attachment)
            }
        }
        return result
    }

    /// An attachment at a path.
    private struct Place: Hashable {
        let path: [FieldPath.Step]
        let digest: Attachment.Digest
    }

    /// Visits the references in a value, except those in some members. The recursion is limited by the depth of
    /// documents.
    private func forEachReference(
        in value: DocumentValue, _ steps: [FieldPath.Step], except drops: [FieldPath],
        _ body: ([FieldPath.Step], Attachment) -> Void
    ) {
        if drops.contains(where: { $0.steps == steps }) { return }
        switch value {
        case .attachment(let attachment): body(steps, attachment)
        case .object(let object):
            for member in object {
                forEachReference(in: member.value, steps + [.name(member.name)], except: drops, body)
            }
        case .array(let elements):
            for element in elements { forEachReference(in: element, steps + [.eachElement], except: drops, body) }
        default: break
        }
    }

    /// The first bytes of the digest, which are as good as random.
    private static func hash(_ attachment: Attachment) -> UInt64 {
        attachment.digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
