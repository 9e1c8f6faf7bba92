import DocIndex

/// An attached file in a document, and the path that leads to it.
struct AttachedFile {
    let path: String
    let attachment: Attachment

    /// `1 file`, `2 files`.
    static func count(_ count: Int) -> String { HumanNumber.counted(count, "file") }

    /// The attached files of a document, in document order.
    static func all(in document: DocumentObject) -> [AttachedFile] {
        var found: [AttachedFile] = []
        add(.object(document), at: "", to: &found)
        return found
    }

    /// The attached files at a path.
    static func all(at path: FieldPath, in document: DocumentObject) -> [Attachment] {
        var found: [Attachment] = []
        path.forEachElement(in: document) { value in
            // A list is meant with and without [].
            if case .array(let elements) = value {
                found += elements.compactMap(\.attachmentValue)
            } else if let attachment = value.attachmentValue {
                found.append(attachment)
            }
        }
        return found
    }

    /// A value in words, without its content: `the attached file a.jpg with 12 kB`, `a list of 3`, `a string`.
    static func describe(_ value: DocumentValue) -> String {
        switch value {
        case .attachment(let attachment):
            "the attached file \(attachment.name.map { $0 + " " } ?? "")with "
                + HumanNumber.byteCount(Int(clamping: attachment.byteCount))
        case .array(let elements): "a list of \(HumanNumber.grouped(elements.count))"
        case .object: "an object"
        case .string: "a string"
        case .bool: "a boolean"
        case .date: "a date"
        case .bytes: "bytes"
        default: "a number"
        }
    }

    private static func add(_ value: DocumentValue, at path: String, to found: inout [AttachedFile]) {
        switch value {
        case .attachment(let attachment): found.append(AttachedFile(path: path, attachment: attachment))
        case .array(let elements): for element in elements { add(element, at: path + "[]", to: &found) }
        case .object(let object):
            for member in object {
                let name = FieldPath.quoting(member.name)
                add(member.value, at: path.isEmpty ? name : "\(path).\(name)", to: &found)
            }
        default: break
        }
    }
}
