import DocIndex

/// A document, or a deleted one, of a replicated collection, with its revisions.
struct ReplicatedDocument {
    var collection: String
    let id: DocumentID
    /// The document; `nil` if it is deleted.
    let content: DocumentObject?
    /// Whether the line is a record of the dump. A full dump has deleted documents only for their revisions.
    let isRecord: Bool
    let revisions: DocumentRevisions

    /// The levels at which a version of a document is nested in a line.
    static let depth = 4

    /// The document and its other versions.
    var contents: [DocumentObject] { (content.map { [$0] } ?? []) + revisions.versions.map(\.content) }

    /// The line as a JSON object.
    var object: DocumentObject {
        var object: DocumentObject = ["c": .string(collection), "id": id.value]
        if let content { object["doc"] = .object(content) } else if isRecord { object["del"] = true }
        object["revs"] = revisions.dumped
        return object
    }

    /// The part of the line that the digest of records does not cover.
    var envelope: DocumentObject { ["c": .string(collection), "id": id.value, "revs": revisions.dumped] }
}

extension DocumentRevisions {
    /// The form in a dump.
    fileprivate var dumped: DocumentValue {
        let leaves = leaves.map { leaf in
            var object: DocumentObject = ["rev": .string(leaf.path.revision.description)]
            if !leaf.path.ancestors.isEmpty {
                object["past"] = .array(leaf.path.ancestors.map { .string($0.description) })
            }
            if leaf.isDeleted { object["deleted"] = true }
            if leaf.isNew { object["new"] = true }
            return DocumentValue.object(object)
        }
        var object: DocumentObject = ["leaves": .array(leaves)]
        if !versions.isEmpty {
            object["versions"] = .array(
                versions.map { ["rev": .string($0.revision.description), "doc": .object($0.content)] })
        }
        return .object(object)
    }

    /// Reads the form in a dump.
    ///
    /// - Throws: ``DumpError`` for another form.
    init(dumped value: DocumentValue) throws {
        guard let object = value.objectValue, let leaves = object["leaves"]?.arrayValue, !leaves.isEmpty,
            object.allSatisfy({ ["leaves", "versions"].contains($0.name) })
        else { throw DumpError("revs must be an object with the members leaves and versions", kind: .type) }
        let versions = object["versions"]
        guard versions == nil || versions?.arrayValue != nil else {
            throw DumpError("versions is not an array", kind: .type)
        }
        self.init(
            leaves: try leaves.map { try Self.leaf($0) },
            versions: try (versions?.arrayValue ?? []).map { value in
                let (revision, content) = try Self.version(value)
                return .init(revision, content)
            })
    }

    private static func leaf(_ value: DocumentValue) throws -> Leaf {
        let form = DumpError(
            "a leaf must have the member rev, such as 2-ab12…, and may have past, deleted and new", kind: .type)
        guard let object = value.objectValue, let revision = revision(object["rev"]),
            object.allSatisfy({ ["rev", "past", "deleted", "new"].contains($0.name) })
        else { throw form }
        var ancestors: [RevisionID] = []
        if let past = object["past"] {
            guard let values = past.arrayValue else { throw form }
            for value in values {
                guard let id = value.stringValue.flatMap({ RevisionID($0) }) else { throw form }
                ancestors.append(id)
            }
        }
        for name in ["deleted", "new"] where object[name] != nil && object[name] != true { throw form }
        guard let path = RevisionPath(revision, ancestors: ancestors) else {
            throw DumpError("the revision \(revision) has more ancestors than its number permits", kind: .type)
        }
        return Leaf(path, isDeleted: object["deleted"] == true, isNew: object["new"] == true)
    }

    private static func version(_ value: DocumentValue) throws -> (Document.Revision, DocumentObject) {
        guard let object = value.objectValue, object.count == 2, let revision = revision(object["rev"]),
            let content = object["doc"]?.objectValue
        else { throw DumpError("a version must have the members rev and doc", kind: .type) }
        return (revision, content)
    }

    private static func revision(_ value: DocumentValue?) -> Document.Revision? {
        value?.stringValue.flatMap { Document.Revision($0) }
    }
}
